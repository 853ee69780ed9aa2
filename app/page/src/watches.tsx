// Standing questions: what each knows, what changed last, when it is asked next; they are paused and removed here.
import { useState } from "preact/hooks";
import { request } from "./api";
import { visible } from "./inline";
import { useStore, useWords, type Say } from "./store";
import { Page, useLoaded } from "./views";
import { inOwnWords, type Language, localeOf, moment } from "./words";

interface Change {
  asked: string;
  old: string;
  new: string;
  sources: string[];
}

interface Watch {
  key: string;
  question: string;
  /** Seconds between two runs. */
  every: number;
  /** Seconds since 1970; 0: not yet. */
  last: number;
  thread_id: string;
  changes: Change[];
  changed: number;
  problem: string;
  paused: boolean;
}

export function Watches() {
  const t = useWords();
  const { data, failed, again } = useLoaded<{ watches: Watch[] }>("/weiwo/watches");
  return (
    <Page head={t("watches")} failed={failed} again={again} waits={!data}>
      {data?.watches.length === 0 && <div class="card"><h2>{t("noWatches")}</h2><p>{t("noWatchesHow")}</p></div>}
      <ul class="rows">{data?.watches.map((one) => <Row key={one.key} watch={one} again={again} t={t} />)}</ul>
    </Page>
  );
}

function Row({ watch, again, t }: { watch: Watch; again: () => void; t: Say }) {
  const language = useStore((now) => now.language);
  const [failed, setFailed] = useState("");
  const send = (method: string, body?: unknown): void => {
    request(method, `/weiwo/watches/${encodeURIComponent(watch.key)}`, body).then(again, (error: unknown) => setFailed(String(error instanceof Error ? error.message : error)));
  };
  const at = (seconds: number): string => moment(new Date(seconds * 1000), language);
  const next = watch.paused ? t("watchPaused") : watch.last ? t("watchNext", at(watch.last + watch.every)) : t("watchNow");
  return (
    <li data-watch={watch.key} data-paused={watch.paused}>
      <div>
        <b>{watch.thread_id ? <a href={`#/t/${encodeURIComponent(watch.thread_id)}`}>{visible(watch.question)}</a> : visible(watch.question)}</b>
        <span class="spring" />
        <span class="actions">
          <button data-action="pause" onClick={() => send("PATCH", { paused: !watch.paused })}>{t(watch.paused ? "watchGoOn" : "watchPause")}</button>
          <button data-action="remove" onClick={() => { if (confirm(t("watchRemoveSure"))) send("DELETE"); }}>{t("watchRemove")}</button>
        </span>
      </div>
      <p class="quiet">{t("watchEvery", interval(watch.every, language))} · {next}{watch.changed ? ` · ${t("watchChanged", at(watch.changed))}` : ""}</p>
      {watch.changes.map((one) => (
        <p key={one.asked} data-change>
          {one.asked !== watch.question && <span class="quiet">{visible(one.asked)} </span>}
          {one.old && <><s>{visible(one.old)}</s> → </>}<b>{one.new ? visible(one.new) : t("watchGone")}</b>
          {one.sources.length > 0 && <span class="quiet"> [{one.sources.map(visible).join(", ")}]</span>}
        </p>
      ))}
      {watch.problem && <p class="warn">{visible(inOwnWords(language, watch.problem))}</p>}
      {failed && <p class="complaint" role="alert">{visible(failed)}</p>}
    </li>
  );
}

const UNITS: [Intl.NumberFormatOptions["unit"] & string, number][] = [["week", 604_800], ["day", 86_400], ["hour", 3_600], ["minute", 60]];

/** An interval in the largest unit that it is a whole number of. */
function interval(seconds: number, language: Language): string {
  const [unit, size] = UNITS.find(([, one]) => seconds % one === 0) ?? (["minute", 60] as const);
  return new Intl.NumberFormat(localeOf(language), { style: "unit", unit, unitDisplay: "long" }).format(seconds / size);
}
