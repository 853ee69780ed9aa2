// A plan while a person edits it: checked as they type. The server checks again, and knows more.
import type { Json, Plan, Vertex } from "./types";
import { messageOf } from "./words";

export interface TaskDraft {
  id: string;
  description: string;
  tool: string;
  /** Its arguments as JSON text. */
  args: string;
  ret: string;
  /** Tasks it waits for although nothing of it refers to them. */
  after: string[];
  rest: Partial<Vertex>;
}

const REFERENCE = /\{\{\s*([^{}.\s]{1,200})\.ret\s*\}\}/g;

export function draftOf(plan: Plan): TaskDraft[] {
  return plan.vertices.map(({ id, description, tool_binding, args, ret, ...rest }) => {
    const draft = { id, description, tool: tool_binding, args: JSON.stringify(args, null, 1).replace(/\n\s*/g, " "), ret, after: [], rest };
    const referred = referredBy(draft);
    return { ...draft, after: plan.edges.filter(([from, to]) => to === id && !referred.has(from)).map(([from]) => from) };
  });
}

/** The tasks that a task's description, arguments or items refer to. */
export function referredBy(one: TaskDraft): ReadonlySet<string> {
  return new Set(references([one.description, one.args, one.rest.for_each ?? ""].join(" ")));
}

/** What is wrong, by field: a word of the page, and after a NUL its value. The plan where nothing is. */
export function checkPlan(drafts: TaskDraft[]): { problems: Map<string, string>; edited: Plan | null } {
  const problems = new Map<string, string>();
  const ids = new Set(drafts.map((one) => one.id));
  const vertices: Vertex[] = [];
  const edges: [string, string][] = [];
  if (!drafts.length) problems.set("plan", "noTasks");
  for (const one of drafts) {
    if (!one.description.trim()) problems.set(`${one.id}.description`, "noDescription");
    const args = readArgs(one, problems);
    const referred = referredBy(one);
    for (const source of referred) if (!ids.has(source)) problems.set(`${one.id}.args`, `unknownReference\u0000${source}`);
    for (const source of new Set([...referred, ...one.after])) if (ids.has(source)) edges.push([source, one.id]);
    vertices.push({ ...one.rest, id: one.id, description: one.description.trim(), tool_binding: one.tool, args, ret: one.ret as Vertex["ret"] });
  }
  if (!problems.size && circular([...ids], edges)) problems.set("plan", "circle");
  return { problems, edited: problems.size ? null : { revision: 0, decided_by: "rule", vertices, edges } };
}

function readArgs(one: TaskDraft, problems: Map<string, string>): Record<string, Json> {
  try {
    const value = JSON.parse(one.args) as Json;
    if (value && typeof value === "object" && !Array.isArray(value)) return value;
    problems.set(`${one.id}.args`, "notObject");
  } catch (error) {
    problems.set(`${one.id}.args`, `notJson\u0000${messageOf(error)}`);
  }
  return {};
}

export function references(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map((match) => match[1] as string);
}

function circular(ids: string[], edges: [string, string][]): boolean {
  const left = new Set(ids);
  for (;;) {
    const free = [...left].filter((id) => !edges.some(([from, to]) => to === id && left.has(from)));
    if (!free.length) return left.size > 0;
    for (const id of free) left.delete(id);
  }
}

/** The edited plan in the form a run is resumed with. */
export function planOf(edited: Plan, original: Plan): Plan {
  return { ...original, vertices: edited.vertices, edges: edited.edges };
}
