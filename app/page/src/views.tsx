// Documents, tools and settings: what an answer can rest on, and where each setting comes from.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { get, records, request } from "./api";
import { visible } from "./inline";
import { loadInfo } from "./session";
import { useStore, useWords, type Say } from "./store";
import type { Dict } from "./types";

interface Corpus {
  name: string;
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
  health?: unknown;
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
function useLoaded<T>(path: string): { data: T | null; failed: string; again: () => void } {
  const [data, setData] = useState<T | null>(null);
  const [failed, setFailed] = useState("");
  const again = useCallback(() => {
    get<T>(path).then((found) => { setData(found); setFailed(""); }, (error: unknown) => setFailed(error instanceof Error ? error.message : String(error)));
  }, [path]);
  useEffect(again, [again]);
  return { data, failed, again };
}

function Page({ head, failed, again, waits, children }: { head: string; failed: string; again: () => void; waits: boolean; children: ComponentChildren }) {
  const t = useWords();
  return (
    <div class="page">
      <h1>{head}</h1>
      {failed && <div class="card bad" role="alert"><p>{t("failedToLoad", failed)}</p><div class="actions"><button onClick={again}>{t("tryAgain")}</button></div></div>}
      {waits && !failed ? <p class="quiet">{t("loading")}</p> : children}
    </div>
  );
}

export function Corpora() {
  const t = useWords();
  const { data, failed, again } = useLoaded<Corpus[]>("/weiwo/corpora");
  const language = useStore((now) => now.language);
  return (
    <Page head={t("corpora")} failed={failed} again={again} waits={!data}>
      {data?.length === 0 && <div class="card"><h3>{t("noCorpus")}</h3><p>{t("noCorpusHow")}</p></div>}
      <Drop names={data?.map((one) => one.name) ?? []} done={() => { again(); void loadInfo(); }} t={t} />
      <ul class="tiles">
        {data?.map((one) => (
          <li key={one.name} data-corpus={one.name}>
            <h3>{visible(one.name)}</h3>
            <p>{t("documents", one.documents)} · {t("passages", one.passages)}</p>
            <p class="quiet">{one.vectors ? t("vectors", one.vectors.covered, one.vectors.of) : t("noVectors")}</p>
            {one.updated && <p class="quiet">{t("updated", when(one.updated, language))}</p>}
            {one.errors?.length ? (
              <details><summary class="warn">{t("errors", one.errors.length)}</summary>
                <ul>{one.errors.slice(0, 100).map((error, at) => <li key={at}>{visible(typeof error === "string" ? error : JSON.stringify(error))}</li>)}</ul>
              </details>
            ) : null}
          </li>
        ))}
      </ul>
    </Page>
  );
}

function when(moment: string, language: string): string {
  const date = new Date(moment);
  return Number.isNaN(date.valueOf()) ? moment : date.toLocaleString(language === "zh" ? "zh-CN" : "en", { dateStyle: "medium", timeStyle: "short" });
}

interface Upload {
  name: string;
  stage: string;
  done: number;
  of: number;
  ended: string;
  bad: boolean;
}

function Drop({ names, done, t }: { names: string[]; done: () => void; t: Say }) {
  const [over, setOver] = useState(false);
  const [into, setInto] = useState("");
  const [uploads, setUploads] = useState<Upload[]>([]);
  const most = useStore((now) => now.info?.max_upload ?? 0);
  const corpus = into || names[0] || "documents";
  const send = async (files: File[]): Promise<void> => {
    for (const file of files) {
      const entry: Upload = { name: file.name, stage: "", done: 0, of: 0, ended: "", bad: false };
      const show = (more: Partial<Upload>): void => {
        Object.assign(entry, more);
        setUploads((all) => [...all.filter((one) => one !== entry), entry]);
      };
      if (most && file.size > most) {
        show({ ended: t("tooLarge", file.name, Math.round(most / 1_000_000)), bad: true });
        continue;
      }
      show({});
      try {
        const path = `/weiwo/corpora/${encodeURIComponent(corpus)}/files?filename=${encodeURIComponent(file.name)}`;
        const response = await request("POST", path, file, { headers: { "content-type": file.type || "application/octet-stream" }, signal: AbortSignal.timeout(600_000) });
        for await (const one of records(response)) {
          if ("indexed" in one) {
            const errors = (one["errors"] as unknown[] | undefined) ?? [];
            show({ ended: errors.length ? errors.map(told).join("; ") : t("indexed", Number(one["indexed"])), bad: errors.length > 0 });
          } else if (one["detail"] || one["error"]) show({ ended: String(one["detail"] ?? one["error"]), bad: true });
          else show({ stage: String(one["stage"] ?? ""), done: Number(one["done"] ?? 0), of: Number(one["of"] ?? 0) });
        }
        if (!entry.ended) show({ ended: t("done") });
      } catch (error) {
        show({ ended: error instanceof Error ? error.message : String(error), bad: true });
      }
    }
    done();
  };
  return (
    <section class={`drop${over ? " over" : ""}`}
      onDragOver={(event) => { event.preventDefault(); setOver(true); }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => { event.preventDefault(); setOver(false); void send([...(event.dataTransfer?.files ?? [])]); }}>
      <p>{t("dropFiles")}</p>
      <div class="actions">
        {names.length > 1 && <label class="choice"><span>{t("into")}</span><select value={corpus} onChange={(event) => setInto(event.currentTarget.value)}>{names.map((name) => <option key={name} value={name}>{name}</option>)}</select></label>}
        <label class="button">{t("chooseFiles")}<input class="sr" type="file" name="files" multiple onChange={(event) => { void send([...(event.currentTarget.files ?? [])]); event.currentTarget.value = ""; }} /></label>
      </div>
      <ul class="uploads" aria-live="polite">
        {uploads.map((one, at) => (
          <li key={at} class={one.bad ? "bad" : ""} data-upload={one.ended ? (one.bad ? "failed" : "done") : "running"}>
            <span>{visible(one.name)}</span>
            {one.ended ? <span class={one.bad ? "complaint" : "quiet"}>{visible(one.ended)}</span> : <progress aria-label={t("indexing", one.name)} {...(one.of ? { max: one.of, value: one.done } : {})} />}
            {!one.ended && one.stage && <span class="quiet">{one.stage}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

const told = (error: unknown): string =>
  typeof error === "string" ? error : String((error as Dict)?.["error"] ?? (error as Dict)?.["message"] ?? JSON.stringify(error));

export function Tools() {
  const t = useWords();
  const { data, failed, again } = useLoaded<Tool[]>("/weiwo/tools");
  return (
    <Page head={t("tools")} failed={failed} again={again} waits={!data}>
      <ul class="rows">
        {data?.map((one) => (
          <li key={`${one.server ?? ""} ${one.name}`} data-tool={one.name}>
            <div><b class="mono">{visible(one.name)}</b>{one.server && <span class="quiet"> · {visible(one.server)}</span>} <span class={`tag${one.acts ? " warn" : ""}`}>{one.acts ? t("acts") : t("readsOnly")}</span></div>
            <p>{visible(one.description)}</p>
            <p class="quiet">{[one.used ? t("used", one.used) : "", one.failed ? t("failedTimes", one.failed) : "", one.health && one.health !== "up" ? `${t("health")}: ${healthOf(one.health)}` : ""].filter(Boolean).join(" · ")}</p>
          </li>
        ))}
      </ul>
    </Page>
  );
}

const healthOf = (health: unknown): string => (health == null ? "" : typeof health === "object" ? Object.entries(health as Dict).map(([key, value]) => `${key}: ${String(value)}`).join(", ") : String(health));

export function Settings() {
  const t = useWords();
  const { data, failed, again } = useLoaded<Setting[]>("/weiwo/settings");
  const info = useStore((now) => now.info);
  return (
    <Page head={t("settings")} failed={failed} again={again} waits={!data}>
      {info && <p class="quiet">Weiwo {info.version}{info.user ? ` · ${info.user}` : ""}</p>}
      {info && !Object.keys(info.models ?? {}).length && <div class="card"><h3>{t("noModelTitle")}</h3><p>{t("noModel")}</p></div>}
      <div class="table" tabIndex={0} role="group" aria-label={t("settings")}>
        <table>
          <thead><tr><th scope="col">{t("setting")}</th><th scope="col">{t("value")}</th><th scope="col" /></tr></thead>
          <tbody>
            {[...(data ?? [])].sort((a, b) => Number(a.from === "default") - Number(b.from === "default")).map((one) => (
              <tr key={one.name} data-setting={one.name}>
                <td><span class="mono">{one.name}</span>{one.says && <p class="quiet">{visible(one.says)}</p>}</td>
                <td class="mono">{one.value === null || one.value === "" || one.value === undefined ? <span class="quiet">{t("notSet")}</span> : visible(typeof one.value === "string" ? one.value : JSON.stringify(one.value))}</td>
                <td class="quiet origin">{t("from", one.from)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Page>
  );
}
