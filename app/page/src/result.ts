// Generated from state/result.py by `make result-schema`. Do not edit.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A block of an answer, a Markdown document. */
export interface Block {
  /** What it is. */
  kind: "heading" | "paragraph" | "list" | "table" | "code" | "quote" | "rule";
  /** Its Markdown. */
  text: string;
  /** Of a heading: 1 to 6; else 0. */
  level?: number;
  /** Of code: the language its fence names. */
  language?: string;
  /** Of a table: its cells, the header row first. */
  rows?: Array<Array<string>>;
  /** Its claims, as positions in the claims of the answer. */
  claims?: Array<number>;
}

/** A call of a tool. */
export interface CallForm {
  /** The tool. */
  tool_binding: string;
  /** Its arguments. */
  args: Record<string, Json>;
}

/** A value that `weiwo refresh` found changed. */
export interface ChangedValue {
  /** The task. */
  task: string;
  /** What the task asks. */
  question: string;
  /** The earlier value; empty where there was none. */
  old: string;
  /** The value now; empty where there is none any more. */
  new: string;
  /** The first source of the new value. */
  source: string;
}

/** A numbered source, with its other addresses. */
export interface CitedSource {
  /** Its number in the text, from 1. */
  n: number;
  /** URL or file. */
  source: string;
  /** Title. */
  title: string;
  /** The words that carry the claim. */
  quote: string;
  /** The passage. */
  evidence_id: string;
  /** Its place within the source, such as "page 2" or "lines 3-7"; empty where the source is the place. */
  locator: string;
  /** Further addresses of the same text. */
  also?: Array<string>;
}

/** A sentence, list item or table cell of an answer and what checking it found. */
export interface Claim {
  /** The sentence, without its citation marks. */
  text: string;
  /** Numbers of the sources it cites. */
  citations: Array<number>;
  /** What checking it found. */
  verdict: "quoted" | "computed" | "supported" | "matched" | "judgement" | "unchecked" | "unsupported" | "contradicted" | "uncited";
  /** Which words failed, and why; of an unchecked one, why nobody judged it; else empty. */
  reason?: string;
}

/** A passage and where it came from. */
export interface Evidence {
  /** `passage_id` of the text. */
  id: string;
  /** The passage. */
  text: string;
  /** URL, or file path, that leads a reader to it. */
  source: string;
  /** Title of the page or document. */
  title: string;
  /** Place within the source, such as "lines 3-7" or "page 2"; empty if the source is the place. */
  locator: string;
  /** ISO date of publication, where known. */
  date: string | null;
  /** The tool that found it. */
  tool: string;
  /** The tasks that found it. */
  task_ids: Array<string>;
  /** Relevance as the tool scored it; higher is better, comparable only within one tool. */
  score: number;
  /** Who found it for the tool, such as a search engine. */
  provider?: string;
  /** How a search of documents found it: `keyword`, `vector` or `hybrid`; empty where none did. */
  strategy?: string;
  /** Further addresses of the same text. */
  also?: Array<string>;
  /** What readers should beware of, such as `instructions`: it addresses the model. */
  flags?: Array<string>;
  /** Source of a newer version of the same document; empty where none is known. */
  superseded_by?: string;
  /** The calls that it is the whole reply to; none of what a search found, which has a source of its own. */
  calls?: Array<PassageCall>;
  /** SHA-256 of the bytes of its document as they were read; empty where it is of none in an index. */
  document?: string;
  /** Authors, venue and DOI where the source is a scholarly work. */
  publication?: Publication | null;
}

/** What answering by a plan is expected to take, all of the run included, as such tasks did before. */
export interface Expectation {
  /** Tool calls. */
  tool_calls: number;
  /** Model calls. */
  model_calls: number;
  /** Tokens of these, prompts and replies. */
  tokens: number;
  /** US dollars; 0 where prices are not known. */
  cost: number;
  /** Seconds. */
  seconds: number;
  /** Tasks of which too little is known to count them in. */
  unknown: number;
}

/** A passage shown as it stands in its source, with the sentences that fit the question best. */
export interface Extract {
  /** Its number on the screen, from 1. */
  n: number;
  /** URL or file. */
  source: string;
  /** Title. */
  title: string;
  /** The passage, or a readable part of a long one; "…" where it was cut. */
  text: string;
  /** The sentences that fit best, as character offsets `(start, end)` into `text`, in order, none overlapping another; empty where the passage alone speaks for itself. */
  highlights: Array<[number, number]>;
  /** How much of what is asked the passage speaks of, 0 to 1. */
  score: number;
  /** The passage. */
  evidence_id: string;
  /** Its place within the source, such as "page 2" or "lines 3-7"; empty where the source is the place. */
  locator: string;
  /** The headings it stands under, outermost first, without the title. */
  headings?: Array<string>;
  /** What else is known of it, by name, as `Evidence.context`. */
  context?: Record<string, string>;
}

/** What went wrong with one task. */
export interface Failure {
  /** The task. */
  task_id: string;
  /** The kind, on which policies act. */
  kind: "timeout" | "rate_limit" | "auth" | "not_found" | "bad_arguments" | "empty" | "blocked" | "refused" | "oversized" | "crash" | "limit" | "incomplete" | "inconsistent" | "slow";
  /** One line for people. */
  message: string;
  /** Why, as the monitor judges from what was found; None where it did not. */
  cause?: "tool" | "query" | "source" | "plan" | null;
}

/** One finding of an analysis. */
export interface Finding {
  /** What was found, a statement that stands on its own. */
  text: string;
  /** The passages it rests on. */
  evidence_ids: Array<string>;
}

/** Something an answer leaves open. */
export interface Gap {
  /** `uncovered`, a part of the question without an answer; `failed`, a tool or agent that did not work; `assumed`, a value that somebody set; `inconsistent`, values that cannot all be right; `unread`, pages that could not be read, or a search that was not answered; `restricted`, sources that were left out as the user wished; `in_part`, documents not read whole; `language`, passages in another language than the question, which no model read; else why a value it rests on is no firm ground. */
  kind: "uncovered" | "failed" | "assumed" | "implied" | "doubted" | "disputed" | "inconsistent" | "unread" | "restricted" | "in_part" | "language";
  /** One line for people, in the language of the answer. */
  text: string;
  /** The task whose value it is; empty for a part of the question. */
  task_id: string;
}

/** A citation mark of an answer. Other brackets in its text are its sources' own. */
export interface Mark {
  /** The number of the source. */
  n: number;
  /** Where the mark begins in the text of the answer, in characters. */
  start: number;
  /** Where it ends. */
  end: number;
}

/** One call of a chat model, for the trace. */
export interface ModelCall {
  /** The agent that asked: master, planner, executor, reflection or writer; or the verifier. */
  role: "master" | "planner" | "executor" | "reflection" | "writer" | "verifier";
  /** What for: assess, plan, read, analyse, repair, decide, outline, draft, verify, rewrite. */
  purpose: string;
  /** The model's name as configured. */
  model: string;
  /** How the reply was obtained: json_schema, function_call, json_text, repair or text; `not_sent` for a call that could not be made, which is in the trace but costs nothing. */
  mode: string;
  /** Tokens of the prompt, as the endpoint reported them, else an upper estimate from the text. */
  input_tokens: number;
  /** Tokens of the reply, likewise. */
  output_tokens: number;
  /** Those of the prompt that the endpoint says it had kept from an earlier one. */
  cached_tokens?: number;
  /** Wall time. */
  seconds: number;
  /** When it ended, in seconds since 1970; 0 where that is not known. Calls overlap. */
  ended: number;
  /** One line when the call failed, else None. */
  error: string | null;
  /** The kind of that failure, where it is known. */
  fault?: "refused" | "denied" | "overflow" | "server" | "busy" | "loading" | "unreachable" | "late" | "deadline" | "malformed" | "empty" | "declined" | "incomplete" | "limit" | null;
}

/** What a task came to. */
export interface Outcome {
  /** `succeeded`; `empty`, searched but not found; `failed`, the tool did not work; `blocked`, something upstream has no value. */
  status: "succeeded" | "empty" | "failed" | "blocked";
  /** The typed value in its data form; None unless succeeded. */
  value: Json;
  /** The value's type. */
  type: "text" | "number" | "date" | "boolean" | "list[text]" | "list[number]" | "list[date]" | "list[boolean]" | "passages";
  /** Passages the value rests on, best first. */
  evidence_ids: Array<string>;
  /** The words that carry the value. */
  quotes: Array<Quote>;
  /** The tool that gave it, a substitute included. */
  tool: string;
  /** Tool calls made. */
  attempts: number;
  /** Wall time of the work, waiting for upstream excluded. */
  seconds: number;
  /** Who read the value out of the passages. */
  decided_by: "model" | "rule";
  /** 0 to 1, as the reader saw it. */
  confidence: number;
  /** Particulars of the value. */
  detail: Record<string, Json>;
  /** How the task came to it, or to none. */
  trace?: Record<string, Json>;
  /** What went wrong, unless succeeded. */
  failure: Failure | null;
  /** Something a reader should know, such as a list that was cut. */
  note: string;
  /** Independent sources that give the value; 0 where they were not counted. */
  support?: number;
  /** What other sources give instead. */
  rivals?: Array<Rival>;
  /** Whether its quotes state the value or imply it. */
  basis?: "stated" | "implied";
  /** What the task takes for granted and its sources deny, in one line; the value is then the correction, a text. Empty where nothing was denied. */
  premise?: string;
  /** What its value is made of, each with its passages: of an analysis, and of a `for_each` task whose items were told in a sentence each. */
  findings?: Array<Finding>;
}

/** A call of a tool that returned a passage as its own words, which the call is then context of. */
export interface PassageCall {
  /** The tool. */
  tool: string;
  /** What it was called with. */
  arguments: Record<string, Json>;
}

/** The interchange form of a plan. */
export interface PlanForm {
  /** 0 for the first plan, one more with each replanning. */
  revision: number;
  /** Who made the plan. */
  decided_by: "model" | "rule" | "memory";
  /** The tasks. */
  vertices: Array<TaskForm>;
  /** Pairs of task ids: the second builds on the first. */
  edges: Array<[string, string]>;
  /** Why it is this plan, as its planner said it. */
  thought?: string;
  /** Who would want to know what: what a deep search is to cover. */
  perspectives?: Array<string>;
  /** Title of the procedure of this house that it follows. */
  procedure?: string;
  /** Where it departs from that procedure. */
  departure?: string;
  /** What the question was expected to take when it was first planned; `usage` tells what it took. */
  expected?: Expectation | null;
}

/** Bibliographic particulars of a scholarly work; empty where they are not known. */
export interface Publication {
  /** Names as they are printed, in order. */
  authors: Array<string>;
  /** Journal, conference or repository. */
  venue: string;
  /** Its DOI, without an address before it. */
  doi: string;
}

/** One attribute of one subject of the question, and its outcome. */
export interface QuestionPart {
  /** The thing asked about, in the user's spelling; empty where none was made out. */
  subject?: string;
  /** What is asked of it: the noun of a known relation, else the question itself. */
  attribute: string;
  /** What became of it. */
  outcome: "answered" | "failed" | "not_found" | "not_asked" | "assumed";
  /** Positions of the claims that answer it, in the claims of the answer. */
  claims?: Array<number>;
  /** The tool or agent that failed; empty where none did. */
  component?: string;
  /** Why there is no answer, or what failed on the way, in one line; empty where there is nothing to tell. */
  cause?: string;
  /** How much the failure cost. */
  severity?: "" | "error" | "warning";
  /** Tools and queries that looked for it in vain, such as `corpus_search: height of the tower`. */
  where?: Array<string>;
  /** Who assumed the value: `person`, `model` or `rule`; empty of any other outcome. */
  by?: string;
}

/** Words that occur verbatim in a passage and carry a value. */
export interface Quote {
  /** The passage. */
  evidence_id: string;
  /** The words. */
  text: string;
}

/** A search made again since its sources had changed. */
export interface Refresh {
  /** When, ISO 8601 (UTC). */
  at: string;
  /** The values that changed. */
  changes: Array<ChangedValue>;
}

/** An answer and everything behind it. */
export interface Result {
  /** The question, as asked. */
  question: string;
  /** The question as it stands alone, where that differs. */
  standalone?: string;
  /** The language of the answer, as a tag such as de. */
  language: string;
  /** Whether every part is answered (`complete`), passages are shown (`extracts`), something is missing or not supported (`partial`), a model answered from its own knowledge (`unsourced`), or nothing came of it. */
  status: "complete" | "extracts" | "partial" | "unsourced" | "failed";
  /** `finished`, or why the answer is not complete. */
  stop_reason: string;
  /** The complexity that the master judged. */
  level: "simple" | "moderate" | "complex";
  /** The agents at work. */
  team: "writer_only" | "executor_inclusive" | "planner_enhanced";
  /** The answer, with citation marks such as [1]. */
  answer: string;
  /** Its citation marks, in order: other brackets in it are its sources' own. Version 0.1 wrote none. */
  marks: Array<Mark>;
  /** The numbered sources. */
  citations: Array<CitedSource>;
  /** The sentences, list items and table cells of the answer, checked against what they cite. */
  claims: Array<Claim>;
  /** What the user said holds for all their questions. */
  wishes?: Array<string>;
  /** What the answer begins with: an assertion, or a sentence of a source that says most of the question; passages, without a word on whether they answer; or a statement that the documents hold nothing on the subject. */
  lead: "answer" | "neutral" | "denial";
  /** The parts of the question, each with its outcome. */
  parts: Array<QuestionPart>;
  /** What the answer leaves open, and values it rests on that are no firm ground. */
  gaps: Array<Gap>;
  /** The plan in force; null where the writer answered alone. */
  plan: PlanForm | null;
  /** The outcome of each task, by task id. */
  outcomes: Record<string, Outcome>;
  /** The passages found. */
  evidence: Array<Evidence>;
  /** The looks back, in order. */
  reflections: Array<Review>;
  /** Calls, tokens, cost and time. */
  usage: Usage;
  /** The thread; empty where the run had none. */
  thread_id: string;
  /** The closest passages, shown where no model answers: the sources' own words. */
  extracts: Array<Extract>;
  /** How probable it is that the extracts hold the answer; where nothing is asserted. */
  confidence?: number | null;
  /** Mechanisms of the rules that assert something in the answer, such as `comparison:date`. */
  asserted: Array<string>;
  /** What a reader should know beside the answer, a line each; shown below its sources. */
  notices: Array<string>;
  /** The answer as a document: its blocks in order. */
  blocks: Array<Block>;
  /** Whether what is told was checked: false where a model was to judge it and did not, or a quick search asks none. */
  checked: boolean;
  /** The thread of an earlier answer to the same question that is given again. */
  from_thread?: string;
  /** When that was answered, ISO 8601 (UTC). */
  answered_at?: string;
  /** The refresh that brought this answer, and the values that changed by it. */
  refreshed?: Refresh | null;
  /** Files the answer was written to, absolute paths; where `--output` asked for any. */
  files?: Array<string>;
}

/** A look back of reflection. */
export interface Review {
  /** What it decided. */
  decision: "finish" | "retry" | "replan" | "deepen" | "abort";
  /** Why, in one line. */
  reason: string;
  /** A model or a rule. */
  decided_by: "model" | "rule";
}

/** A value that other sources give instead. */
export interface Rival {
  /** The value, of the outcome's type. */
  value: Json;
  /** Passages that give it, best first. */
  evidence_ids: Array<string>;
  /** The words that carry it. */
  quotes: Array<Quote>;
}

/** A vertex of the interchange form. */
export interface TaskForm {
  /** The tool. */
  tool_binding: string;
  /** Its arguments. */
  args: Record<string, Json>;
  /** Its name within the plan. */
  id: string;
  /** What is to be found out, as one question or instruction. */
  description: string;
  /** The type of its value. */
  ret: "text" | "number" | "date" | "boolean" | "list[text]" | "list[number]" | "list[date]" | "list[boolean]" | "passages";
  /** A reference to a list; the task runs once per item. */
  for_each?: string;
  /** Why the planner wants the task. */
  thought?: string;
  /** The task whose finding raised it, where one did. */
  parent?: string;
  /** Whether telling what it finds answers the question. */
  is_answer?: boolean;
  /** What is called if that fails. */
  alternative?: CallForm | null;
}

/** What a run has spent so far, no figure negative. Adding two usages sums them. */
export interface Usage {
  /** Chat model calls sent, each attempt counted; those that could not be sent are not. */
  model_calls: number;
  /** Prompt tokens. */
  input_tokens: number;
  /** Reply tokens. */
  output_tokens: number;
  /** US dollars, 0 where the price is unknown. */
  cost: number;
  /** Tool calls made. */
  tool_calls: number;
  /** Seconds of work; the time a killed run lay idle is not counted. */
  seconds: number;
  /** Every model call, in order of completion. */
  calls: Array<ModelCall>;
}
