// What the events of a run add up to: the plan and how far each of its tasks is. Read leniently: another version may
// have sent them.
import type { Dict, Json, Plan, Result, RowState, Usage } from "./types";

/** A call of a tool that a task made. */
export interface Call {
  turn: number;
  tool: string;
  args: Record<string, Json>;
  cached: boolean;
}

/** One task, or one instance of a `for_each` task. */
export interface Row {
  id: string;
  description: string;
  plannedTool: string;
  state: RowState;
  tool: string;
  value: string;
  reason: string;
  /** The kind of failure that the reason is of. */
  failure: string;
  notes: string[];
  attempts: number;
  seconds: number;
  /** Milliseconds on the watcher's clock; 0 where it was not watched. */
  began: number;
  ended: number;
  decidedBy: string;
  forEach: boolean;
  args: Record<string, Json>;
  ret: string;
  upstream: string[];
  thought: string;
  cached: boolean;
  calls: Call[];
  instances: Row[];
}

export interface Remark {
  kind: string;
  text: string;
}

export type Phase = "thinking" | "planning" | "working" | "reviewing" | "extending" | "writing" | "done";

/** A run so far. Rows are replaced, never changed, so that a view can compare those of two runs. */
export interface Run {
  assessed: Dict;
  rows: Map<string, Row>;
  plan: Plan | null;
  revisions: Plan[];
  remarks: Remark[];
  answer: string;
  /** Of a report: its sections, with the text of those that are written. */
  sections: { title: string; text: string }[];
  writing: boolean;
  extending: boolean;
  finished: boolean;
  thought: string;
  calls: number;
  tokens: number;
  began: number;
}

const ENDED: ReadonlySet<string> = new Set(["succeeded", "empty", "failed", "blocked"]);
const INSTANCE = /^(.*)\[(\d{1,6})\]$/s;
/** What a chain of look-ups found on its way is told as a task of its own: `task_1.2`. */
const HOP = /^(.*)\.(\d{1,6})$/s;
const REFERENCE = /\{\{\s*([^{}.\s]{1,200})(\.ret)?\s*\}\}/g;

export function newRun(now: number): Run {
  return {
    assessed: {}, rows: new Map(), plan: null, revisions: [], remarks: [], answer: "", sections: [], writing: false,
    extending: false, finished: false, thought: "", calls: 0, tokens: 0, began: now,
  };
}

function newRow(id: string): Row {
  return {
    id, description: "", plannedTool: "", state: "waiting", tool: "", value: "", reason: "", failure: "", notes: [], attempts: 0,
    seconds: 0, began: 0, ended: 0, decidedBy: "", forEach: false, args: {}, ret: "", upstream: [], thought: "",
    cached: false, calls: [], instances: [],
  };
}

const text = (value: unknown): string => (typeof value === "string" ? value : value == null ? "" : String(value));
const number = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

/** What is being done now. */
export function phase(run: Run): Phase {
  if (run.finished) return "done";
  if (run.writing) return "writing";
  if (run.rows.size === 0) {
    const level = run.assessed["level"];
    return level === "complex" ? "planning" : level ? "working" : "thinking";
  }
  if (run.extending) return "extending";
  return [...run.rows.values()].every((row) => ENDED.has(row.state)) ? "reviewing" : "working";
}

/** A text of the plan, references to tasks replaced by their values where these are known. */
export function fill(run: Run, template: string): string {
  return template.replace(REFERENCE, (whole, id: string, ret: string | undefined) => {
    const row = run.rows.get(id);
    if (!ret) return id === "item" ? "‹…›" : whole;
    if (!row || row.state !== "succeeded" || !row.value) return `‹${id}›`;
    return row.value.length <= 40 ? row.value : `${row.value.slice(0, 39)}…`;
  });
}

/** The run after one more event, which replaces rows in the map of the run it is given. */
export function apply(run: Run, event: Dict, now: number): Run {
  switch (event["type"]) {
    case "assessed":
      return { ...run, assessed: event };
    case "planned": {
      const next = planned(run, (event["plan"] ?? {}) as Plan);
      return event["note"] ? remark(next, "planned", text(event["note"])) : next;
    }
    case "model_called":
      return {
        ...run,
        calls: run.calls + 1,
        tokens: run.tokens + number(event["input_tokens"]) + number(event["output_tokens"]),
      };
    case "task_started":
    case "task_progress":
      return working(run, event, now);
    case "task_finished":
      return finished(run, event, now);
    case "reflected": {
      const decision = text(event["decision"]);
      const next = { ...run, extending: ["retry", "replan", "deepen"].includes(decision) };
      return decision === "finish" ? next : remark(next, decision, text(event["reason"]));
    }
    case "answer_started":
      return { ...run, writing: true, answer: "", sections: [] };
    case "outlined": {
      const titles = Array.isArray(event["sections"]) ? event["sections"] : [];
      const next = { ...run, sections: titles.slice(0, 200).map((title) => ({ title: text(title), text: "" })) };
      return event["note"] ? remark(next, "note", text(event["note"])) : next;
    }
    case "section_finished": {
      const at = number(event["number"]) - 1;
      return { ...run, sections: run.sections.map((one, n) => (n === at ? { ...one, text: text(event["text"]) } : one)) };
    }
    case "finished":
      return { ...run, finished: true };
    default:
      return run;
  }
}

function remark(run: Run, kind: string, said: string): Run {
  if (run.remarks.some((one) => one.kind === kind && one.text === said)) return run;
  return { ...run, remarks: [...run.remarks, { kind, text: said }] };
}

function planned(run: Run, plan: Plan): Run {
  const upstream = new Map<string, string[]>();
  for (const [from, to] of plan.edges ?? []) upstream.set(to, [...(upstream.get(to) ?? []), from]);
  const rows = new Map<string, Row>();
  for (const vertex of plan.vertices ?? []) {
    const old = run.rows.get(vertex.id);
    const kept = old && (old.description === "" || old.description === vertex.description) ? old : newRow(vertex.id);
    rows.set(vertex.id, {
      ...kept,
      description: vertex.description || vertex.id,
      plannedTool: vertex.tool_binding ?? "",
      forEach: Boolean(vertex.for_each),
      args: vertex.args ?? {},
      ret: vertex.ret ?? "",
      upstream: [...new Set(upstream.get(vertex.id) ?? [])],
      thought: vertex.thought ?? "",
    });
  }
  const earlier = run.plan && run.plan.revision !== plan.revision ? [...run.revisions, run.plan] : run.revisions;
  return { ...run, plan, rows, extending: false, thought: plan.thought ?? "", revisions: earlier };
}

/** Puts a row, or an instance into its parent's row. */
function change(run: Run, id: string, with_: (row: Row) => Row, parent: (row: Row) => Row = (row) => row): Run {
  const { rows } = run;
  const hop = HOP.exec(id);
  const match = rows.has(id) ? null : (INSTANCE.exec(id) ?? hop);
  const above = match ? rows.get(match[1] ?? "") : undefined;
  if (match && above) {
    const position = Number(match[2]) - 1;
    const instances = [...above.instances];
    for (let at = instances.length; at <= Math.min(position, 9999); at += 1) {
      instances.push({ ...newRow(match === hop ? `${above.id}.${at + 1}` : `${above.id}[${at + 1}]`), plannedTool: above.plannedTool });
    }
    const mine = instances[position];
    if (mine) instances[position] = with_(mine);
    rows.set(above.id, parent({ ...above, forEach: above.forEach || match !== hop, instances }));
  } else {
    rows.set(id, with_(rows.get(id) ?? newRow(id)));
  }
  return run;
}

function start(row: Row, now: number): Row {
  return row.state === "running"
    ? row
    : { ...row, state: "running", began: now, ended: 0, value: "", reason: "", notes: [], calls: [], attempts: 0 };
}

function working(run: Run, event: Dict, now: number): Run {
  const id = text(event["task_id"]);
  const note = text(event["note"]);
  if (id === "" || id === "plan" || id === "tools") return note ? remark(run, "note", note) : run;
  const calls = event["type"] === "task_started" || "turn" in event;
  const args = (event["args"] ?? {}) as Record<string, Json>;
  const next = change(
    run,
    id,
    (row) => {
      const at = calls ? start(row, now) : row;
      const turn = number(event["turn"]) || at.calls.length + 1;
      const tool = text(event["tool"]) || at.tool || at.plannedTool;
      const call = { turn, tool, args, cached: event["cached"] === true };
      return {
        ...at,
        description: at.description || text(event["description"]),
        ...(event["item"] != null ? { description: shown(event["item"] as Json) } : {}),
        tool,
        cached: at.cached || call.cached,
        attempts: calls ? Math.max(at.attempts, turn) : at.attempts,
        calls: calls ? [...at.calls, call] : at.calls,
        notes: note && !at.notes.includes(note) ? [...at.notes, note] : at.notes,
      };
    },
    (row) => (row.state === "running" ? row : { ...row, state: "running", began: now, ended: 0, value: "" }),
  );
  return { ...next, extending: event["type"] === "task_started" ? false : next.extending };
}

function finished(run: Run, event: Dict, now: number): Run {
  const status = text(event["status"]);
  return change(run, text(event["task_id"]), (row) => {
    const note = text(event["note"]);
    return {
      ...row,
      state: (ENDED.has(status) ? status : "unknown") as RowState,
      value: text(event["value"]),
      reason: text(event["failure"]),
      failure: text(event["failure_kind"]),
      notes: note && !row.notes.includes(note) ? [...row.notes, note] : row.notes,
      tool: text(event["tool"]) || row.tool,
      attempts: number(event["attempts"]),
      seconds: number(event["seconds"]),
      ended: row.began ? now : 0,
      decidedBy: text(event["decided_by"]),
      cached: row.cached || event["cached"] === true,
      instances: row.instances.map((one) => (one.state === "running" ? { ...one, state: "unknown" as const } : one)),
    };
  });
}

/** The run where nothing works on it any more: what was under way waits until somebody goes on with it. */
export function halted(run: Run): Run {
  const still = (row: Row): Row => (row.state === "running" ? { ...row, state: "waiting", instances: row.instances.map(still) } : row);
  return { ...run, rows: new Map([...run.rows].map(([id, row]) => [id, still(row)])) };
}

/** A value of a task, for people. */
export function shown(value: Json): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(shown).join(", ");
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

/** The run of a thread that nobody watched: as far as its result tells. */
export function runOf(result: Partial<Result> & Dict, now: number): Run {
  let run = newRun(now);
  if (result.level) {
    const { level, team, language, question } = result;
    run = apply(run, { type: "assessed", level, team, language, question }, now);
  }
  for (const earlier of (result["revisions"] as { plan?: Plan }[] | undefined) ?? []) {
    if (earlier?.plan?.vertices) run = apply(run, { type: "planned", plan: earlier.plan }, now);
  }
  if (result.plan) run = apply(run, { type: "planned", plan: result.plan }, now);
  for (const [id, outcome] of Object.entries(result.outcomes ?? {})) {
    run = apply(
      run,
      {
        type: "task_finished", task_id: id, status: outcome.status, value: valueOf(outcome.value, outcome.type, result.language),
        tool: outcome.tool, attempts: outcome.attempts, seconds: outcome.seconds, decided_by: outcome.decided_by,
        failure: outcome.failure?.message ?? "", failure_kind: outcome.failure?.kind ?? "", note: outcome.note ?? "", cached: outcome.detail?.["cached"] === true,
      },
      now,
    );
  }
  for (const past of result.reflections ?? []) run = apply(run, { type: "reflected", ...past }, now);
  const usage = result.usage;
  const done = Boolean(result.answer !== undefined && result.status);
  return {
    ...run,
    extending: false,
    calls: usage?.model_calls ?? 0,
    tokens: (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0),
    finished: done,
    writing: done,
  };
}

const NO_USAGE: Usage = { model_calls: 0, input_tokens: 0, output_tokens: 0, tool_calls: 0, seconds: 0, cost: 0, calls: [] };
const NO_RESULT: Omit<Result, "question" | "marks"> = {
  language: "en", status: "partial", stop_reason: "finished", level: "simple", team: "writer_only", answer: "", citations: [], claims: [], extracts: [],
  lead: "neutral", notices: [], parts: [], gaps: [], asserted: [], blocks: [], checked: true, plan: null, outcomes: {}, evidence: [], reflections: [], usage: NO_USAGE, thread_id: "",
};

/** A result with every part that the page draws: that of another version may lack some. Without marks, its text is read for them. */
export function wholeResult(told: Partial<Result> & Dict): Result {
  const given = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== null && value !== undefined));
  return { question: "", ...NO_RESULT, ...given } as Result;
}

const MONTHS = "January February March April May June July August September October November December".split(" ");

/** A typed value in data form, for people: years before our era are negative there. */
export function valueOf(value: Json, type: string, language = "en"): string {
  if (Array.isArray(value)) return value.map((one) => valueOf(one, type.replace(/^list\[|\]$/g, ""), language)).join(", ");
  const date = type === "date" && typeof value === "string" ? /^(-?)(\d{1,6})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(value) : null;
  if (!date) return shown(value);
  const [year, month, day] = date.slice(2).map(Number) as [number, number, number];
  if (language === "zh") return `${date[1] ? "公元前" : ""}${year}年${month ? `${month}月` : ""}${day ? `${day}日` : ""}`;
  return [day || "", MONTHS[month - 1] ?? "", year, date[1] ? "BC" : ""].filter(Boolean).join(" ");
}
