// The plan of a run in three views: as a graph, on a time axis, and its revisions.
import { useState } from "preact/hooks";
import { Graph, LEAST } from "./graph";
import type { Run } from "./progress";
import { goBack } from "./session";
import { Revisions } from "./revisions";
import { runAt, useWords, type Say, type Turn } from "./store";
import { Timeline } from "./timeline";

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
    <section class={`plan${wide ? " wide" : ""}${run.rows.size > 3 ? " broad" : ""}`} aria-label={t("plan")} onKeyDown={(event) => { if (event.key === "Escape") setWide(false); }}>
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
