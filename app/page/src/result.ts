// Generated from state/result.py by `make result-schema`. Do not edit.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A block of an answer, a Markdown document. */
export interface Block {
  /** The kind of block. */
  kind: "heading" | "paragraph" | "list" | "table" | "code" | "quote" | "rule";
  /** The block as Markdown. */
  text: string;
  /** Level of a heading, 1 to 6. 0 for any other block. */
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

/** A value changed between runs, as found by `weiwo refresh`. */
export interface ChangedValue {
  /** The task. */
  task: string;
  /** The question of the task. */
  question: string;
  /** The earlier value. Empty if there was none. */
  old: string;
  /** The value now. Empty if there is no value any more. */
  new: string;
  /** The first source of the new value. */
  source: string;
}

/** A numbered source of an answer. */
export interface Citation {
  /** Number of the source in the text, from 1. */
  n: number;
  /** URL or file. */
  source: string;
  /** Title. */
  title: string;
  /** The words that support the claim. */
  quote: string;
  /** Id of the passage. */
  evidence_id: string;
  /** Position within the source, such as "page 2" or "lines 3-7". Empty if the source needs no locator. */
  locator: string;
  /** Further URLs of the same text. */
  also?: Array<string>;
}

/** A sentence, list item or table cell of an answer, with the result of the check. */
export interface Claim {
  /** The sentence, without its citation marks. */
  text: string;
  /** Numbers of the cited sources. */
  citations: Array<number>;
  /** The result of the check. */
  verdict: "quoted" | "computed" | "supported" | "matched" | "judgement" | "unchecked" | "unsupported" | "contradicted" | "uncited";
  /** The words that failed, and why. For an unchecked claim, why nobody judged it. Else empty. */
  reason?: string;
}

/** A passage with its source. */
export interface Evidence {
  /** `passage_id` of the text. */
  id: string;
  /** The passage. */
  text: string;
  /** URL, or file path, that leads a reader to the passage. */
  source: string;
  /** Title of the page or document. */
  title: string;
  /** Position within the source, such as "lines 3-7" or "page 2". Empty if the source needs no locator. */
  locator: string;
  /** ISO date of publication, if known. */
  date: string | null;
  /** The tool that found the passage. */
  tool: string;
  /** The tasks that found the passage. */
  task_ids: Array<string>;
  /** Relevance by the tool's score. Higher is better, and scores are comparable only within one tool. */
  score: number;
  /** The tool's provider, such as a search engine. */
  provider?: string;
  /** The document search strategy that found the passage: `keyword`, `vector` or `hybrid`. Empty if none did. */
  strategy?: string;
  /** Further URLs of the same text. */
  also?: Array<string>;
  /** Warnings for readers, such as `instructions` if the text addresses the model. */
  flags?: Array<string>;
  /** Source of a newer version of the same document. Empty if none is known. */
  superseded_by?: string;
  /** The calls that have the passage as their whole reply. Empty for a search result, which has a source of its own. */
  calls?: Array<PassageCall>;
  /** SHA-256 of the bytes of the document as they were read. Empty for a passage of no indexed document. */
  document?: string;
  /** Authors, venue and DOI if the source is a scholarly work. */
  publication?: Publication | null;
}

/** Expected usage of a whole run of a plan, estimated from earlier tasks of the same kind. */
export interface Expectation {
  /** Tool calls. */
  tool_calls: number;
  /** Model calls. */
  model_calls: number;
  /** Tokens of the model calls, prompts and replies. */
  tokens: number;
  /** US dollars. 0 if prices are not known. */
  cost: number;
  /** Seconds. */
  seconds: number;
  /** Number of tasks left out because too little is known of them. */
  unknown: number;
}

/** A passage quoted unchanged from a source, with the best-matching sentences highlighted. */
export interface Extract {
  /** Number on the screen, from 1. */
  n: number;
  /** URL or file. */
  source: string;
  /** Title. */
  title: string;
  /** The passage, or a readable part of a long passage, with "…" at each cut. */
  text: string;
  /** The sentences that match best, as character offsets `(start, end)` into `text`, in order and without overlap. Empty if the passage needs no highlight. */
  highlights: Array<[number, number]>;
  /** Share of the question that the passage covers, 0 to 1. */
  score: number;
  /** The passage. */
  evidence_id: string;
  /** Position within the source, such as "page 2" or "lines 3-7". Empty if the source needs no locator. */
  locator: string;
  /** Heading path of the passage, outermost first, without the title. */
  headings?: Array<string>;
  /** Further known facts by name, as in `Evidence.context`. */
  context?: Record<string, string>;
}

/** The failure of a task. */
export interface Failure {
  /** The task. */
  task_id: string;
  /** The kind of failure, used by policies. */
  kind: "timeout" | "rate_limit" | "auth" | "not_found" | "bad_arguments" | "empty" | "blocked" | "refused" | "oversized" | "crash" | "limit" | "incomplete" | "inconsistent" | "slow";
  /** One line for people. */
  message: string;
  /** The cause as judged by the monitor from what was found. None if it did not judge. */
  cause?: "tool" | "query" | "source" | "plan" | null;
}

/** A finding of an analysis. */
export interface Finding {
  /** The finding, as a standalone statement. */
  text: string;
  /** The passages that support it. */
  evidence_ids: Array<string>;
}

/** An open point of an answer. */
export interface Gap {
  /** The kind of gap, as listed below. Any other kind says why a value is not reliable. */
  kind: "uncovered" | "failed" | "assumed" | "implied" | "doubted" | "disputed" | "inconsistent" | "unread" | "restricted" | "in_part" | "language";
  /** One line for people, in the language of the answer. */
  text: string;
  /** The task that produced the value. Empty for a part of the question. */
  task_id: string;
}

/** A citation mark in an answer. */
export interface Mark {
  /** The number of the source. */
  n: number;
  /** Offset of the start of the mark in the text of the answer, in characters. */
  start: number;
  /** Offset of the end of the mark. */
  end: number;
}

/** A chat model call, recorded for the trace. */
export interface ModelCall {
  /** The agent that asked: master, planner, executor, reflection or writer, or else the verifier. */
  role: "master" | "planner" | "executor" | "reflection" | "writer" | "verifier";
  /** The purpose: assess, plan, read, analyse, repair, decide, outline, draft, verify, rewrite. */
  purpose: string;
  /** The model's name as configured. */
  model: string;
  /** The way the reply was obtained: json_schema, function_call, json_text, repair or text. `not_sent` for a call that could not be made, which is in the trace but costs nothing. */
  mode: string;
  /** Tokens of the prompt, as reported by the endpoint, else an upper estimate from the text. */
  input_tokens: number;
  /** Tokens of the reply, likewise. */
  output_tokens: number;
  /** Prompt tokens that the endpoint reports as cached from an earlier prompt. */
  cached_tokens?: number;
  /** Wall time. */
  seconds: number;
  /** End time, in seconds since 1970. 0 if it is not known. Calls overlap. */
  ended: number;
  /** One line if the call failed, else None. */
  error: string | null;
  /** The kind of that failure, if it is known. */
  fault?: "refused" | "denied" | "overflow" | "server" | "busy" | "loading" | "unreachable" | "late" | "deadline" | "malformed" | "empty" | "declined" | "incomplete" | "limit" | null;
}

/** Outcome of a task. */
export interface Outcome {
  /** `succeeded`, `empty` (searched but not found), `failed` (the tool did not work) or `blocked` (an upstream task has no value). */
  status: "succeeded" | "empty" | "failed" | "blocked";
  /** The typed value in its data form. None unless succeeded. */
  value: Json;
  /** The value's type. */
  type: "text" | "number" | "date" | "boolean" | "list[text]" | "list[number]" | "list[date]" | "list[boolean]" | "passages";
  /** Passages that support the value, best first. */
  evidence_ids: Array<string>;
  /** The words that support the value. */
  quotes: Array<Quote>;
  /** The tool that gave the value, a substitute included. */
  tool: string;
  /** Tool calls made. */
  attempts: number;
  /** Wall time of the work, waiting for upstream excluded. */
  seconds: number;
  /** The reader of the value in the passages. */
  decided_by: "model" | "rule";
  /** 0 to 1, as judged by the reader. */
  confidence: number;
  /** Details of the value. */
  detail: Record<string, Json>;
  /** The trace of the task's work, with or without a value. */
  trace?: Record<string, Json>;
  /** The failure, unless succeeded. */
  failure: Failure | null;
  /** A note that a reader should know, such as a list that was cut. */
  note: string;
  /** Number of independent sources that give the value. 0 if they were not counted. */
  support?: number;
  /** Conflicting values from other sources. */
  rivals?: Array<Rival>;
  /** Whether the quotes state the value or imply it. */
  basis?: "stated" | "implied";
  /** An assumption of the task that its sources deny, in one line. The value is then the correction, a text. Empty if nothing was denied. */
  premise?: string;
  /** The findings that make up the value, each with its passages: for an analysis, and for a `for_each` task with items reported in a sentence each. */
  findings?: Array<Finding>;
}

/** A tool call with a passage as the whole reply. */
export interface PassageCall {
  /** The tool. */
  tool: string;
  /** The arguments of the call. */
  arguments: Record<string, Json>;
}

/** The interchange form of a plan. */
export interface PlanForm {
  /** 0 for the first plan, one more with each replanning. */
  revision: number;
  /** The author of the plan: a model, a rule, or memory. */
  decided_by: "model" | "rule" | "memory";
  /** The tasks. */
  vertices: Array<TaskForm>;
  /** Pairs of task ids. The second task depends on the first. */
  edges: Array<[string, string]>;
  /** The planner's reason for the plan. */
  thought?: string;
  /** Points of view that a deep search covers: who would ask what, one line each. */
  perspectives?: Array<string>;
  /** Title of the user's procedure that the plan follows. */
  procedure?: string;
  /** Deviation of the plan from that procedure. */
  departure?: string;
  /** Expected usage of the whole question when it was first planned. `usage` has the actual usage. */
  expected?: Expectation | null;
}

/** Bibliographic data of a scholarly work. Unknown fields are empty. */
export interface Publication {
  /** Names as printed, in order. */
  authors: Array<string>;
  /** Journal, conference or repository. */
  venue: string;
  /** The DOI, without a URL before it. */
  doi: string;
}

/** A part of the question: an attribute of a subject, with an outcome. */
export interface QuestionPart {
  /** The thing asked about, in the user's spelling. Empty if none was recognised. */
  subject?: string;
  /** The attribute asked for: the noun of a known relation, else the question itself. */
  attribute: string;
  /** The outcome of the part. */
  outcome: "answered" | "failed" | "not_found" | "not_asked" | "assumed";
  /** Positions of the claims that answer it, in the claims of the answer. */
  claims?: Array<number>;
  /** The tool or agent that failed. Empty if none did. */
  component?: string;
  /** The reason for a missing answer, or a failure on the way, in one line. Empty if there is nothing to report. */
  cause?: string;
  /** Whether the failure left the part without an answer (`error`) or not (`warning`). Empty without one. */
  severity?: "" | "error" | "warning";
  /** Tools and queries that searched for it in vain, such as `corpus_search: height of the tower`. */
  where?: Array<string>;
  /** The origin of an assumed value: `person`, `model` or `rule`. Empty for any other outcome. */
  by?: string;
}

/** A verbatim quote from a passage, supporting a value. */
export interface Quote {
  /** The passage. */
  evidence_id: string;
  /** The words. */
  text: string;
}

/** A search repeated because the sources had changed. */
export interface Refresh {
  /** Time of the refresh, ISO 8601 (UTC). */
  at: string;
  /** The values that changed. */
  changes: Array<ChangedValue>;
}

/** An answer with everything behind it. */
export interface Result {
  /** The question, as asked. */
  question: string;
  /** The standalone question, if it differs. */
  standalone?: string;
  /** The language of the answer, as a tag such as de. */
  language: string;
  /** Whether every part is answered (`complete`), passages are shown (`extracts`), something is missing or not supported (`partial`), a model answered from its own knowledge (`unsourced`), or there is no answer (`failed`). */
  status: "complete" | "extracts" | "partial" | "unsourced" | "failed";
  /** `finished`, or the reason for an incomplete answer. */
  stop_reason: string;
  /** The complexity that the master judged. */
  level: "simple" | "moderate" | "complex";
  /** The team of agents configured for the question. */
  team: "writer_only" | "executor_inclusive" | "planner_enhanced";
  /** The answer, with citation marks such as [1]. */
  answer: string;
  /** The citation marks, in order. Other brackets in the answer belong to its sources. Version 0.1 wrote none. */
  marks: Array<Mark>;
  /** The numbered sources. */
  citations: Array<Citation>;
  /** The sentences, list items and table cells of the answer, checked against what they cite. */
  claims: Array<Claim>;
  /** The user's statements that hold for all their questions. */
  wishes?: Array<string>;
  /** The opening of the answer: an assertion, or a sentence of a source that says most of the question, or passages without a word on whether they answer, or a statement that the documents hold nothing on the subject. */
  lead: "answer" | "neutral" | "denial";
  /** The parts of the question, each with its outcome. */
  parts: Array<QuestionPart>;
  /** The open points of the answer, and unreliable values that it is based on. */
  gaps: Array<Gap>;
  /** The plan in force. Null if the writer answered alone. */
  plan: PlanForm | null;
  /** The outcome of each task, by task id. */
  outcomes: Record<string, Outcome>;
  /** The passages found. */
  evidence: Array<Evidence>;
  /** The reflections, in order. */
  reflections: Array<Review>;
  /** Calls, tokens, cost and time. */
  usage: Usage;
  /** The thread. Empty if the run had none. */
  thread_id: string;
  /** The closest passages, shown if no model answers: the sources' own words. */
  extracts: Array<Extract>;
  /** Probability that the extracts hold the answer, if nothing is asserted. */
  confidence?: number | null;
  /** Mechanisms of the rules that assert something in the answer, such as `comparison:date`. */
  asserted: Array<string>;
  /** Notes for the reader beside the answer, a line each, shown below its sources. */
  notices: Array<string>;
  /** The answer as a document: its blocks in order. */
  blocks: Array<Block>;
  /** Whether the answer was checked. False if a model was to judge it and did not, or if a quick search asks no model. */
  checked: boolean;
  /** The thread of an earlier answer to the same question, if that answer is given again. */
  from_thread?: string;
  /** Time of that earlier answer, ISO 8601 (UTC). */
  answered_at?: string;
  /** The refresh that brought this answer, and the values that changed by it. */
  refreshed?: Refresh | null;
  /** Files the answer was written to, as absolute paths, if `--output` asked for any. */
  files?: Array<string>;
}

/** A decision of reflection, which reviews the tasks during a run. */
export interface Review {
  /** The next step of the run. */
  decision: "finish" | "retry" | "replan" | "deepen" | "abort";
  /** The reason, in one line. */
  reason: string;
  /** A model or a rule. */
  decided_by: "model" | "rule";
}

/** A conflicting value from other sources. */
export interface Rival {
  /** The value, of the outcome's type. */
  value: Json;
  /** Passages that give the value, best first. */
  evidence_ids: Array<string>;
  /** The words that support the value. */
  quotes: Array<Quote>;
}

/** A vertex of the interchange form. */
export interface TaskForm {
  /** The tool. */
  tool_binding: string;
  /** Its arguments. */
  args: Record<string, Json>;
  /** Name of the task within the plan. */
  id: string;
  /** The information to find, as one question or instruction. */
  description: string;
  /** The type of the value. */
  ret: "text" | "number" | "date" | "boolean" | "list[text]" | "list[number]" | "list[date]" | "list[boolean]" | "passages";
  /** A reference to a list. The task runs once per item. */
  for_each?: string;
  /** The planner's reason for the task. */
  thought?: string;
  /** The task whose result gave rise to this task. Empty if the question itself did. */
  parent?: string;
  /** Whether the value of the task answers the question as it is. */
  is_answer?: boolean;
  /** The call made if the task gives no value. */
  alternative?: CallForm | null;
}

/** Resources spent by a run so far, without negative figures. */
export interface Usage {
  /** Chat model calls sent, counting each attempt. Calls that could not be sent are not counted. */
  model_calls: number;
  /** Prompt tokens. */
  input_tokens: number;
  /** Reply tokens. */
  output_tokens: number;
  /** US dollars, 0 if the price is unknown. */
  cost: number;
  /** Tool calls made. */
  tool_calls: number;
  /** Seconds of work. The time that a killed run lay idle is not counted. */
  seconds: number;
  /** Every model call, in order of completion. */
  calls: Array<ModelCall>;
}
