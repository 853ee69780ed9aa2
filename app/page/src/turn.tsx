// One question and what came of it: phase, plan, what waits for a person, answer, sources, what it cost.
import { memo } from "preact/compat";
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "./api";
import { Answer, Draft } from "./answer";
import { chosenOptions, typeQuestion } from "./ask";
import { Card, PlanChange } from "./cards";
import { Earlier } from "./earlier";
import { History } from "./history";
import { visible } from "./inline";
import { Sources } from "./panel";
import { PlanView } from "./plan";
import { fill, phase, valueOf, type Run } from "./progress";
import { goOn, retry } from "./session";
import { read, remember, runAt, update, useGuest, useStore, useWords, type Say, type Turn } from "./store";
import type { Result } from "./types";
import { WishCard } from "./wishes";
import { inOwnWords, messageOf, stepName } from "./words";

/** The word for how a turn stands: that of its result, or of its run. */
export function statusOf(turn: Turn | undefined): string {
  if (!turn) return "idle";
  if (turn.state === "done") return turn.result?.status ?? "complete";
  return turn.state === "error" ? "failed" : turn.state;
}

export const TurnView = memo(function TurnView({ turn, last }: { turn: Turn; last: boolean }) {
  const t = useWords();
  const { run, result } = turn;
  const restated = String(run.assessed["question"] ?? "");
  const [open, setOpen] = useState(read().planOpen);
  const asks = turn.state === "waiting" && turn.interrupts.some((one) => one.value["type"] === "approve_plan");
  const plan = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(0);
  useEffect(() => { if (shown) plan.current?.scrollIntoView({ block: "nearest" }); }, [shown]); // a click shows it; a page that opens does not jump
  const toggle = (): void => { if (!open) setShown(shown + 1); setOpen(!open); remember("plan", open ? "" : "open"); update({ planOpen: !open }); };
  return (
    <article class="turn" data-turn={statusOf(turn)}>
      <h2 class="question">{visible(turn.question)}</h2>
      {restated && restated !== turn.question && <p class="restated">{visible(restated)}</p>}
      <WishCard turn={turn} />
      <Progress turn={turn} t={t} />
      {result && <Earlier result={result} />}
      {result && (
        <div class="answers">
          <Answer turn={turn} result={result} />
          {turn.before && <Before turn={turn} result={result} before={turn.before} />}
        </div>
      )}
      {!result && run.writing && turn.state !== "done" && <Written run={run} />}
      {!result && turn.message && <Draft text={turn.message} />}
      {result && <Sources turn={turn} result={result} />}
      {result && <Standing turn={turn} result={result} t={t} open={open} toggle={toggle} />}
      {turn.state === "waiting" && turn.interrupts.map((one) => <Card key={one.id + JSON.stringify(one.value["complaints"] ?? "")} turn={turn} interrupt={one} />)}
      {(turn.state === "interrupted" || turn.state === "cancelled") && last && (
        <div class="card" data-interrupt="resume">
          <p>{t("resumeHint")}</p>
          <div class="actions"><button class="primary" data-action="resume" onClick={() => goOn(turn)}>{t("resume")}</button></div>
        </div>
      )}
      {turn.error && (
        <div class="card bad" role="alert">
          <h3>{t(turn.runId ? "failedRun" : "notBegun")}</h3>
          <p>{visible(turn.error)}</p>
          {turn.state === "error" && <div class="actions">
            <button class="primary" data-action="retry" onClick={() => retry(turn, chosenOptions())}>{t("tryAgain")}</button>
            {turn.run.rows.size > 0 && <button data-action="resume" onClick={() => goOn(turn)}>{t("resume")}</button>}
          </div>}
        </div>
      )}
      {!asks && (!result || open || turn.moment) && <div ref={plan} class="plan-place"><PlanView turn={turn} /></div>}
      {result && <Notices turn={turn} result={result} t={t} />}
      {result && last && turn.state === "done" && <AskOn turn={turn} result={result} t={t} />}
      {result && <Foot turn={turn} result={result} t={t} last={last} />}
    </article>
  );
});

/** The answer as far as it is written; of a report first its outline, its sections as they come. */
function Written({ run }: { run: Run }) {
  if (run.answer || !run.sections.length) return <Draft text={run.answer} />;
  const done = run.sections.filter((one) => one.text);
  return (
    <>
      <ol class="outline">
        {run.sections.map((one, at) => <li key={at} data-section={one.text ? "written" : "open"}>{visible(one.title)}</li>)}
      </ol>
      {done.length > 0 && <Draft text={done.map((one) => `## ${one.title}\n\n${one.text}`).join("\n\n")} />}
    </>
  );
}

function Progress({ turn, t }: { turn: Turn; t: Say }) {
  const { run } = turn;
  const [, tick] = useState(0);
  const running = turn.state === "running";
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [running]);
  const level = String(run.assessed["level"] ?? "");
  const now = phase(run);
  if (!running) return null;
  const steps = ["thinking", "planning", "working", "reviewing", "writing"] as const;
  const at = steps.indexOf(now === "extending" ? "reviewing" : now === "done" ? "writing" : now);
  return (
    <div class="progress" data-phase={now}>
      <p role="status" aria-live="polite"><span class="pulse" aria-hidden="true" /> {t(now)}</p>
      <ol aria-hidden="true">{steps.map((step, n) => <li key={step} class={n < at ? "past" : n === at ? "now" : ""} />)}</ol>
      <p class="quiet" aria-hidden="true">
        {[
          level ? t(`level_${level}` as "level_simple") : "", `${Math.max(0, Math.round((performance.now() - run.began) / 1000))} s`,
          run.tokens ? t("usage", run.calls, run.tokens, [...run.rows.values()].reduce((sum, row) => sum + row.attempts, 0), "–").split(" · ").slice(0, 2).join(" · ") : "",
        ].filter(Boolean).join(" · ")}
      </p>
    </div>
  );
}

/** The answer before a change, beside the new one: which values of tasks differ, and its words. */
function Before({ turn, result, before }: { turn: Turn; result: Result; before: Result }) {
  const t = useWords();
  const value = (of: Result, id: string): string => (of.outcomes[id] ? valueOf(of.outcomes[id].value, of.outcomes[id].type, of.language) : "");
  const ids = [...new Set([...Object.keys(before.outcomes ?? {}), ...Object.keys(result.outcomes)])].filter((id) => value(before, id) !== value(result, id));
  return (
    <details class="before" data-before>
      <summary>{t("answerBefore")}</summary>
      {ids.length > 0 && (
        <dl class="changes" aria-label={t("changedValues")}>
          {ids.map((id) => <div key={id}><dt>{stepName(read().language, id)}</dt><dd><s>{visible(value(before, id)) || "–"}</s> → <b>{visible(value(result, id)) || "–"}</b></dd></div>)}
        </dl>
      )}
      <Answer turn={{ ...turn, key: -1 }} result={{ ...before, claims: [] }} />
    </details>
  );
}

/** The steps of a plan that found nothing, where the answer is partial because of them. */
function missedSteps(turn: Turn, result: Result) {
  const rows = [...turn.run.rows.values()];
  return result.status === "partial" && rows.length > 1 ? rows.filter((row) => ["empty", "failed", "blocked"].includes(row.state)) : [];
}

/** How an answer stands, below its sources: its status, how much of it was checked, the line that opens its plan. */
function Standing({ turn, result, t, open, toggle }: { turn: Turn; result: Result; t: Say; open: boolean; toggle: () => void }) {
  const resting = result.claims.filter((one) => ["quoted", "computed", "supported", "matched", "judgement"].includes(one.verdict)).length;
  const bound = result.claims.filter((one) => one.verdict !== "uncited").length;
  const unchecked = result.claims.filter((one) => one.verdict === "unchecked").length;
  const parts = result.parts ?? [];
  const tasks = turn.run.rows.size;
  return (
    <p class="badges">
      <span class={`badge ${result.status}`}>{t(`status_${result.status}`)}</span>
      {bound > 0 && <span class="quiet">{t("claimsChecked", resting, bound)}</span>}
      {parts.length > 1 && <span class="quiet" data-parts={parts.length}>{t("partsAnswered", parts.filter((one) => ["answered", "assumed"].includes(one.outcome)).length, parts.length)}</span>}
      {unchecked > 0 && <span class="warn" data-unchecked={unchecked}>{t("uncheckedClaims", unchecked)}</span>}
      {tasks > 0 && (
        <button class="link plan-line" data-action="show-plan" aria-expanded={open} onClick={toggle}>
          {t("planLine", tasks, result.usage.seconds < 10 ? result.usage.seconds.toFixed(1) : Math.round(result.usage.seconds))} · {t(open ? "hide" : "show")}
        </button>
      )}
      {result.usage.cost ? <span class="quiet" data-cost>{t("cost", result.usage.cost.toFixed(4))}</span> : null}
      {!missedSteps(turn, result).length && result.status !== "complete" && result.stop_reason !== "finished" && <span class="quiet">{t("stopReason", t(`stop_${result.stop_reason}` as "stop_no_plan"))}</span>}
    </p>
  );
}

/** Kinds of gaps whose words begin with what is missing or failed. */
const SAYS_ITSELF: ReadonlySet<string> = new Set(["uncovered", "failed"]);

/** What a reader should know beside an answer, last: what it leaves open, and what was not read. */
function Notices({ turn, result, t }: { turn: Turn; result: Result; t: Say }) {
  const missed = missedSteps(turn, result);
  const gaps = (result.gaps ?? []).filter((gap) => !missed.length || gap.kind !== "uncovered"); // told in the line above
  const notices = result.notices ?? [];
  return (
    <>
      {result.refreshed && (
        <div class="gaps" data-refreshed={result.refreshed.changes.length}>
          <h3>{t("refreshed", new Date(result.refreshed.at).toLocaleString())}</h3>
          <ul>
            {result.refreshed.changes.length === 0 && <li>{t("refreshedSame")}</li>}
            {result.refreshed.changes.map((one) => (
              <li key={one.task}>{visible(one.question).slice(0, 200)} <s>{visible(one.old).slice(0, 200) || "–"}</s> → <b>{visible(one.new).slice(0, 200) || "–"}</b> <span class="quiet">{visible(one.source)}</span></li>
            ))}
          </ul>
        </div>
      )}
      {missed.length > 0 && <p class="missing" data-missing={missed.length}>{t("missing", missed.length, turn.run.rows.size)}{missed.slice(0, 5).map((row) => fill(turn.run, row.description)).join(t("listed"))}</p>}
      {gaps.length > 0 && (
        <div class="gaps">
          <h3>{t("gaps")}</h3>
          <ul>{gaps.map((gap) => <li key={gap.kind + gap.text} data-gap={gap.kind}>{!SAYS_ITSELF.has(gap.kind) && <b>{t(`gap_${gap.kind}`)} </b>}{visible(gap.text)}</li>)}</ul>
        </div>
      )}
      {notices.map((one) => <p key={one} class="quiet notice" data-notice>{visible(one)}</p>)}
    </>
  );
}

const MOST_SUGGESTED = 3;

/** Questions to go on with: what was not found, then what other sources of the answer say. */
function AskOn({ turn, result, t }: { turn: Turn; result: Result; t: Say }) {
  const open = [...turn.run.rows.values()].filter((row) => ["empty", "failed"].includes(row.state)).map((row) => fill(turn.run, row.description));
  const titles = [...new Set(result.citations.filter((one) => !one.source.startsWith("task:")).map((one) => one.title.trim()).filter((title) => title.length > 2 && title.length < 60))];
  const asked = [...open, ...titles.map((title) => t("aboutTitle", title))].filter((one) => /[?？؟]$/.test(one) && one !== turn.question);
  const questions = [...new Set(asked)].slice(0, MOST_SUGGESTED);
  if (!questions.length) return null;
  return (
    <div class="examples ask-on" role="group" aria-label={t("goOnAsking")}>
      {questions.map((one) => <button key={one} class="chip" data-suggested onClick={() => typeQuestion(one)}>{visible(one)}</button>)}
    </div>
  );
}

/** Copies an answer, its citation marks and sources as they stand. */
function CopyAnswer({ text, t }: { text: string; t: Say }) {
  const [said, setSaid] = useState("");
  const copy = (): void => {
    const done = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error());
    done.then(() => setSaid(t("copied")), () => setSaid(t("notCopied")));
  };
  return <button class="link" data-action="copy" aria-live="polite" onClick={copy}>{said || t("copyAnswer")}</button>;
}

function Foot({ turn, result, t, last }: { turn: Turn; result: Result; t: Say; last: boolean }) {
  const { usage } = result;
  const failed = (usage.calls ?? []).filter((call) => call.error);
  const formats = useStore((now) => now.info?.formats);
  const guest = useGuest();
  const id = encodeURIComponent(result.thread_id || read().threadId || "");
  const [past, setPast] = useState(false);
  const [changing, setChanging] = useState(false);
  return (
    <footer class="foot">
      {failed.length > 0 && <p class="note">{t("modelTrouble", failed.length, inOwnWords(read().language, visible(String(failed[0]?.error)).slice(0, 200), failed[0]?.fault ? t(`fault_${failed[0].fault}` as "fault_late") : undefined))}</p>}
      <p class="quiet" data-usage>
        {t("usage", usage.model_calls, usage.input_tokens + usage.output_tokens, usage.tool_calls, usage.seconds.toFixed(1))}
      </p>
      {last && (
        <div class="foot-row">
          {formats && formats.length > 0 && (
            <div class="downloads" role="group" aria-label={t("download")}>
              <span class="quiet">{t("download")}</span>
              <a class="share" href={`./weiwo/threads/${id}/export?format=html`} download data-action="share">{t("share")}</a>
              {formats.filter((format) => format !== "html").map((format) => <a key={format} href={`./weiwo/threads/${id}/export?format=${encodeURIComponent(format)}`} download data-format={format}>{format.toUpperCase()}</a>)}
            </div>
          )}
          <CopyAnswer text={result.answer} t={t} />
          {!guest && <button class="link" data-action="history" aria-expanded={past} onClick={() => setPast(!past)}>{t("history")}</button>}
          {result.plan && !guest && <button class="link" data-action="change-plan" aria-expanded={changing} onClick={() => setChanging(!changing)}>{t("changePlan")}</button>}
          <span class="spring" />
          <Feedback id={id} t={t} />
        </div>
      )}
      {past && <History turn={turn} />}
      {changing && last && result.plan && <PlanChange key={turn.moment?.checkpointId} turn={turn} plan={runAt(turn).plan ?? result.plan} close={() => setChanging(false)} />}
    </footer>
  );
}

function Feedback({ id, t }: { id: string; t: Say }) {
  const [given, setGiven] = useState<"" | "asking" | "thanks" | string>("");
  const [words, setWords] = useState("");
  const send = (good: boolean): void => {
    post(`/weiwo/threads/${id}/feedback`, words.trim() ? { good, words: words.trim() } : { good }).then(
      () => setGiven("thanks"),
      (error: unknown) => setGiven(messageOf(error)),
    );
  };
  if (given === "thanks") return <p class="quiet" role="status" data-feedback="thanks">{t("feedbackThanks")}</p>;
  if (given === "asking") {
    return (
      <form class="feedback" onSubmit={(event) => { event.preventDefault(); send(false); }}>
        <label>{t("feedbackWords")}<input name="words" autofocus value={words} onInput={(event) => setWords(event.currentTarget.value)} /></label>
        <button type="submit">{t("send")}</button>
      </form>
    );
  }
  return (
    <div class="feedback" role="group">
      {given && <span class="complaint" role="alert">{given}</span>}
      <button class="link" data-feedback="good" onClick={() => send(true)}>{t("feedbackGood")}</button>
      <button class="link" data-feedback="bad" onClick={() => setGiven("asking")}>{t("feedbackBad")}</button>
    </div>
  );
}
