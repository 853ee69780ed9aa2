// The plan on a time axis: a bar for each task, and the critical path, the chain of tasks that the run waited for.
import { fill, type Row } from "./progress";
import { seconds } from "./plan";
import { update, useWords, type Turn } from "./store";

export interface Bar {
  row: Row;
  from: number;
  to: number;
  critical: boolean;
}

/** Bars in seconds from the first start; where a run was not watched, a task starts when its inputs have ended. */
export function bars(rows: Row[], now: number): { bars: Bar[]; watched: boolean; total: number } {
  const ran = rows.filter((row) => row.state !== "waiting" && row.state !== "blocked");
  const watched = ran.length > 0 && ran.every((row) => row.began > 0);
  const zero = Math.min(...ran.map((row) => row.began));
  const spans = new Map<string, { from: number; to: number }>();
  const left = new Map(ran.map((row) => [row.id, row]));
  while (left.size) {
    const ready = [...left.values()].filter((row) => row.upstream.every((id) => !left.has(id)));
    for (const row of ready.length ? ready : [...left.values()]) {
      const inputs = Math.max(0, ...row.upstream.map((id) => spans.get(id)?.to ?? 0));
      const from = watched ? (row.began - zero) / 1000 : inputs;
      const to = watched ? ((row.ended || now) - zero) / 1000 : from + row.seconds;
      spans.set(row.id, { from, to: Math.max(from, to) });
      left.delete(row.id);
    }
  }
  const critical = new Set<string>();
  let last: Row | undefined = [...ran].sort((a, b) => (spans.get(b.id)?.to ?? 0) - (spans.get(a.id)?.to ?? 0))[0];
  while (last && !critical.has(last.id)) {
    critical.add(last.id);
    const above = last.upstream.filter((id) => spans.has(id)).sort((a, b) => (spans.get(b)?.to ?? 0) - (spans.get(a)?.to ?? 0));
    last = ran.find((row) => row.id === above[0]);
  }
  const drawn = ran.map((row) => ({ row, ...(spans.get(row.id) as { from: number; to: number }), critical: critical.has(row.id) }));
  return { bars: drawn.sort((a, b) => a.from - b.from || a.to - b.to), watched, total: Math.max(0.001, ...drawn.map((bar) => bar.to)) };
}

export function Timeline({ turn }: { turn: Turn }) {
  const t = useWords();
  const { run } = turn;
  const drawn = bars([...run.rows.values()], performance.now());
  return (
    <div class="timeline">
      <ol>
        {drawn.bars.map((bar) => (
          <li key={bar.row.id}>
            <button data-bar={bar.row.id} class={bar.critical ? "critical" : ""} onClick={() => update({ panel: { turn: turn.key, task: bar.row.id } })}>
              <span class="bar-words">{fill(run, bar.row.description)}</span>
              <span class="track">
                <span class={`bar ${bar.row.state}`} style={{ left: `${(100 * bar.from) / drawn.total}%`, width: `${Math.max(0.6, (100 * (bar.to - bar.from)) / drawn.total)}%` }} />
              </span>
              <span class="bar-seconds">{seconds(bar.row.seconds || bar.to - bar.from)}</span>
              {bar.critical && <span class="sr">{t("criticalPath")}</span>}
            </button>
          </li>
        ))}
      </ol>
      <p class="quiet legend"><span class="swatch" aria-hidden="true" /> {t("criticalPath")}{!drawn.watched && <> · {t("noTimes")}</>}</p>
    </div>
  );
}
