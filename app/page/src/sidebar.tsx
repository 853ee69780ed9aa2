// Earlier questions, the other views, language and theme.
import { memo } from "preact/compat";
import { useEffect, useRef, useState } from "preact/hooks";
import { visible } from "./inline";
import { loadThreads, remove } from "./threads";
import { remember, update, useGuest, useStore, useWords, type Theme, type View } from "./store";
import type { Dict, ThreadRow } from "./types";
import { localeOf } from "./words";

export const Sidebar = memo(function Sidebar() {
  const t = useWords();
  const { threads, moreThreads, threadId, view, language, theme, info } = useStore(({ threads, moreThreads, threadId, view, language, theme, info }) => ({ threads, moreThreads, threadId, view, language, theme, info }));
  const [search, setSearch] = useState("");
  const typed = useRef(false);
  useEffect(() => {
    if (!typed.current) return undefined;
    const timer = setTimeout(() => void loadThreads(false, search.trim()), 250);
    return () => clearTimeout(timer);
  }, [search]);
  const shown = (threads ?? []).filter((one) => titleOf(one).toLowerCase().includes(search.trim().toLowerCase()));
  const guest = useGuest();
  const views: [View, string][] = [...(guest ? [] : [["memory", t("memory")] as [View, string]]), ["corpora", t("corpora")], ["tools", t("tools")], ["settings", t("settings")]];
  return (
    <nav class="sidebar" aria-label={t("menu")}>
      <a class="brand" href="#/"><Seal /><span><b>{t("title")}</b><small>{t("tagline")}</small></span></a>
      <a class="button new" href="#/" data-action="new">{t("newQuestion")}</a>
      <label class="sr" for="search">{t("searchThreads")}</label>
      <input id="search" type="search" name="search" placeholder={t("search")} value={search} onInput={(event) => { typed.current = true; setSearch(event.currentTarget.value); }} />
      <h2 class="sr">{t("threads")}</h2>
      <ul class="threads">
        {shown.map((one) => <ThreadLine key={one.thread_id} row={one} open={one.thread_id === threadId && view === "ask"} />)}
        {threads && !shown.length && <li class="quiet empty-list">{search ? t("noMatch") : t("noThreads")}</li>}
        {moreThreads && <li><button class="link" onClick={() => void loadThreads(true)}>{t("more")}</button></li>}
      </ul>
      <ul class="views">
        {views.map(([name, label]) => <li key={name}><a href={`#/${name}`} aria-current={view === name ? "page" : undefined}>{label}</a></li>)}
      </ul>
      <div class="switches">
        <div role="group" aria-label={t("language")} class="switch">
          {(["en", "zh"] as const).map((one) => (
            <button key={one} lang={localeOf(one)} aria-pressed={language === one} data-language={one} onClick={() => { remember("language", one); update({ language: one }); }}>{one === "zh" ? "中文" : "English"}</button>
          ))}
        </div>
        <label class="choice"><span class="sr">{t("theme")}</span>
          <select name="theme" aria-label={t("theme")} value={theme} onChange={(event) => { const chosen = event.currentTarget.value as Theme; remember("theme", chosen); update({ theme: chosen }); }}>
            {(["auto", "light", "dark"] as const).map((one) => <option key={one} value={one}>{t(one)}</option>)}
          </select>
        </label>
      </div>
      {info?.auth && info.auth !== "none" && <button class="link" onClick={() => void fetch("./weiwo/logout", { method: "POST" }).then(() => location.reload())}>{t("logout")}</button>}
    </nav>
  );
});

/** The mark of Weiwo: a tent, in which a campaign is planned. */
export function Seal() {
  return <svg class="seal" viewBox="0 0 36 36" aria-hidden="true"><rect width="36" height="36" rx="9" class="seal-ground"/><path d="M18 7v3M18 10 6.5 27.5h23ZM18 17l-3.8 10.5h7.6Z" class="seal-lines"/></svg>;
}

/** What a thread is called: its question. */
export function titleOf(row: ThreadRow): string {
  const values: Dict = row.values ?? {};
  const title = row.metadata?.["question"] ?? row.metadata?.["name"] ?? values["question"] ?? (values["result"] as Dict | undefined)?.["question"];
  return typeof title === "string" && title ? title : row.thread_id;
}

function ThreadLine({ row, open }: { row: ThreadRow; open: boolean }) {
  const t = useWords();
  return (
    <li class={open ? "open" : ""} data-thread={row.thread_id}>
      <a href={`#/t/${encodeURIComponent(row.thread_id)}`} aria-current={open ? "page" : undefined}>
        {(row.status === "busy" || row.status === "interrupted" || row.status === "error") && <span class={`dot ${row.status}`} title={row.status === "busy" ? t("status_running") : row.status === "error" ? t("status_failed") : t("status_waiting")} />}
        {visible(titleOf(row))}
      </a>
      <button class="icon" aria-label={`${t("delete_")}: ${titleOf(row)}`} onClick={() => { if (confirm(t("deleteSure"))) void remove(row.thread_id).catch((error: unknown) => alert(String(error))); }}>×</button>
    </li>
  );
}
