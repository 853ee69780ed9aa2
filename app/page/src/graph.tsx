// The plan as a layered graph: nodes are buttons, edges are drawn below them and carry the values.
import { memo } from "preact/compat";
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { tasksOfClaim } from "./claims";
import { fill, type Row, type Run } from "./progress";
import { curve, layoutBy, type Layout, type Placed, type Route } from "./layout";
import { inSight, useSight, useWidth, type Frame } from "./sight";
import { runAt, update, useStore, useWords, type Say, type Turn } from "./store";
import { inOwnWords, stepName, toolName, type Language } from "./words";

const NODE = { width: 216, height: 92 };
const GAPS = { across: { rank: 104, node: 18 }, down: { rank: 54, node: 20 } };
/** No plan is drawn smaller, unless it has the whole window. */
export const LEAST = 0.72;
const MOST_DOTS = 24;
/** Nodes that are drawn together, and again where one of them changes. */
const BATCH = 10;
/** Batches that a wide plan gains with each frame. */
const STEP = 2;
/** Milliseconds between two frames for the layout of a large plan. */
const SLICE = 16;
/** A plan of more tasks than this is drawn without movement, and of what is out of sight only places and states are kept. */
const LARGE = 80;

interface Arranged {
  plan: Layout;
  scale: number;
  batches: Batch[];
}

const NOTHING: Arranged = { plan: { nodes: [], routes: [], width: 0, height: 0 }, scale: LEAST, batches: [] };

/** Both directions are measured, a step at a time; the one that shows more of the plan at once is taken. */
function* arrange(run: Run, room: number, least: number): Generator<void, Arranged> {
  const rows = [...run.rows.values()];
  const edges = rows.flatMap((row) => row.upstream.map((from): [string, string] => [from, row.id]));
  const ordered = layoutBy(rows.map(({ id }) => ({ id, ...NODE })), edges);
  yield;
  const scaled = (width: number): number => Math.min(1, Math.max(least, room / width));
  const tries = [GAPS.across, GAPS.down].map((gaps) => {
    const { width, height } = ordered.measure(gaps === GAPS.across, gaps);
    const scale = scaled(width);
    return { gaps, scale, hidden: Math.max(0, width * scale - room), tall: height * scale };
  });
  tries.sort((a, b) => a.hidden - b.hidden || b.scale - a.scale || a.tall - b.tall);
  const { gaps } = tries[0] as (typeof tries)[number];
  const across = gaps === GAPS.across;
  const plan = ordered.draw(across, gaps);
  return { plan, scale: scaled(plan.width), batches: batchesOf(plan, across, run) };
}

/** A plan laid out: a small one at once, a large one between frames. Nothing before it is known how wide it may be. */
function useArranged(run: Run, room: number, least: number): Arranged {
  const [arranged, show] = useState(NOTHING);
  useLayoutEffect(() => {
    if (!room) return undefined;
    const steps = arrange(run, room, least);
    let timer = 0;
    const work = (): void => {
      const until = run.rows.size > LARGE ? performance.now() + SLICE : Infinity;
      let next = steps.next();
      while (!next.done && performance.now() < until) next = steps.next();
      if (next.done) show(next.value);
      else timer = window.setTimeout(work);
    };
    if (run.rows.size > LARGE) timer = window.setTimeout(work);
    else work();
    return () => clearTimeout(timer);
  }, [run.plan, run.rows.size, room, least]);
  return arranged;
}

/** How many of so many batches are drawn: some more with each frame, so that a wide plan holds nothing up. */
function useSteps(all: number): number {
  const [shown, setShown] = useState(1);
  useLayoutEffect(() => {
    if (shown >= all) return undefined;
    const frame = requestAnimationFrame(() => setShown(shown + STEP));
    return () => cancelAnimationFrame(frame);
  }, [shown, all]);
  return shown;
}

function litTasks(turn: Turn, claim: number | null): ReadonlySet<string> {
  return claim === null || !turn.result ? NONE : tasksOfClaim(turn.result, claim);
}

const NONE: ReadonlySet<string> = new Set();

export function Graph({ turn, least = LEAST }: { turn: Turn; least?: number }) {
  const t = useWords();
  const language = useStore((now) => now.language);
  const run = runAt(turn);
  const [box, room] = useWidth();
  const lit = useStore((now) => (now.lit?.turn === turn.key ? now.lit.claim : null));
  const selected = useStore((now) => (now.panel?.turn === turn.key ? (now.panel.task ?? null) : null));
  const { plan, scale, batches } = useArranged(run, room, least);
  const steps = useSteps(batches.length);
  const drawn = batches.filter((batch) => batch.place < steps);
  const glowing = useMemo(() => litTasks(turn, lit), [turn.result, lit]);
  const scroll = plan.width * scale > room + 1;
  const large = run.rows.size > LARGE;
  const sight = useSight(box, scale, large);
  const [end, setEnd] = useState(false);
  return (
    <div data-more={scroll && !end} onScroll={(event) => setEnd(event.currentTarget.scrollLeft + event.currentTarget.clientWidth >= event.currentTarget.scrollWidth - 8)} class={`graph${lit === null ? "" : " dimmed"}${large ? " large" : ""}`} ref={box} role="group" aria-label={t("plan")} tabIndex={scroll ? 0 : -1}>
      <div class="sheet" style={{ width: `${plan.width * scale}px`, height: `${plan.height * scale}px` }}>
        <div class="canvas" style={{ width: `${plan.width}px`, height: `${plan.height}px`, transform: `scale(${scale})` }}>
          <svg width={plan.width} height={plan.height} aria-hidden="true" focusable="false">
            {drawn.map((batch) => <Edges key={batch.nodes[0]?.id} batch={batch} run={run} sight={sight} large={large} />)}
          </svg>
          {drawn.map((batch) => <Nodes key={batch.nodes[0]?.id} batch={batch} run={run} sight={sight} turn={turn.key} glowing={glowing} selected={selected} t={t} language={language} />)}
        </div>
      </div>
    </div>
  );
}

interface Drawn extends Route {
  across: boolean;
  frame: Frame;
}

/** Some of the nodes, with the edges that lead to them. */
interface Batch {
  nodes: Placed[];
  routes: Drawn[];
  /** The tasks that it is drawn from. */
  needs: string[];
  /** Its turn to be drawn: what is near the corner that is in sight comes first. */
  place: number;
}

function batchesOf(plan: Layout, across: boolean, run: Run): Batch[] {
  const into = new Map(plan.nodes.map((node) => [node.id, [] as Drawn[]]));
  for (const route of plan.routes) {
    const [xs, ys] = [route.points.map(([x]) => x), route.points.map(([, y]) => y)];
    const frame = { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
    into.get(route.to)?.push({ ...route, across, frame });
  }
  const batches: Batch[] = [];
  for (let at = 0; at < plan.nodes.length; at += BATCH) {
    const nodes = plan.nodes.slice(at, at + BATCH);
    batches.push({
      nodes, routes: nodes.flatMap(({ id }) => into.get(id) ?? []),
      needs: [...new Set(nodes.flatMap(({ id }) => [id, ...(run.rows.get(id)?.upstream ?? [])]))], place: 0,
    });
  }
  const far = ({ nodes }: Batch): number => Math.min(...nodes.map(({ x, y }) => x + y));
  [...batches].sort((a, b) => far(a) - far(b)).forEach((batch, at) => (batch.place = at));
  return batches;
}

interface BatchProps {
  batch: Batch;
  run: Run;
  sight: Frame;
}

/** Whether a batch looks as it did: an event changes one task of many. */
const unchanged = (a: BatchProps, b: BatchProps): boolean =>
  a.batch === b.batch && a.sight === b.sight && (a.run === b.run || a.batch.needs.every((id) => a.run.rows.get(id) === b.run.rows.get(id)));

const Edges = memo(function Edges({ batch, run, sight, large }: BatchProps & { large: boolean }) {
  return (
    <g>
      {batch.routes.map((route) => {
        const from = run.rows.get(route.from);
        const value = from?.state === "succeeded" ? from.value : "";
        return <Edge key={`${route.from} ${route.to}`} route={route} flow={edgeState(from, run.rows.get(route.to))} value={value} seen={inSight(sight, route.frame)} bare={large} />;
      })}
    </g>
  );
}, unchanged);

interface NodesProps extends BatchProps {
  turn: number;
  glowing: ReadonlySet<string>;
  selected: string | null;
  t: Say;
  language: Language;
}

const Nodes = memo(function Nodes({ batch, run, sight, turn, glowing, selected, t, language }: NodesProps) {
  return (
    <div class="batch">
      {batch.nodes.map(({ id, x, y }) => {
        const row = run.rows.get(id);
        const words = row?.description.includes("{{") ? fill(run, row.description) : row?.description ?? "";
        const seen = inSight(sight, { left: x, top: y, right: x + NODE.width, bottom: y + NODE.height });
        return row && <Node key={id} row={row} x={x} y={y} seen={seen} words={words} reason={reasonOf(run, row, t, language)} turn={turn} lit={glowing.has(id)} selected={selected === id} t={t} language={language} />;
      })}
    </div>
  );
}, (a, b) => unchanged(a, b) && a.turn === b.turn && a.glowing === b.glowing && a.selected === b.selected && a.language === b.language);

function edgeState(from: Row | undefined, to: Row | undefined): string {
  if (!from || !to) return "waiting";
  if (from.state === "succeeded") return to.state === "running" ? "flowing" : to.state === "waiting" ? "ready" : "done";
  return from.state === "empty" || from.state === "failed" || from.state === "blocked" ? "broken" : "waiting";
}

function labelPlace(points: [number, number][]): [number, number] {
  const at = Math.max(0, Math.floor(points.length / 2) - 1);
  const a: [number, number] = points[at] ?? [0, 0];
  const b: [number, number] = points[at + 1] ?? a;
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

/** As much of a value as fits on an edge, and about how wide that is in pixels. */
function cut(value: string, most: number): [string, number] {
  let wide = 0;
  let label = "";
  for (const sign of value.slice(0, 40)) {
    wide += sign > "\u2e80" ? 11.5 : 6.3;
    if (wide > most) return [`${label}…`, wide];
    label += sign;
  }
  return [label, wide];
}

interface EdgeProps {
  route: Drawn;
  flow: string;
  value: string;
  seen: boolean;
  /** Whether the value is not written on it: the task that it comes from shows it. */
  bare: boolean;
}

const Edge = memo(function Edge({ route, flow, value, seen, bare }: EdgeProps) {
  const name = `${route.from} ${route.to}`;
  if (!seen) return <g data-edge={name} data-value={value} />;
  const path = curve(route.points, route.across);
  const [label, wide] = cut(bare ? "" : value, 84);
  const [x, y] = labelPlace(route.points);
  return (
    <g class={`edge ${flow}`} data-edge={name} data-value={value}>
      <path d={path} />
      {flow === "flowing" && <path class="travel" d={path} />}
      {label && (
        <>
          <rect x={x - wide / 2 - 6} y={y - 9} width={wide + 12} height="18" rx="9" />
          <text x={x} y={y + 4} text-anchor="middle">{label}</text>
        </>
      )}
    </g>
  );
}, (a, b) => a.route === b.route && a.flow === b.flow && a.value === b.value && a.seen === b.seen);

const MARKS: Record<string, string> = {
  waiting: "○", running: "", succeeded: "✓", empty: "∅", failed: "✕", blocked: "⊘", unknown: "•",
};

interface NodeProps {
  row: Row;
  x: number;
  y: number;
  seen: boolean;
  words: string;
  reason: string;
  turn: number;
  lit: boolean;
  selected: boolean;
  t: Say;
  /** Redraws where the language changes. */
  language: Language;
}

const Node = memo(function Node({ row, x, y, seen, words, reason, turn, lit, selected, t }: NodeProps) {
  const flags = flagsOf(row, t);
  const state = t(`state_${row.state}`);
  const unfinished = row.state === "empty" || row.state === "failed" || row.state === "blocked";
  const value = unfinished ? (row.state === "failed" && failureOf(row, t)) || state : row.state === "succeeded" ? row.value : "";
  return (
    <button
      class={`node ${row.state}${lit ? " lit" : ""}`} style={{ left: `${x}px`, top: `${y}px` }}
      data-task={row.id} data-state={row.state} data-cached={row.cached || undefined} aria-pressed={selected}
      aria-label={[words, state, failureOf(row, t), row.value, ...flags, reason].filter(Boolean).join(" · ")}
      title={words}
      onClick={() => update({ panel: selected ? null : { turn, task: row.id } })}
    >
      {seen && <Face row={row} words={words} value={value} flag={unfinished ? undefined : flags[0]} t={t} />}
    </button>
  );
}, (a, b) => a.row === b.row && a.x === b.x && a.y === b.y && a.seen === b.seen && a.words === b.words && a.lit === b.lit && a.selected === b.selected && a.language === b.language);

/** What is written on a node. */
function Face({ row, words, value, flag, t }: { row: Row; words: string; value: string; flag: string | undefined; t: Say }) {
  const language = useStore((now) => now.language);
  return (
    <>
      <span class="node-head">
        <span class="mark" aria-hidden="true">{MARKS[row.state]}</span>
        <span class="node-tool">{toolName(language, row.tool && row.tool !== "person" ? row.tool : row.plannedTool)}</span>
        <span class="node-seconds">{row.state !== "waiting" && row.seconds >= 0.005 ? seconds(row.seconds) : ""}</span>
      </span>
      <span class="node-words">{words}</span>
      {row.instances.length > 0 ? <Fold row={row} t={t} /> : (
        <span class="node-foot">
          <span class="node-value">{value}</span>
          {flag && <span class="node-flags">{flag}</span>}
        </span>
      )}
    </>
  );
}

function Fold({ row, t }: { row: Row; t: Say }) {
  const done = row.instances.filter((one) => one.state !== "running" && one.state !== "waiting").length;
  return (
    <span class="fold">
      <span class="dots" aria-hidden="true">
        {row.instances.slice(0, MOST_DOTS).map((one) => <i key={one.id} class={one.state} />)}
      </span>
      <span>{t("instances", done, row.instances.length)}</span>
    </span>
  );
}

/** How a task failed, in the page's language; nothing where no more is to be said than that it found nothing. */
export function failureOf(row: Row, t: Say): string {
  return row.failure && row.failure !== "empty" ? t(`failure_${row.failure}` as "failure_crash") : "";
}

/** Why a task came to nothing, in the page's language where the page can tell, else in the words it came in. */
export function reasonOf(run: Run, row: Row, t: Say, language: Language): string {
  if (!row.reason) return "";
  const without = row.state === "blocked" ? row.upstream.filter((id) => ["empty", "failed", "blocked"].includes(run.rows.get(id)?.state ?? "")) : [];
  if (without.length) return t("needsValueOf", without.map((id) => stepName(language, id)).join(", "));
  return inOwnWords(language, row.reason, [toolName(language, row.tool), failureOf(row, t) || t(`state_${row.state}`)].filter(Boolean).join(t("colon")));
}

/** What a reader should know of how a task came to its value. */
export function flagsOf(row: Row, t: Say): string[] {
  const flags: string[] = [];
  if (row.tool === "person") flags.push(t("setByPerson"));
  else if (row.plannedTool && row.tool && row.tool !== row.plannedTool) flags.push(t("standIn", row.plannedTool));
  if (row.cached) flags.push(t("cached"));
  if (row.attempts > 1 && !row.instances.length) flags.push(t("retried", row.attempts));
  if (row.forEach && !row.instances.length) flags.push(t("forEach"));
  return flags;
}

export function seconds(value: number): string {
  if (value >= 60) return `${Math.floor(value / 60)}:${String(Math.round(value % 60)).padStart(2, "0")}`;
  return `${value >= 10 ? Math.round(value) : value >= 0.1 ? value.toFixed(1) : value.toFixed(2)} s`;
}
