// What the page does: asks, follows, opens threads, answers what waits for a person.
import { ApiError, decoded, get, post, request } from "./api";
import { follow } from "./follow";
import { apply, halted, newRun, runOf, wholeResult, type Run } from "./progress";
import { read, update, updateTurn, type Turn, type TurnState, type View } from "./store";
import type { Dict, Interrupt, Json, Result } from "./types";
import { withoutSources } from "./markdown";
import { loadThreads, remove } from "./threads";
import { findWish } from "./wishes";
import { inOwnWords, messageOf, moment, phrase, say as word } from "./words";

const STREAM_MODE = ["custom", "messages-tuple", "values"];
let lastKey = 0;
let following: AbortController | null = null;
let frame = 0;
const pending = new Map<number, Run>();

export interface Options {
  depth: string;
  form: string;
  /** The language of the answer; empty for that of the question. */
  language: string;
  /** The model that answers, as provider:model; empty for the one that is set up. */
  model: string;
  approve: boolean;
  web: boolean;
  /** The corpora to search; null for those that are searched where none is chosen. */
  corpus: string[] | null;
  /** Whether an earlier answer will not do. */
  anew?: boolean;
}

const now = (): number => performance.now();

function say(error: unknown): string {
  if (error instanceof ApiError && error.status === 429 && error.retryAfter) {
    const { language } = read();
    return word(language, "budgetSpent", moment(new Date(Date.now() + error.retryAfter * 1000), language));
  }
  return messageOf(error);
}
const stopped = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";

function newTurn(question: string, state: TurnState): Turn {
  lastKey += 1;
  return {
    key: lastKey, question, state, run: newRun(now()), runId: null, result: null, interrupts: [], error: "",
    message: "", cancelling: false, before: null, moment: null, wish: null,
  };
}

// Events change a run at once and the screen once a frame.

/** The run that events change: apart from the one that is drawn. */
function runNow(key: number): Run | undefined {
  const run = pending.get(key);
  if (run) return run;
  const drawn = read().turns.find((turn) => turn.key === key)?.run;
  return drawn && { ...drawn, rows: new Map(drawn.rows) };
}

function put(key: number, run: Run): void {
  pending.set(key, run);
  if (!frame) {
    const flush = (): void => settle();
    frame = document.hidden ? window.setTimeout(flush, 50) : requestAnimationFrame(flush);
  }
}

function settle(): void {
  frame = 0;
  if (!pending.size) return;
  const runs = new Map(pending);
  pending.clear();
  update((state) => ({
    turns: state.turns.map((turn) => (runs.has(turn.key) ? { ...turn, run: runs.get(turn.key) as Run } : turn)),
  }));
}

/**
 * Follows a run and says how the turn ended; a turn whose run the server refuses to begin stays as it was `before`.
 *
 * @returns Whether it was refused.
 */
async function watch(key: number, threadId: string, body: unknown, runId: string | null, before?: Turn): Promise<boolean> {
  following?.abort();
  const control = new AbortController();
  following = control;
  let last: Dict = {};
  let failure = "";
  let refused = false;
  try {
    await follow(
      threadId,
      body,
      runId,
      {
        event(name, data) {
          const run = runNow(key);
          if (!run) return;
          if (name === "custom" && data && typeof data === "object") put(key, apply(run, data as Dict, now()));
          else if (name === "restart") put(key, newRun(run.began));
          else if (name === "messages") token(key, run, data);
          else if (name === "values") last = (data ?? {}) as Dict;
          else if (name === "error") failure = failureOf(data);
        },
        run: (id) => updateTurn(key, { runId: id }),
        line: (line) => update({ line }),
      },
      control.signal,
    );
    settle();
    await ended(key, threadId, last, failure);
  } catch (error) {
    settle();
    if (stopped(error)) return false;
    refused = error instanceof ApiError && error.status > 0 && !read().turns.find((one) => one.key === key && one.runId !== before?.runId);
    const kept = refused && before?.state === "waiting" ? before : { state: "error" as const };
    updateTurn(key, ({ run }) => ({ run: halted(run), ...kept, error: say(error), cancelling: false }));
  } finally {
    if (following === control) following = null;
    if (!control.signal.aborted) update({ line: "open" });
  }
  void loadThreads();
  return refused;
}

function failureOf(data: unknown): string {
  const told = (data ?? {}) as { message?: unknown; error?: unknown; detail?: unknown };
  const { language } = read();
  return inOwnWords(language, String(told.message ?? told.detail ?? told.error ?? data), phrase(language, `error_${told.error}`));
}

function token(key: number, run: Run, data: unknown): void {
  const [message, metadata] = (Array.isArray(data) ? data : []) as [Dict?, Dict?];
  if (message?.["type"] !== "AIMessageChunk" || metadata?.["langgraph_node"] !== "writer") return;
  const content = message["content"];
  const piece = Array.isArray(content)
    ? content.map((part: Dict) => String(part["text"] ?? "")).join("")
    : String(content ?? "");
  if (piece) put(key, { ...run, writing: true, answer: run.answer + piece });
}

async function ended(key: number, threadId: string, last: Dict, failure: string): Promise<void> {
  const turn = read().turns.find((one) => one.key === key);
  if (!turn) return;
  const asked = interruptsOf(last["__interrupt__"]);
  const result = last["result"] as Result | null | undefined;
  if (asked.length) updateTurn(key, { state: "waiting", interrupts: asked, cancelling: false });
  else if (result && turn.run.finished && !failure) finish(key, { ...result, thread_id: threadId });
  else if (failure && !turn.cancelling) updateTurn(key, { state: "error", error: failure, run: halted(turn.run) });
  else await refresh(key, threadId, turn.cancelling);
}

function finish(key: number, result: Result): void {
  result = wholeResult({ ...result });
  const drawn = (run: Run): Run => (run.rows.size || !result.plan ? run : runOf(result as Result & Dict, now()));
  updateTurn(key, (turn) => ({ run: drawn(turn.run) }));
  updateTurn(key, { state: "done", result, interrupts: [], cancelling: false, error: "" });
}

/** Asks the server how a turn stands: its stream was cut off, or nobody watched it. */
async function refresh(key: number, threadId: string, cancelled: boolean): Promise<void> {
  const shown = await show(threadId);
  const turn = read().turns.find((one) => one.key === key);
  if (!turn) return;
  const interrupts = interruptsOf(shown["interrupts"]);
  const rest: Partial<Turn> = { cancelling: false, run: turn.run.rows.size ? halted(turn.run) : recalled(shown) };
  if (interrupts.length) updateTurn(key, { ...rest, state: "waiting", interrupts });
  else if (shown.answer !== undefined && shown.question === turn.question) {
    updateTurn(key, rest);
    finish(key, shown as Result);
  } else updateTurn(key, { ...rest, state: cancelled ? "cancelled" : "interrupted" });
}

function interruptsOf(value: unknown): Interrupt[] {
  if (!Array.isArray(value)) return [];
  return value.map((one: { id?: unknown; interrupt_id?: unknown; value?: unknown }, at) => ({
    id: String(one.id ?? one.interrupt_id ?? at),
    value: (one.value && typeof one.value === "object" ? one.value : { description: String(one.value ?? "") }) as Dict,
  }));
}

interface Snapshot {
  values?: Dict;
}

const path = (threadId: string): string => `/threads/${encodeURIComponent(threadId)}`;
/** A thread as `weiwo show --json` prints it: its result, or what it waits for. */
const show = (threadId: string): Promise<Partial<Result> & Dict> => get(`/weiwo${path(threadId)}`);
const stateOf = (threadId: string): Promise<Snapshot | null> => get<Snapshot>(`${path(threadId)}/state`).catch(() => null);

/** Asks a question, in the open thread or on a new one. */
export async function ask(question: string, options: Options): Promise<void> {
  const key = begin(question);
  const follows = Boolean(read().threadId);
  try {
    const wish = await findWish(question);
    updateTurn(key, { wish });
    if (wish?.requested && wish.alone) return updateTurn(key, { state: "done" });
    let { threadId } = read();
    if (!threadId) {
      threadId = (await post<{ thread_id: string }>("/threads", { metadata: { question: question.slice(0, 200) } })).thread_id;
      update({ threadId });
      history.pushState(null, "", `#/t/${encodeURIComponent(threadId)}`);
      void loadThreads();
    }
    const refused = await watch(key, threadId, body({ input: { question } }, options), null);
    if (refused && !follows && read().threadId === threadId) {
      update({ threadId: null }); // nothing was asked on it
      history.replaceState(null, "", "#/");
      await remove(threadId);
    }
  } catch (error) {
    updateTurn(key, { state: "error", error: say(error) });
  }
}

function begin(question: string): number {
  const turn = newTurn(question, "running");
  update((state) => ({ turns: [...state.turns, turn], panel: null, lit: null, missing: "" }));
  return turn.key;
}

function body(more: Dict, options?: Options): Dict {
  const context: Dict = {};
  if (options?.depth) context["depth"] = options.depth;
  if (options?.form) context["form"] = options.form;
  if (options?.language) context["language"] = options.language;
  if (options?.model) context["model"] = options.model;
  if (options?.approve) context["approve_plan"] = true;
  if (options && !options.web) context["web"] = false;
  if (options && read().info?.answer_memory) context["answer_memory"] = options.anew ? "renew" : true;
  const corpus = options?.corpus ?? read().info?.searches ?? [];
  if (options && corpus.length) context["corpus"] = corpus;
  return {
    assistant_id: "weiwo", stream_mode: STREAM_MODE, stream_subgraphs: false, stream_resumable: true,
    on_disconnect: "continue", multitask_strategy: "reject", context, ...more,
  };
}

/** Asks a question again whose run failed. */
export function retry(turn: Turn, options: Options): void {
  update((state) => ({ turns: state.turns.filter((one) => one.key !== turn.key) }));
  void ask(turn.question, options);
}

/** Answers what waits for a person. */
export function answer(turn: Turn, interrupt: Interrupt, value: Json | Dict): void {
  goOn(turn, { command: { resume: { [interrupt.id]: value } } }); // by its id: a second click answers nothing else
}

/** Goes on with a run that was interrupted, or from an earlier checkpoint. */
export function goOn(turn: Turn, more: Dict = { input: null }, from: Run | null = null): void {
  const { threadId } = read();
  if (!threadId) return;
  const branch = "checkpoint" in more;
  updateTurn(turn.key, (old) => ({
    state: "running", interrupts: [], error: "", result: null, before: old.result ?? old.before, moment: null,
    run: branch ? (from ?? newRun(now())) : { ...old.run, finished: false, writing: false, answer: "" },
  }));
  if (branch) update({ panel: null, lit: null });
  void watch(turn.key, threadId, body({ input: null, ...more }), null, turn);
}

/** Draws a run as it was at an earlier moment; null for as it is. */
export function goBack(turn: Turn, moment: { checkpointId: string; values: Dict } | null): void {
  const drawn = moment && { checkpointId: moment.checkpointId, run: runOf({ ...moment.values, answer: undefined }, now()) };
  updateTurn(turn.key, { moment: drawn });
}

/** Runs on from an earlier moment, with another plan or other values of tasks where these are given. */
export async function fork(turn: Turn, checkpointId: string, change: { plan?: unknown; outcomes?: Dict } = {}): Promise<void> {
  const { threadId } = read();
  if (!threadId) return;
  const forked = await post<{ checkpoint: Dict }>(`/weiwo${path(threadId)}/fork`, { checkpoint_id: checkpointId, ...change });
  const kept = await show(threadId).then((shown) => runOf(shown, now()), () => newRun(now()));
  goOn(turn, { checkpoint: forked.checkpoint }, { ...kept, finished: false, writing: false, calls: 0, tokens: 0 });
}

/** Runs the moment that is drawn again, changed: the newest one of the thread, or the one gone back to. */
export async function forkHere(turn: Turn, change: { plan?: unknown; outcomes?: Dict }): Promise<void> {
  const { threadId } = read();
  if (!threadId) return;
  const newest = async (): Promise<string> =>
    (await get<{ checkpoint?: { checkpoint_id?: string } }>(`${path(threadId)}/state`)).checkpoint?.checkpoint_id ?? "";
  await fork(turn, turn.moment?.checkpointId ?? (await newest()), change);
}

/** What the server finds wrong with an edited plan. */
export async function complaintsOf(plan: unknown): Promise<string[]> {
  const { threadId } = read();
  const checked = await post<{ complaints?: string[] }>(`/weiwo${path(threadId ?? "")}/plan/check`, { plan });
  return checked.complaints ?? [];
}

export async function cancel(turn: Turn): Promise<void> {
  const { threadId } = read();
  if (!threadId || !turn.runId) return;
  updateTurn(turn.key, { cancelling: true });
  try {
    await request("POST", `${path(threadId)}/runs/${encodeURIComponent(turn.runId)}/cancel?wait=false&action=interrupt`, {});
  } catch (error) {
    updateTurn(turn.key, { cancelling: false, error: say(error) });
  }
}

/** Opens a thread: its conversation, and its run if one is going on. */
export async function open(threadId: string): Promise<void> {
  following?.abort();
  update({ threadId, turns: [], loading: true, missing: "", panel: null, lit: null, view: "ask", menu: false, line: "open" });
  try {
    const [shown, state, runs] = await Promise.all([
      show(threadId),
      stateOf(threadId),
      get<{ run_id: string; status: string; created_at?: string }[]>(`${path(threadId)}/runs?limit=10`).catch(() => []),
    ]);
    if (read().threadId !== threadId) return;
    const question = String(shown.question ?? "");
    const under = runs.find((run) => run.status === "pending" || run.status === "running");
    const turn = { ...newTurn(question, "interrupted"), run: recalled(shown) };
    const whole = shown.answer !== undefined && !under;
    const interrupts = interruptsOf(shown["interrupts"]);
    if (whole) Object.assign(turn, { state: "done", result: wholeResult(shown) });
    else if (under) Object.assign(turn, { state: "running", runId: under.run_id, run: newRun(now()) });
    else if (interrupts.length) Object.assign(turn, { state: "waiting", interrupts });
    update({ turns: [...earlier(state, question, whole), turn], loading: false });
    if (under) await watch(turn.key, threadId, null, under.run_id);
  } catch (error) {
    if (read().threadId !== threadId || stopped(error)) return;
    update({ loading: false, missing: error instanceof ApiError && error.status === 404 ? "404" : say(error) });
  }
}

/** The questions before the last one, from the messages of the thread. */
function earlier(state: Snapshot | null, question: string, answered: boolean): Turn[] {
  const messages = (state?.values?.["messages"] ?? []) as Dict[];
  const turns: Turn[] = [];
  for (const message of Array.isArray(messages) ? messages : []) {
    const content = typeof message["content"] === "string" ? message["content"] : "";
    if (message["type"] === "human" || message["role"] === "user") turns.push(newTurn(content, "done"));
    else if ((message["type"] === "ai" || message["role"] === "assistant") && turns.length) {
      (turns[turns.length - 1] as Turn).message = withoutSources(content);
    }
  }
  const last = turns[turns.length - 1];
  return last && (answered || !last.message) && last.question === question ? turns.slice(0, -1) : turns;
}

interface Told extends Dict {
  at?: number;
}

/** The run of a thread as its events tell, each at its time; without them, as far as its result does. */
function recalled(shown: Partial<Result> & Dict): Run {
  const whole = runOf(shown, now());
  const told = (Array.isArray(shown["timeline"]) ? shown["timeline"] : []) as Told[];
  const first = told.findLastIndex((event) => event["type"] === "assessed");
  const events = told.slice(Math.max(0, first)).filter((event) => typeof event.at === "number");
  if (!events.length) return whole;
  const zero = (events[0]?.at ?? 0) * 1000 - 1;
  let heard = newRun(0);
  for (const event of events) heard = apply(heard, event, (event.at as number) * 1000 - zero);
  const matches = heard.plan?.revision === whole.plan?.revision;
  if (!matches) return whole;
  const rows = new Map([...whole.rows].map(([id, row]) => [id, { ...row, ...(heard.rows.get(id) ?? {}) }]));
  return {
    ...whole, rows, assessed: { ...whole.assessed, ...heard.assessed }, remarks: heard.remarks, thought: heard.thought || whole.thought,
    revisions: heard.revisions.length ? heard.revisions : whole.revisions,
  };
}

export function startAnew(): void {
  following?.abort();
  update({ threadId: null, turns: [], view: "ask", panel: null, lit: null, missing: "", loading: false, menu: false, line: "open" });
}

/** Shows what the address says. */
export function route(): void {
  const [, first, second] = location.hash.split("/");
  if (first === "t" && second) {
    const threadId = decoded(second);
    if (threadId !== read().threadId || read().missing) void open(threadId);
    else update({ view: "ask", menu: false });
  } else if (["memory", "corpora", "tools", "settings"].includes(first ?? "")) {
    update({ view: first as View, menu: false, panel: null });
  } else {
    startAnew();
  }
}
