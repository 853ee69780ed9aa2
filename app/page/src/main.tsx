// The page: one shell around the conversation, the side panel and the other views.
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { whenLoginNeeded, whichLanguage } from "./api";
import { AskBox, typeQuestion } from "./ask";
import { loadInfo, needLogin } from "./info";
import { Login, LoginAgain } from "./login";
import { Panel } from "./panel";
import { open, route } from "./session";
import { Sidebar } from "./sidebar";
import { read, update, useStore, useWords, type View } from "./store";
import { statusOf, TurnView } from "./turn";
import { Corpora, Settings, Tools } from "./views";
import { Memory } from "./memory";
import { localeOf } from "./words";

const EXAMPLES = {
  en: ["Who was older, Emperor Wu of Han or Julius Caesar, and by how many years?", "Which of the sample documents speak of Cambridge?"],
  zh: ["汉武帝和凯撒谁年长？大多少岁？", "《红楼梦》的作者是谁？"],
};

function App() {
  const { view, language, theme, line, login: asked, menu, panel, status, question } = useStore((now) => {
    const { view, language, theme, line, login, menu, panel } = now;
    const last = now.turns[now.turns.length - 1];
    const status = now.loading ? "loading" : view !== "ask" ? view : now.missing ? "missing" : statusOf(last);
    return { view, language, theme, line, login, menu, panel: Boolean(panel), status, question: last?.question };
  });
  const t = useWords();
  const known = useStore((now) => Boolean(now.threads)); // somebody was logged in before
  useEffect(() => {
    document.documentElement.lang = localeOf(language);
    document.title = question === undefined ? t("title") : `${question.slice(0, 60)} · ${t("title")}`;
  }, [language, question]);
  useEffect(() => {
    if (theme === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  if (asked && !known) return <div class="shell alone" data-status="login"><main><Login again={false} /></main></div>;
  return (
    <div class={`shell${menu ? " menu-open" : ""}${panel ? " with-panel" : ""}`} data-status={asked ? "login" : status} data-line={line}>
      <Skip to={view === "ask" ? "question" : "content"} />
      <header class="topbar"><button class="icon" aria-label={t("menu")} aria-expanded={menu} onClick={() => update({ menu: !menu })}>☰</button><a href="#/"><b>{t("title")}</b></a></header>
      <Sidebar />
      <main id="content" tabIndex={-1}>
        <Line />
        {view === "ask" ? <Conversation /> : <Shown view={view} />}
      </main>
      <Panel />
      {asked && <LoginAgain />}
    </div>
  );
}

/** The first thing that a keyboard comes to: past the sidebar, to where one asks or to what is shown. */
function Skip({ to }: { to: "question" | "content" }) {
  const t = useWords();
  return <a class="skip" href={`#${to}`} onClick={(event) => { event.preventDefault(); document.getElementById(to)?.focus(); }}>{t(to === "question" ? "skip" : "skipToContent")}</a>;
}

function Shown({ view }: { view: View }) {
  return view === "memory" ? <Memory /> : view === "corpora" ? <Corpora /> : view === "tools" ? <Tools /> : <Settings />;
}

/** The state of the connection, said where it is lost and where it is back. */
function Line() {
  const t = useWords();
  const line = useStore((now) => now.line);
  const infoError = useStore((now) => now.infoError);
  useEffect(() => {
    if (!infoError) return undefined;
    const timer = setInterval(() => void loadInfo(), 3000);
    return () => clearInterval(timer);
  }, [infoError]);
  const said = infoError || line === "gone" ? t("serverGone") : line === "lost" ? t("lost") : "";
  return <p class={`line${said ? " bad" : ""}`} role="status" data-said={said ? line : undefined}>{said}</p>;
}

function Conversation() {
  const t = useWords();
  const { turns, loading, missing, info, language, threadId } = useStore(({ turns, loading, missing, info, language, threadId }) => ({ turns, loading, missing, info, language, threadId }));
  const last = turns[turns.length - 1];
  const running = last?.state === "running" ? last : undefined;
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (turns.length > 1) end.current?.scrollIntoView({ block: "start" });
  }, [turns.length]);
  if (loading) return <p class="quiet waits" role="status">{t("loading")}</p>;
  if (missing) {
    return (
      <div class="page"><div class="card bad" role="alert">
        <p>{missing === "404" ? t("notFound") : t("failedToLoad", missing)}</p>
        <div class="actions">
          <a class="button" href="#/">{t("newQuestion")}</a>
          {missing !== "404" && threadId && <button onClick={() => void open(threadId)}>{t("tryAgain")}</button>}
        </div>
      </div></div>
    );
  }
  const noModel = info && !Object.keys(info.models ?? {}).length;
  if (!turns.length) {
    return (
      <div class="welcome">
        <div class="welcome-inner">
          <h1>{t("tagline")}</h1>
          <p class="lead">{t("askHint")}</p>
          <AskBox running={undefined} />
          {info && <Examples questions={info.titles?.length ? info.titles.map((title) => t("aboutTitle", title)) : EXAMPLES[language]} />}
          {noModel && <p class="hint" data-hint="no-model"><b>{t("noModelTitle")}.</b> {t("noModel")} <a href="#/settings">{t("openSettings")}</a></p>}
          {info && !info.documents && !info.corpora?.length && !info.web && <p class="hint" data-hint="no-corpus"><b>{t("noCorpus")}.</b> {t("noCorpusHow")} <a href="#/corpora">{t("corpora")}</a></p>}
        </div>
      </div>
    );
  }
  return (
    <div class="conversation">
      <h1 class="sr">{t("title")}</h1>
      {turns.map((turn, at) => (
        <div key={turn.key} class={at > 0 && at === turns.length - 1 ? "latest" : ""} ref={at === turns.length - 1 ? end : undefined}>
          <TurnView turn={turn} last={at === turns.length - 1} />
          {noModel && turns.length === 1 && turn.state === "done" && turn.result && turn.result.status !== "complete" && <p class="hint" data-hint="no-model"><b>{t("noModelTitle")}.</b> {t("noModel")} <a href="#/settings">{t("openSettings")}</a></p>}
        </div>
      ))}
      {last?.state !== "waiting" && <div class="dock"><AskBox running={running} /></div>}
    </div>
  );
}

function Examples({ questions }: { questions: string[] }) {
  const t = useWords();
  return (
    <div class="examples" role="group" aria-label={t("examples")}>
      {questions.map((one) => <button key={one} class="link" onClick={() => typeQuestion(one)}>{one}</button>)}
    </div>
  );
}

whenLoginNeeded(needLogin);
whichLanguage(() => read().language);
addEventListener("hashchange", route);
addEventListener("popstate", () => { if (!location.hash) route(); });
render(<App />, document.getElementById("app") as HTMLElement);
route();
void loadInfo();
