// The side panel: a task with its calls, value and passages, or a source with the quoted words marked in context.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { get } from "./api";
import { forkHere } from "./session";
import { Inline, Outward, Place, openSource } from "./answer";
import { safeUrl, visible } from "./inline";
import { PassageText } from "./passage";
import { tasksOfClaim } from "./claims";
import { failureOf, flagsOf, reasonOf, seconds } from "./graph";
import { fill, shown, valueOf, type Call, type Row } from "./progress";
import { read, runAt, update, useStore, useWords, type Say, type Turn } from "./store";
import type { Citation, Evidence, Json, Outcome, Passage, Result } from "./types";
import { calculation, messageOf, placeIn, readable, stepName, toolName } from "./words";

export function Panel() {
  const panel = useStore((now) => now.panel);
  const turn = useStore((now) => now.turns.find((one) => one.key === now.panel?.turn));
  const t = useWords();
  const box = useRef<HTMLElement>(null);
  const before = useRef<Element | null>(null);
  const shows = panel ? `${panel.turn} ${panel.task ?? ""} ${panel.source ?? ""} ${panel.claim ?? ""}` : "";
  useLayoutEffect(() => { // whoever sees it is in it: Escape closes it
    if (!shows) return;
    if (!box.current?.contains(document.activeElement)) before.current = document.activeElement;
    box.current?.focus({ preventScroll: true });
  }, [shows]);
  if (!panel || !turn) return null;
  const close = (): void => {
    update({ panel: null });
    if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus();
  };
  const row = panel.task === undefined ? undefined : findRow(turn, panel.task);
  return (
    <aside
      class="panel" ref={box} tabIndex={-1} aria-label={panel.source ? t("source", panel.source) : (row?.description ?? t("plan"))}
      onKeyDown={(event) => { if (event.key === "Escape") close(); }}
    >
      <button class="icon close" aria-label={t("close")} onClick={close}>×</button>
      {row && <TaskDetail turn={turn} row={row} t={t} />}
      {panel.claim !== undefined && turn.result && <ClaimDetail turn={turn} result={turn.result} at={panel.claim} source={panel.source} t={t} />}
      {panel.source !== undefined && turn.result && <SourceDetail key={shows} turn={turn} result={turn.result} n={panel.source} t={t} />}
    </aside>
  );
}

/** What checking a claim found, and the ways to what it rests on. */
function ClaimDetail({ turn, result, at, source, t }: { turn: Turn; result: Result; at: number; source: number | undefined; t: Say }) {
  const language = useStore((now) => now.language);
  const claim = result.claims[at];
  if (!claim) return null;
  return (
    <div class={`claim-detail ${claim.verdict}`} data-claim-detail={at}>
      <p class="verdict">{t(`verdict_${claim.verdict}`)}</p>
      {claim.reason && <p class="reason">{visible(claim.reason)}</p>}
      <blockquote><Inline text={claim.text} /></blockquote>
      <p>
        {claim.citations.length > 1 && claim.citations.map((n) => (
          <button key={n} class="chip" aria-pressed={n === source} onClick={() => update({ panel: { turn: turn.key, claim: at, source: n } })}>{t("source", n)}</button>
        ))}
        {[...tasksOfClaim(result, at)].map((id) => <button key={id} class="chip" onClick={() => update({ panel: { turn: turn.key, task: id } })}>{stepName(language, id)}</button>)}
      </p>
    </div>
  );
}

function findRow(turn: Turn, id: string): Row | undefined {
  const { rows } = runAt(turn);
  return rows.get(id) ?? [...rows.values()].flatMap((row) => row.instances).find((one) => one.id === id);
}

function TaskDetail({ turn, row, t }: { turn: Turn; row: Row; t: Say }) {
  const { result } = turn;
  const language = useStore((now) => now.language);
  const run = runAt(turn);
  const outcome = row.state === "waiting" ? undefined : result?.outcomes[row.id];
  const ids = new Set([...(outcome?.evidence_ids ?? [])]);
  const passages = (result?.evidence ?? []).filter((one) => ids.has(one.id) || one.task_ids.includes(row.id));
  const facts = [
    toolName(language, row.tool || row.plannedTool), ...flagsOf(row, t), row.seconds ? seconds(row.seconds) : "",
    row.decidedBy && row.state === "succeeded" ? t("decidedBy", row.decidedBy === "model" ? t("model") : t("rule")) : "",
    row.state === "succeeded" && outcome?.confidence !== undefined && outcome.confidence < 1 ? t("confidence", `${Math.round(outcome.confidence * 100)} %`) : "",
  ].filter(Boolean);
  return (
    <div class="task-detail" data-detail={row.id}>
      <p class={`eyebrow ${row.state}`}>{[t(`state_${row.state}`), failureOf(row, t)].filter(Boolean).join(" · ")} · <span>{stepName(language, row.id)}</span></p>
      <h3>{fill(run, row.description)}</h3>
      {row.value && <p class="big-value">{row.value}</p>}
      {row.reason && <p class="reason">{visible(reasonOf(run, row, t, language))}</p>}
      <p class="quiet">{facts.join(" · ")}</p>
      {row.notes.map((note) => <p key={note} class="note">{note}</p>)}
      {outcome?.premise && <p class="note">{outcome.premise}</p>}
      {turn.state === "done" && result?.plan?.vertices.some((one) => one.id === row.id) && <OtherValue key={row.id} turn={turn} row={row} t={t} />}
      {row.thought && <Part head={t("thought")}><p class="thought">{row.thought}</p></Part>}
      {row.upstream.length > 0 && (
        <Part head={t("needs")}>
          <p>{row.upstream.map((id) => <button key={id} class="chip" onClick={() => update({ panel: { turn: turn.key, task: id } })}>{stepName(language, id)}{run.rows.get(id)?.value ? ` = ${run.rows.get(id)?.value}` : ""}</button>)}</p>
        </Part>
      )}
      {row.instances.length > 0 && (
        <Part head={t("instances", row.instances.filter((one) => one.state !== "running" && one.state !== "waiting").length, row.instances.length)}>
          <ol class="instances">
            {row.instances.map((one) => (
              <li key={one.id} data-task={one.id} data-state={one.state}>
                <button class="plain" onClick={() => update({ panel: { turn: turn.key, task: one.id } })}><span>{one.description || one.id}</span> <b>{one.value || t(`state_${one.state}`)}</b></button>
              </li>
            ))}
          </ol>
        </Part>
      )}
      {outcome?.rivals?.length ? <Rivals outcome={outcome} t={t} /> : null}
      {row.calls.length > 0
        ? <Part head={t("calls")}><ol class="calls">{row.calls.map((call, at) => <CallView key={at} call={call} t={t} />)}</ol></Part>
        : Object.keys(row.args).length > 0 && <Part head={t("arguments")}><Args args={row.args} /></Part>}
      {passages.length > 0 && <Part head={t("passagesRead")}>{passages.map((one) => <PassageView key={one.id} one={one} outcome={outcome} turn={turn} t={t} />)}</Part>}
    </div>
  );
}

/** Runs on with another value of a task; only what builds on it runs again. */
function OtherValue({ turn, row, t }: { turn: Turn; row: Row; t: Say }) {
  const [open, setOpen] = useState(false);
  const [value, setValue] = useState(row.value);
  const [failed, setFailed] = useState("");
  if (!open) return <button class="link" data-action="other-value" onClick={() => setOpen(true)}>{t("otherValue")}</button>;
  return (
    <form class="words" onSubmit={(event) => {
      event.preventDefault();
      forkHere(turn, { outcomes: { [row.id]: value } }).catch((error: unknown) => setFailed(messageOf(error)));
    }}>
      <label>{t("otherValue")}<input name="value" autofocus value={value} onInput={(event) => setValue(event.currentTarget.value)} /></label>
      {failed && <p class="complaint" role="alert">{failed}</p>}
      <div class="actions"><button class="primary" type="submit" disabled={!value.trim()}>{t("runOn")}</button><button type="button" onClick={() => setOpen(false)}>{t("close")}</button></div>
    </form>
  );
}

function Part({ head, children }: { head: string; children: ComponentChildren }) {
  return <section class="part"><h4>{head}</h4>{children}</section>;
}

function CallView({ call, t }: { call: Call; t: Say }) {
  const language = useStore((now) => now.language);
  return (
    <li data-call={call.turn}>
      <span class="node-tool">{toolName(language, call.tool)}</span>{call.cached && <span class="tag">{t("cached")}</span>}
      <Args args={call.args} />
    </li>
  );
}

/** A long value as its beginning and its end, with its length, so that nothing is hidden unsaid. */
function shortened(text: string): string {
  return text.length <= 2000 ? text : `${text.slice(0, 1500)} … ${text.slice(-300)} (${text.length.toLocaleString()})`;
}

export function Args({ args }: { args: Record<string, Json> }) {
  const language = useStore((now) => now.language);
  return (
    <dl class="args">
      {Object.entries(args).map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{shortened(visible(readable(language, shown(value))))}</dd></div>)}
    </dl>
  );
}

function Rivals({ outcome, t }: { outcome: Outcome; t: Say }) {
  const language = useStore((now) => now.language);
  const sides = [{ value: outcome.value, quotes: outcome.quotes ?? [] }, ...(outcome.rivals ?? [])];
  return (
    <Part head={t("rivals")}>
      <div class="rivals">
        {sides.map((side, at) => (
          <div key={at}>
            <b>{valueOf(side.value, outcome.type, language)}</b>
            {side.quotes.map((quote) => <blockquote key={quote.text}>{visible(quote.text)}</blockquote>)}
          </div>
        ))}
      </div>
    </Part>
  );
}

function PassageView({ one, outcome, turn, t }: { one: Evidence; outcome: Outcome | undefined; turn: Turn; t: Say }) {
  const n = turn.result?.citations.find((citation) => citation.evidence_id === one.id)?.n;
  const quotes = (outcome?.quotes ?? []).filter((quote) => quote.evidence_id === one.id).map((quote) => quote.text);
  return (
    <details class="passage" open={quotes.length > 0}>
      <summary>{n && <span class="cite">{n}</span>} {visible(one.title || one.source)} <Place of={one.locator ?? ""} /></summary>
      {one.flags?.includes("instructions") && <p class="note">{t("addressesModel")}</p>}
      <PassageText text={one.text} ranges={spans(one.text, quotes)} source={one.source} />
      {n && <button class="link" onClick={() => openSource(turn.key, n)}>{t("inContext")}</button>}
    </details>
  );
}

/** Where quotes stand in a text; spacing may differ. */
export function spans(text: string, quotes: string[]): [number, number][] {
  const places: number[] = [];
  let flat = "";
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string;
    if (/\s/u.test(sign)) continue;
    flat += sign;
    places.push(at);
  }
  const found: [number, number][] = [];
  for (const quote of quotes) {
    const wanted = quote.replace(/\s+/gu, "").replace(/…$/, "");
    const at = wanted ? flat.indexOf(wanted) : -1;
    if (at >= 0) found.push([places[at] as number, (places[at + wanted.length - 1] as number) + 1]);
  }
  return found.sort((a, b) => a[0] - b[0]);
}

function SourceDetail({ turn, result, n, t }: { turn: Turn; result: Result; n: number; t: Say }) {
  const citation = result.citations.find((one) => one.n === n);
  const passage = usePassage(result, n);
  const language = useStore((now) => now.language);
  const found = useRef<HTMLDivElement>(null);
  useEffect(() => {
    found.current?.querySelector("mark")?.scrollIntoView?.({ block: "nearest" });
  }, [passage]);
  if (!citation) return null;
  const evidence = result.evidence.find((one) => one.id === citation.evidence_id);
  const task = citation.source.startsWith("task:") ? citation.source.slice(5) : "";
  const text = passage?.text ?? evidence?.text ?? citation.quote;
  const extract = result.extracts.find((one) => one.n === n);
  const quotes = [citation.quote, ...Object.values(result.outcomes).flatMap((one) => one.quotes ?? []).filter((one) => one.evidence_id === citation.evidence_id).map((one) => one.text)];
  const given = passage?.quotes?.length ? passage.quotes : extract ? spans(text, extract.highlights.map(([a, b]) => extract.text.slice(a, b))) : spans(text, quotes);
  const place = placeIn(language, passage?.page ? `page ${passage.page}` : citation.locator ?? "");
  return (
    <div class="source-detail" data-passage={n}>
      <p class="eyebrow">{t("source", n)}{place && <> · {place}</>}</p>
      <h3>{visible(citation.title || citation.source)}</h3>
      {!task && <p class="quiet address"><Address address={passage?.url || citation.source} t={t} /></p>}
      {task && turn.run.rows.has(task) && <button class="chip" onClick={() => update({ panel: { turn: turn.key, task } })}>{t("calculation")} · {stepName(language, task)}</button>}
      {evidence?.flags?.includes("instructions") && <p class="note">{t("addressesModel")}</p>}
      {evidence?.superseded_by && <p class="note">{t("newerVersion", evidence.superseded_by)}</p>}
      {passage?.document && <p class="note">{t(passage.document === "gone" ? "documentGone" : "documentChanged")}</p>}
      <div class="context" ref={found}>
        {passage?.before && <div class="faded"><PassageText text={passage.before} ranges={[]} source={citation.source} /></div>}
        <PassageText text={text} ranges={merge(given)} source={citation.source} />
        {passage?.after && <div class="faded"><PassageText text={passage.after} ranges={[]} source={citation.source} /></div>}
      </div>
      {citation.also?.length ? <p class="quiet">{t("alsoAt", citation.also.slice(0, 3).join(", "))}</p> : null}
    </div>
  );
}

function merge(ranges: [number, number][]): [number, number][] {
  const out: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = out[out.length - 1];
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}

function usePassage(result: Result, n: number): Passage | null {
  const [passage, setPassage] = useState<Passage | null>(null);
  useEffect(() => {
    let here = true;
    const id = result.thread_id || read().threadId || "";
    get<Passage>(`/weiwo/threads/${encodeURIComponent(id)}/passages/${n}`).then(
      (found) => here && typeof found.text === "string" && setPassage(found),
      () => undefined, // the result's own passage is shown
    );
    return () => void (here = false);
  }, [result, n]);
  return passage;
}

export function Address({ address, t }: { address: string; t: Say }) {
  if (address.startsWith("task:")) return <>{t("calculation")}</>;
  return safeUrl(address) ? <Outward href={address}>{visible(address)}</Outward> : <span class="mono">{visible(address)}</span>;
}

/** The numbered sources below an answer. */
export function Sources({ turn, result }: { turn: Turn; result: Result }) {
  const t = useWords();
  const lit = useStore((now) => (now.lit?.turn === turn.key ? now.lit.claim : null));
  const language = useStore((now) => now.language);
  const cited = new Set(lit === null ? [] : result.claims[lit]?.citations);
  if (!result.citations.length) return null;
  return (
    <section class="sources" aria-label={t("sources")}>
      <header class="section-head"><h3>{t("sources")}</h3></header>
      <ol>
        {result.citations.map((one: Citation) => (
          <li key={one.n} class={cited.has(one.n) ? "lit" : ""} data-source={one.n}>
            <button class="plain" onClick={() => openSource(turn.key, one.n)}>
              <span class="cite" aria-hidden="true">{one.n}</span>
              <span class="source-words">
                <b>{visible(one.title || one.source)}</b>
                <span class="quiet">{one.source.startsWith("task:") ? visible(calculation(language, one.quote)) : visible([placeOf(one.source), placeIn(language, one.locator ?? "")].filter(Boolean).join(" · "))}</span>
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What tells a source from others where there is little room: its host, or its file's name. */
function placeOf(source: string): string {
  const url = safeUrl(source);
  return url ? new URL(url).host : source.slice(source.lastIndexOf("/", source.length - 2) + 1);
}
