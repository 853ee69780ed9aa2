// The state of the page, and a hook that follows a part of it.
import { useEffect, useReducer, useRef } from "preact/hooks";
import type { Line } from "./follow";
import type { Run } from "./progress";
import type { Info, Interrupt, Result, ThreadRow, Wish } from "./types";
import { preferred, say, type Language, type Word } from "./words";

export type TurnState = "running" | "waiting" | "interrupted" | "cancelled" | "done" | "error";

/** One question of a thread and what came of it. */
export interface Turn {
  key: number;
  question: string;
  state: TurnState;
  run: Run;
  runId: string | null;
  result: Result | null;
  interrupts: Interrupt[];
  error: string;
  /** The answer as its message has it, of an earlier question whose result is not at hand. */
  message: string;
  cancelling: boolean;
  /** The answer that a changed run is to be compared with. */
  before: Result | null;
  /** The moment that one has gone back to; null for now. */
  moment: { checkpointId: string; run: Run } | null;
  /** What the question says that sounds as if it should last. */
  wish: Wish | null;
}

/** The run that is drawn: as it is, or as it was at the moment gone back to. */
export const runAt = (turn: Turn): Run => turn.moment?.run ?? turn.run;

export type View = "ask" | "memory" | "corpora" | "tools" | "settings";
export type Theme = "auto" | "light" | "dark";

export interface State {
  view: View;
  language: Language;
  theme: Theme;
  info: Info | null;
  infoError: string;
  login: boolean;
  threads: ThreadRow[] | null;
  moreThreads: boolean;
  threadId: string | null;
  turns: Turn[];
  loading: boolean;
  missing: string;
  line: Line;
  /** What the side panel shows, of the turn with that key. */
  panel: { turn: number; task?: string; source?: number; claim?: number } | null;
  /** The claim under the pointer or the focus. */
  lit: { turn: number; claim: number } | null;
  menu: boolean;
  /** Whether plans of finished answers are shown. */
  planOpen: boolean;
}

function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`weiwo.${name}`);
  } catch {
    return null; // storage is switched off
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`weiwo.${name}`, value);
  } catch {
    /* for this visit only, then */
  }
}

const chosen = remembered("language");
const theme = remembered("theme");

let state: State = {
  view: "ask",
  language: chosen === "en" || chosen === "zh" ? chosen : preferred(navigator.languages),
  theme: theme === "light" || theme === "dark" ? theme : "auto",
  info: null,
  infoError: "",
  login: false,
  threads: null,
  moreThreads: false,
  threadId: null,
  turns: [],
  loading: false,
  missing: "",
  line: "open",
  panel: null,
  lit: null,
  menu: false,
  planOpen: remembered("plan") === "open",
};
const watchers = new Set<() => void>();

export const read = (): State => state;

export function update(change: Partial<State> | ((state: State) => Partial<State>)): void {
  state = { ...state, ...(typeof change === "function" ? change(state) : change) };
  for (const watcher of [...watchers]) watcher();
}

export function updateTurn(key: number, change: Partial<Turn> | ((turn: Turn) => Partial<Turn>)): void {
  update((now) => ({
    turns: now.turns.map((turn) =>
      turn.key === key ? { ...turn, ...(typeof change === "function" ? change(turn) : change) } : turn,
    ),
  }));
}

function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || typeof a !== "object" || typeof b !== "object" || !a || !b) return Object.is(a, b);
  const names = Object.keys(a) as (keyof typeof a)[];
  return names.length === Object.keys(b).length && names.every((name) => Object.is(a[name], b[name]));
}

/** A part of the state, or several; the component is drawn again when one changes. */
export function useStore<T>(select: (state: State) => T): T {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const selected = select(state);
  const last = useRef({ select, selected });
  last.current = { select, selected };
  useEffect(() => {
    const watcher = (): void => {
      if (!same(last.current.select(state), last.current.selected)) draw(undefined as never);
    };
    watchers.add(watcher);
    watcher();
    return () => void watchers.delete(watcher);
  }, []);
  return selected;
}

/** Whether the page is a guest of another server, which takes no files and forks no threads. */
export function useGuest(): boolean {
  return useStore((now) => !now.info || now.info.user === "client");
}

/** Whether the page is the operator's, whose alone settings and standing questions are. */
export function useOperator(): boolean {
  return useStore(({ info }) => info !== null && info.user !== "client" && (info.auth === "none" || info.user === "operator"));
}

export type Say = (word: Word, ...values: (string | number)[]) => string;

/** The words of the page in the language in force. */
export function useWords(): Say {
  const language = useStore((now) => now.language);
  return (word, ...values) => say(language, word, ...values);
}
