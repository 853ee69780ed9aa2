// What travels between the server and the page: the result (generated, see result.ts), stream events (state/events.py)
// and the server's own objects.

import type { Claim, Result } from "./result";

export type {
  Block, Citation, Claim, Evidence, Extract, Gap, Json, Outcome, PlanForm as Plan, Quote, Result, Rival,
  TaskForm as Vertex, Usage,
} from "./result";

export type Dict = Record<string, unknown>;
export type RowState = "waiting" | "running" | "succeeded" | "empty" | "failed" | "blocked" | "unknown";
export type Status = Result["status"];
export type Verdict = Claim["verdict"];

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
  /** Whether a question may name another model than the one that is set up. */
  chooses_model?: boolean;
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
