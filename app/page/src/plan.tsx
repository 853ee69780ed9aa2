// The plan as a layered graph: nodes are buttons, edges are drawn below them and carry the values.
import { memo } from "preact/compat";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { fill, type Row, type Run } from "./progress";
import { curve, layoutBy, type Layout, type Placed } from "./layout";
import { runAt, update, useStore, useWords, type Say, type Turn } from "./store";
import { goBack } from "./session";
import { Timeline } from "./timeline";
import { Revisions } from "./revisions";
import type { Result } from "./types";

const NODE = { width: 216, height: 92 };
const GAPS = { across: { rank: 104, node: 18 }, down: { rank: 54, node: 20 } };
/** No plan is drawn smaller, unless it has the whole window. */
const LEAST = 0.72;
const MOST_DOTS = 24;
/** Nodes that are drawn together, and again where one of them changes. */
const BATCH = 24;
/** A plan of more tasks than this is drawn without movement, and what is out of sight is not drawn at all. */
const LARGE = 80;

type Tab = "graph" | "timeline" | "revisions";

export function PlanView({ turn }: { turn: Turn }) {
  const t = useWords();
  const [tab, setTab] = useState<Tab>("graph");
  const [wide, setWide] = useState(false);
  const run = runAt(turn);
  if (!turn.run.rows.size) return null;
  const tabs: [Tab, string][] = [["graph", t("graph")], ["timeline", t("timeline")]];
  if (run.revisions.length) tabs.push(["revisions", `${t("revisions")} · ${run.revisions.length + 1}`]);
  const done = [...run.rows.values()].filter((row) => !["waiting", "running"].includes(row.state)).length;
  return (
    <section class={`plan${wide ? " wide" : ""}`} aria-label={t("plan")} onKeyDown={(event) => { if (event.key === "Escape") setWide(false); }}>
      <header class="section-head">
        <h3>{t("plan")}</h3>
        <span class="quiet">{done} / {run.rows.size}</span>
        <div class="tabs" role="tablist" aria-label={t("plan")}>
          {tabs.map(([name, label]) => (
            <button key={name} role="tab" aria-selected={tab === name} onClick={() => setTab(name)}>{label}</button>
          ))}
        </div>
        <button class="icon" data-action="wide" aria-pressed={wide} aria-label={t("expand")} title={t(wide ? "shrink" : "expand")} onClick={() => setWide(!wide)}>{wide ? "×" : <svg width="15" height="15" viewBox="0 0 15 15" aria-hidden="true"><path d="M1 5V1h4M10 1h4v4M14 10v4h-4M5 14H1v-4" fill="none" stroke="currentColor" stroke-width="1.6" /></svg>}</button>
      </header>
      {turn.moment && <p class="note" role="status" data-moment={turn.moment.checkpointId}>{t("asItWas")} <button class="link" onClick={() => goBack(turn, null)}>{t("backToNow")}</button></p>}
      {run.thought && <p class="thought">{run.thought}</p>}
      {run.plan?.procedure && <p class="quiet">{t("follows", run.plan.procedure)}{run.plan.departure ? ` · ${run.plan.departure}` : ""}</p>}
      {tab === "graph" && <Graph turn={turn} least={wide ? 0.4 : LEAST} />}
      {tab === "timeline" && <Timeline turn={turn} />}
      {tab === "revisions" && <Revisions run={run} />}
      <Remarks run={run} t={t} />
    </section>
  );
}

function Remarks({ run, t }: { run: Run; t: Say }) {
  const heads: Record<string, string> = {
    retry: t("remarkRetry"), replan: t("remarkReplan"), deepen: t("remarkDeepen"), abort: t("remarkAbort"),
  };
  if (!run.remarks.length) return null;
  return (
    <ul class="remarks">
      {run.remarks.map((one) => <li key={one.kind + one.text}><b>{heads[one.kind] ?? t("remarkNote")}</b> {one.text}</li>)}
    </ul>
  );
}

function useWidth(): [{ current: HTMLDivElement | null }, number] {
  const box = useRef<HTMLDivElement | null>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    setWidth(box.current.clientWidth);
    const watch = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return [box, width];
}

/** Both directions are laid out; the one that shows more of the plan at once is taken. */
function arrange(ids: string[], edges: [string, string][], room: number, least: number): { plan: Layout; across: boolean; scale: number } {
  const place = layoutBy(ids.map((id) => ({ id, ...NODE })), edges);
  const tries = [true, false].map((across) => {
    const plan = place(across, across ? GAPS.across : GAPS.down);
    const scale = room ? Math.min(1, Math.max(least, room / plan.width)) : 1;
    return { plan, across, scale, hidden: Math.max(0, plan.width * scale - room), tall: plan.height * scale };
  });
  tries.sort((a, b) => a.hidden - b.hidden || b.scale - a.scale || a.tall - b.tall);
  return tries[0] as (typeof tries)[number];
}

/** How many of so many batches are drawn: one more with each frame, so that a wide plan holds nothing up. */
function useSteps(all: number): number {
  const [shown, setShown] = useState(1);
  useEffect(() => {
    if (shown >= all) return undefined;
    const frame = requestAnimationFrame(() => setShown(shown + 1));
    return () => cancelAnimationFrame(frame);
  }, [shown, all]);
  return shown;
}

function litTasks(turn: Turn, claim: number | null): ReadonlySet<string> {
  return claim === null || !turn.result ? NONE : tasksOfClaim(turn.result, claim);
}

const NONE: ReadonlySet<string> = new Set();

/** The tasks whose values or passages a claim cites. */
export function tasksOfClaim(result: Result, claim: number): ReadonlySet<string> {
  const tasks = new Set<string>();
  for (const n of result.claims[claim]?.citations ?? []) {
    const citation = result.citations.find((one) => one.n === n);
    if (!citation) continue;
    if (citation.source.startsWith("task:")) tasks.add(citation.source.slice(5));
    for (const [id, outcome] of Object.entries(result.outcomes)) {
      const quoted = outcome.quotes?.some((quote) => quote.evidence_id === citation.evidence_id);
      if (quoted || (!outcome.quotes?.length && outcome.evidence_ids.includes(citation.evidence_id) && !outcome.detail?.["computation"])) tasks.add(id);
    }
  }
  return tasks;
}

export function Graph({ turn, least = LEAST }: { turn: Turn; least?: number }) {
  const t = useWords();
  const run = runAt(turn);
  const [box, room] = useWidth();
  const lit = useStore((now) => (now.lit?.turn === turn.key ? now.lit.claim : null));
  const selected = useStore((now) => (now.panel?.turn === turn.key ? (now.panel.task ?? null) : null));
  const { plan, scale, batches } = useMemo(() => {
    const rows = room ? [...run.rows.values()] : []; // nothing is drawn before it is known how wide it may be
    const edges = rows.flatMap((row) => row.upstream.map((from): [string, string] => [from, row.id]));
    const arranged = arrange(rows.map((row) => row.id), edges, room, least);
    return { ...arranged, batches: batchesOf(arranged.plan, arranged.across, run) };
  }, [run.plan, run.rows.size, room, least]);
  const drawn = batches.slice(0, useSteps(batches.length));
  const glowing = useMemo(() => litTasks(turn, lit), [turn.result, lit]);
  const scroll = plan.width * scale > room + 1;
  const large = plan.nodes.length > LARGE;
  return (
    <div class={`graph${lit === null ? "" : " dimmed"}${large ? " large" : ""}`} ref={box} role="group" aria-label={t("plan")} tabIndex={scroll ? 0 : -1}>
      <div class="sheet" style={{ width: `${plan.width * scale}px`, height: `${plan.height * scale}px` }}>
        <div class="canvas" style={{ width: `${plan.width}px`, height: `${plan.height}px`, transform: `scale(${scale})` }}>
          <svg width={plan.width} height={plan.height} aria-hidden="true" focusable="false">
            {drawn.map((batch, at) => <Edges key={at} batch={batch} run={run} />)}
          </svg>
          {drawn.map((batch, at) => <Nodes key={at} batch={batch} run={run} turn={turn.key} glowing={glowing} selected={selected} t={t} language={t("title")} />)}
        </div>
      </div>
    </div>
  );
}

interface Drawn {
  from: string;
  to: string;
  path: string;
  middle: [number, number];
}

/** Some of the nodes, with the edges that lead to them. */
interface Batch {
  nodes: Placed[];
  routes: Drawn[];
  /** The tasks that it is drawn from. */
  needs: string[];
}

function batchesOf(plan: Layout, across: boolean, run: Run): Batch[] {
  const into = new Map(plan.nodes.map((node) => [node.id, [] as Drawn[]]));
  for (const { from, to, points } of plan.routes) into.get(to)?.push({ from, to, path: curve(points, across), middle: labelPlace(points) });
  const batches: Batch[] = [];
  for (let at = 0; at < plan.nodes.length; at += BATCH) {
    const nodes = plan.nodes.slice(at, at + BATCH);
    batches.push({
      nodes, routes: nodes.flatMap(({ id }) => into.get(id) ?? []),
      needs: [...new Set(nodes.flatMap(({ id }) => [id, ...(run.rows.get(id)?.upstream ?? [])]))],
    });
  }
  return batches;
}

interface BatchProps {
  batch: Batch;
  run: Run;
}

/** Whether a batch looks as it did: an event changes one task of many. */
const unchanged = (a: BatchProps, b: BatchProps): boolean =>
  a.batch === b.batch && (a.run === b.run || a.batch.needs.every((id) => a.run.rows.get(id) === b.run.rows.get(id)));

const Edges = memo(function Edges({ batch, run }: BatchProps) {
  return (
    <g>
      {batch.routes.map((route) => {
        const from = run.rows.get(route.from);
        const value = from?.state === "succeeded" ? from.value : "";
        return <Edge key={`${route.from} ${route.to}`} {...route} flow={edgeState(from, run.rows.get(route.to))} value={value} />;
      })}
    </g>
  );
}, unchanged);

interface NodesProps extends BatchProps {
  turn: number;
  glowing: ReadonlySet<string>;
  selected: string | null;
  t: Say;
  language: string;
}

const Nodes = memo(function Nodes({ batch, run, turn, glowing, selected, t, language }: NodesProps) {
  return (
    <>
      {batch.nodes.map(({ id, x, y }) => {
        const row = run.rows.get(id);
        const words = row?.description.includes("{{") ? fill(run, row.description) : row?.description ?? "";
        return row && <Node key={id} row={row} x={x} y={y} words={words} turn={turn} lit={glowing.has(id)} selected={selected === id} t={t} language={language} />;
      })}
    </>
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

interface EdgeProps extends Drawn {
  flow: string;
  value: string;
}

const Edge = memo(function Edge({ from, to, path, flow, value, middle }: EdgeProps) {
  const [label, wide] = cut(value, 84);
  return (
    <g class={`edge ${flow}`} data-edge={`${from} ${to}`} data-value={value}>
      <path d={path} />
      {flow === "flowing" && <path class="travel" d={path} />}
      {label && (
        <>
          <rect x={middle[0] - wide / 2 - 6} y={middle[1] - 9} width={wide + 12} height="18" rx="9" />
          <text x={middle[0]} y={middle[1] + 4} text-anchor="middle">{label}</text>
        </>
      )}
    </g>
  );
}, (a, b) => a.path === b.path && a.flow === b.flow && a.value === b.value);

const MARKS: Record<string, string> = {
  waiting: "○", running: "", succeeded: "✓", empty: "∅", failed: "✕", blocked: "⊘", unknown: "•",
};

interface NodeProps {
  row: Row;
  x: number;
  y: number;
  words: string;
  turn: number;
  lit: boolean;
  selected: boolean;
  t: Say;
  /** Redraws where the language changes. */
  language: string;
}

const Node = memo(function Node({ row, x, y, words, turn, lit, selected, t }: NodeProps) {
  const flags = flagsOf(row, t);
  const state = t(`state_${row.state}`);
  const value = row.state === "succeeded" ? row.value : row.state === "empty" || row.state === "failed" || row.state === "blocked" ? state : "";
  return (
    <button
      class={`node ${row.state}${lit ? " lit" : ""}`} style={{ left: `${x}px`, top: `${y}px` }}
      data-task={row.id} data-state={row.state} data-cached={row.cached || undefined} aria-pressed={selected}
      aria-label={[words, state, row.value, ...flags, row.reason].filter(Boolean).join(" · ")}
      title={words}
      onClick={() => update({ panel: selected ? null : { turn, task: row.id } })}
    >
      <span class="node-head">
        <span class="mark" aria-hidden="true">{MARKS[row.state]}</span>
        <span class="node-tool">{row.tool && row.tool !== "person" ? row.tool : row.plannedTool}</span>
        <span class="node-seconds">{row.state !== "waiting" && row.seconds > 0 ? seconds(row.seconds) : ""}</span>
      </span>
      <span class="node-words">{words}</span>
      {row.instances.length > 0 ? <Fold row={row} t={t} /> : (
        <span class="node-foot">
          <span class="node-value">{value}</span>
          {flags.length > 0 && <span class="node-flags">{flags[0]}</span>}
        </span>
      )}
    </button>
  );
}, (a, b) => a.row === b.row && a.x === b.x && a.y === b.y && a.words === b.words && a.lit === b.lit && a.selected === b.selected && a.language === b.language);

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
