// Documents, tools and settings: what an answer can rest on, and where each setting comes from.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { get } from "./api";
import { visible } from "./inline";
import { loadInfo } from "./info";
import { useGuest, useOperator, useStore, useWords, type Say } from "./store";
import type { Day, Dict } from "./types";
import { ChooseFiles, UploadList, useDrop, useUploads } from "./uploads";
import { OwnKey } from "./own_key";
import { SetupForms } from "./setup";
import { inOwnWords, type Language, localeOf, messageOf, moment } from "./words";

interface Corpus {
  name: string;
  /** Whether it is the one that comes with Weiwo, to which nothing is added. */
  sample?: boolean;
  documents: number;
  passages: number;
  vectors?: { covered: number; of: number } | null;
  updated?: string | null;
  errors?: unknown[];
}

interface Tool {
  name: string;
  description: string;
  server?: string | null;
  acts?: boolean;
  health?: string;
  used?: number;
  failed?: number;
}

interface Setting {
  name: string;
  field?: string;
  value: unknown;
  from: string;
  says?: string;
}

/** A resource of the server, and a way to load it again. */
export function useLoaded<T>(path: string): { data: T | null; failed: string; again: () => void } {
  const [data, setData] = useState<T | null>(null);
  const [failed, setFailed] = useState("");
  const language = useStore((now) => now.language); // what the server says is said in it
  const again = useCallback(() => {
    get<T>(path).then((found) => { setData(found); setFailed(""); }, (error: unknown) => setFailed(messageOf(error)));
  }, [path, language]);
  useEffect(again, [again]);
  return { data, failed, again };
}

export function Page({ head, failed, again, waits, children }: { head: string; failed: string; again: () => void; waits: boolean; children: ComponentChildren }) {
  const t = useWords();
  return (
    <div class="page">
      <h1>{head}</h1>
      {failed && <Failed failed={failed} again={again} />}
      {waits && !failed ? <p class="quiet">{t("loading")}</p> : children}
    </div>
  );
}

function Failed({ failed, again }: { failed: string; again: () => void }) {
  const t = useWords();
  return <div class="card bad" role="alert"><p>{t("failedToLoad", failed)}</p><div class="actions"><button onClick={again}>{t("tryAgain")}</button></div></div>;
}

export function Corpora() {
  const t = useWords();
  const { data, failed, again } = useLoaded<Corpus[]>("/weiwo/corpora");
  const language = useStore((now) => now.language);
  const guest = useGuest();
  const documents = useStore((now) => now.info?.documents);
  return (
    <Page head={t("corpora")} failed={failed} again={again} waits={!data}>
      {data?.every((one) => one.sample) && !documents && <div class="card"><h2>{t("noCorpus")}</h2><p>{t("noCorpusHow")}</p></div>}
      {!guest && <Drop names={data?.filter((one) => !one.sample).map((one) => one.name) ?? []} done={again} />}
      <ul class="tiles">
        {data?.map((one) => (
          <li key={one.name} data-corpus={one.name}>
            <h2>{one.sample ? t("sampleCorpus") : visible(one.name)}</h2>
            <p>{t("documents", one.documents)} · {t("passages", one.passages)}</p>
            <p class="quiet">{one.vectors ? t("vectors", one.vectors.covered, one.vectors.of) : t("noVectors")}</p>
            {one.vectors && <meter min={0} max={Math.max(1, one.vectors.of)} value={one.vectors.covered} aria-label={t("vectors", one.vectors.covered, one.vectors.of)} />}
            {one.updated && <p class="quiet">{t("updated", when(one.updated, language))}</p>}
            {one.errors?.length ? (
              <details><summary class="warn">{t("errors", one.errors.length)}</summary>
                <ul>{one.errors.slice(0, 100).map((error, at) => <li key={at}>{visible(inOwnWords(language, typeof error === "string" ? error : JSON.stringify(error)))}</li>)}</ul>
              </details>
            ) : null}
          </li>
        ))}
      </ul>
    </Page>
  );
}

function when(time: string, language: Language): string {
  const date = new Date(time);
  return Number.isNaN(date.valueOf()) ? time : moment(date, language);
}

function Drop({ names, done }: { names: string[]; done: () => void }) {
  const t = useWords();
  const [into, setInto] = useState("");
  const [uploads, send] = useUploads(done);
  const corpus = into || names[0] || "";
  const [over, dropping] = useDrop((files) => void send(files, corpus));
  return (
    <section class={`drop${over ? " over" : ""}`} {...dropping}>
      <p>{t("dropFiles")}</p>
      <div class="actions">
        {names.length > 1 && <label class="choice"><span>{t("into")}</span><select value={corpus} onChange={(event) => setInto(event.currentTarget.value)}>{names.map((name) => <option key={name} value={name}>{name}</option>)}</select></label>}
        <ChooseFiles send={(files) => void send(files, corpus)} label={t("chooseFiles")} />
      </div>
      <UploadList uploads={uploads} />
    </section>
  );
}

export function Tools() {
  const t = useWords();
  const { data, failed, again } = useLoaded<Tool[]>("/weiwo/tools");
  return (
    <Page head={t("tools")} failed={failed} again={again} waits={!data}>
      <ul class="rows">
        {data?.map((one) => (
          <li key={`${one.server ?? ""} ${one.name}`} data-tool={one.name}>
            <div><b class="mono">{visible(one.name)}</b>{one.server && <span class="quiet">{visible(one.server)}</span>} <span class={`tag${one.acts ? " warn" : ""}`}>{one.acts ? t("acts") : t("readsOnly")}</span><span class="spring" />{one.health ? <span class={`health ${one.health === "up" ? "up" : "down"}`}>{healthOf(one.health, t)}</span> : null}</div>
            <p>{visible(one.description)}</p>
            <p class="quiet">{[one.used ? t("used", one.used) : "", one.failed ? t("failedTimes", one.failed) : ""].filter(Boolean).join(" · ")}</p>
          </li>
        ))}
      </ul>
    </Page>
  );
}

const healthOf = (health: string, t: Say): string => t(health === "up" ? "healthUp" : health === "starting" ? "healthStarting" : "healthDown");

export function Settings() {
  const t = useWords();
  const info = useStore((now) => now.info);
  useEffect(() => void loadInfo(), []); // what is spent is told as it is now
  const operates = useOperator();
  const guest = useGuest();
  const models = [...new Set(Object.values(info?.models ?? {}))];
  return (
    <div class="page">
      <h1>{t("settings")}</h1>
      {info && <p class="quiet">Weiwo {info.version}{info.user ? ` · ${info.user}` : ""}{models.length ? ` · ${models.join(", ")}` : ""}</p>}
      {info && !models.length && !operates && <div class="card"><h2>{t("noModelTitle")}</h2><p>{t("noModel")}</p></div>}
      {info?.day?.ends && <Today day={info.day} />}
      {info?.user && !guest && info.auth !== "none" && <OwnKey />}
      {operates && <SetupForms />}
      {operates && <details class="all-settings"><summary>{t("allSettings")}</summary><SettingsTable /></details>}
    </div>
  );
}

/** What is spent of the day's budget, where there is one. */
function Today({ day }: { day: Day }) {
  const t = useWords();
  const language = useStore((now) => now.language);
  const all: [string, number, number | null][] = [
    [t("todayRuns"), day.runs, day.runs_per_day], [t("todayTokens"), day.tokens, day.tokens_per_day], [t("todayCost"), day.cost, day.cost_per_day],
  ];
  const bounded = all.filter(([, , most]) => most !== null);
  if (!bounded.length) return null;
  const shown = (value: number): string => value.toLocaleString(localeOf(language), { maximumFractionDigits: 2 });
  return (
    <section class="today" data-today>
      <h2>{t("today")}</h2>
      <ul class="tiles">
        {bounded.map(([name, used, most]) => (
          <li key={name}><p class="quiet">{name}</p><p><b>{shown(used)}</b> / {shown(most ?? 0)}</p><meter min={0} max={Math.max(most ?? 0, 0.01)} value={used} aria-label={name} /></li>
        ))}
      </ul>
      <p class="quiet">{t("todayEnds", moment(new Date(day.ends), language))}</p>
    </section>
  );
}

function SettingsTable() {
  const t = useWords();
  const { data, failed, again } = useLoaded<Setting[]>("/weiwo/settings");
  const origins: Record<string, string> = { default: t("fromDefault"), environment: t("fromEnvironment"), "config.toml": t("fromSetup") };
  if (failed) return <Failed failed={failed} again={again} />;
  if (!data) return <p class="quiet">{t("loading")}</p>;
  const rows = [...data].sort((a, b) => Number(a.from === "default") - Number(b.from === "default"));
  return (
    <div class="table settings" tabIndex={0} role="group" aria-label={t("settings")}>
      <table>
        <thead><tr><th scope="col">{t("setting")}</th><th scope="col">{t("value")}</th><th scope="col">{t("origin")}</th></tr></thead>
        <tbody>
          {rows.map((one) => (
            <tr key={one.name} data-setting={one.name} data-from={one.from}>
              <td><span class="mono">{one.name}</span>{one.says && <p class="quiet">{visible(one.says)}</p>}</td>
              <td class="mono">{valueOf(one.value) ? visible(valueOf(one.value)) : <span class="quiet">{t("notSet")}</span>}</td>
              <td class="origin">{one.from === "default" ? <span class="quiet">{origins["default"]}</span> : <span class="tag on">{origins[one.from] ?? one.from}</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function valueOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(valueOf).join(", ");
  if (typeof value === "object") return Object.entries(value as Dict).map(([key, one]) => `${key}=${valueOf(one)}`).join(", ");
  return String(value);
}
