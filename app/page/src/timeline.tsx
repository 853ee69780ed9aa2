// The plan on a time axis: a bar for each task, those of the critical path marked.
import { bars } from "./bars";
import { fill } from "./progress";
import { seconds } from "./graph";
import { runAt, update, useWords, type Turn } from "./store";

export function Timeline({ turn }: { turn: Turn }) {
  const t = useWords();
  const run = runAt(turn);
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
