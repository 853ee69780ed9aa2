// What travels between the server and the page: stream events (state/events.py) and the result (app/result.schema.json).

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Dict = Record<string, unknown>;

export type RowState = "waiting" | "running" | "succeeded" | "empty" | "failed" | "blocked" | "unknown";
export type Status = "complete" | "extracts" | "partial" | "unsourced" | "failed";
export type Verdict =
  | "quoted" | "computed" | "supported" | "matched" | "judgement" | "unchecked" | "unsupported" | "contradicted"
  | "uncited";

export interface Vertex {
  id: string;
  description: string;
  tool_binding: string;
  args: Record<string, Json>;
  ret: string;
  for_each?: string;
  thought?: string;
}

export interface Plan {
  revision: number;
  decided_by?: string;
  thought?: string;
  perspectives?: string[];
  procedure?: string;
  departure?: string;
  vertices: Vertex[];
  edges: [string, string][];
}

export interface Citation {
  n: number;
  source: string;
  title: string;
  quote: string;
  evidence_id: string;
  locator?: string;
  also?: string[];
}

export interface Claim {
  text: string;
  citations: number[];
  verdict: Verdict;
  reason?: string;
}

export interface Block {
  kind: "heading" | "paragraph" | "list" | "table" | "code" | "quote" | "rule";
  text: string;
  level?: number;
  language?: string;
  claims?: number[];
}

export interface Extract {
  n: number;
  source: string;
  title: string;
  text: string;
  highlights: [number, number][];
  score: number;
  evidence_id: string;
  locator: string;
}

export interface Gap {
  kind: "uncovered" | "failed" | "assumed" | "implied" | "doubted" | "disputed" | "inconsistent" | "unread" | "restricted" | "in_part" | "language";
  text: string;
  task_id?: string;
}

export interface Quote {
  evidence_id: string;
  text: string;
}

export interface Rival {
  value: Json;
  evidence_ids: string[];
  quotes: Quote[];
}

export interface Outcome {
  status: RowState;
  value: Json;
  type: string;
  evidence_ids: string[];
  quotes?: Quote[];
  tool: string;
  attempts: number;
  seconds: number;
  decided_by: string;
  confidence?: number;
  note?: string;
  failure?: { kind: string; message: string } | null;
  support?: number;
  rivals?: Rival[];
  basis?: string;
  premise?: string;
  detail?: Dict;
}

export interface Evidence {
  id: string;
  source: string;
  title: string;
  text: string;
  score: number;
  task_ids: string[];
  locator?: string;
  date?: string | null;
  tool?: string;
  also?: string[];
  superseded_by?: string;
  flags?: string[];
}

export interface Usage {
  model_calls: number;
  input_tokens: number;
  output_tokens: number;
  tool_calls: number;
  seconds: number;
  cost?: number;
  calls?: { role: string; purpose: string; model: string; error: string | null; fault?: string; seconds: number }[];
}

export interface Result {
  question: string;
  language: string;
  status: Status;
  stop_reason: string;
  level: string;
  team: string;
  answer: string;
  citations: Citation[];
  claims: Claim[];
  blocks?: Block[];
  extracts: Extract[];
  asserted?: string[];
  gaps?: Gap[];
  /** The parts of the question; none in threads of version 0.1. */
  parts?: { subject?: string; attribute: string; outcome: "answered" | "failed" | "not_found" | "not_asked" | "assumed" }[];
  plan: Plan | null;
  outcomes: Record<string, Outcome>;
  evidence: Evidence[];
  reflections: { decision: string; reason: string; decided_by: string }[];
  usage: Usage;
  thread_id: string;
  /** The thread of the earlier answer that is given again, and when it was found. */
  from_thread?: string;
  answered_at?: string;
  /** When its sources had changed and it was looked up again, and the values that changed. */
  refreshed?: { at: string; changes: { task: string; question: string; old: string; new: string; source: string }[] };
}

export interface Interrupt {
  id: string;
  value: Dict;
}

export interface Passage {
  n: number;
  title: string;
  source: string;
  url?: string;
  text: string;
  before?: string;
  after?: string;
  document?: "" | "gone" | "changed";
  quotes?: [number, number][];
  page?: number | string | null;
  lines?: string | null;
}

export interface ThreadRow {
  thread_id: string;
  created_at?: string;
  updated_at?: string;
  status?: string;
  metadata?: Dict;
  values?: Dict | null;
}

export interface Info {
  version: string;
  user?: string | null;
  language?: string;
  auth?: string;
  models?: Record<string, string>;
  web?: string | null;
  corpora?: string[];
  /** Whether there are documents beside the sample, named by the operator or added. */
  documents?: boolean;
  /** Titles of some of them. */
  titles?: string[];
  /** The corpora a question searches where it names none. */
  searches?: string[];
  limits?: Dict;
  max_upload?: number;
  formats?: string[];
  day?: Day;
  /** Whether earlier answers are given again. */
  answer_memory?: boolean;
}

/** What a user has spent on the day, and may; it ends at that moment. */
export interface Day {
  runs: number;
  tokens: number;
  cost: number;
  runs_per_day: number | null;
  tokens_per_day: number | null;
  cost_per_day: number | null;
  ends: string;
}

/** Words of a user that are to hold for all their questions. */
export interface Wish {
  text: string;
  /** Whether the question asks to remember them. */
  requested: boolean;
  /** Whether they are all it says. */
  alone: boolean;
  /** Its key, once it is kept. */
  key: string;
}
