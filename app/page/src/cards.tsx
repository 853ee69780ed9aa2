// Cards on which a person answers what a run waits for: a plan, a tool that acts, a question, or anything else.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { visible } from "./inline";
import { Graph } from "./graph";
import { Args } from "./panel";
import { checkPlan, draftOf, planOf, referredBy, type TaskDraft } from "./plan_draft";
import { apply, fill, newRun } from "./progress";
import { changeOf } from "./revisions";
import { answer, complaintsOf, forkHere } from "./session";
import { useStore, useWords, type Say, type Turn } from "./store";
import type { Dict, Interrupt, Json, Plan } from "./types";
import { messageOf, readable, stepName, toolName } from "./words";

export function Card({ turn, interrupt }: { turn: Turn; interrupt: Interrupt }) {
  const t = useWords();
  const { value } = interrupt;
  const complaints = Array.isArray(value["complaints"]) ? value["complaints"].map(String) : [];
  const type = String(value["type"] ?? "");
  const body = type === "approve_plan" && isPlan(value["plan"])
    ? <ApprovePlan turn={turn} interrupt={interrupt} plan={value["plan"]} t={t} />
    : type === "allow_tool"
      ? <AllowTool turn={turn} interrupt={interrupt} t={t} />
      : type === "clarify" || (value["question"] && Array.isArray(value["choices"]))
        ? <Clarify turn={turn} interrupt={interrupt} t={t} />
        : <Generic turn={turn} interrupt={interrupt} t={t} />;
  return (
    <section class="card" data-interrupt={type || "other"} aria-live="polite">
      {complaints.map((one) => <p key={one} class="complaint" role="alert">{one}</p>)}
      {body}
    </section>
  );
}

interface CardProps {
  turn: Turn;
  interrupt: Interrupt;
  t: Say;
}

const isPlan = (value: unknown): value is Plan => Array.isArray((value as Plan | null)?.vertices);

function ApprovePlan({ turn, interrupt, plan, t }: CardProps & { plan: Plan }) {
  const [mode, setMode] = useState<"look" | "edit" | "back">("look");
  const [drafts, setDrafts] = useState<TaskDraft[]>(() => draftOf(plan));
  const tools = useStore((now) => now.turns.find((one) => one.key === turn.key)?.run.assessed["tools"]);
  const { problems, edited } = useMemo(() => checkPlan(drafts), [drafts]);
  const complaints = useComplaints(mode === "edit" ? edited : null, plan);
  const note = String(interrupt.value["note"] ?? "");
  const drawn = useMemo(() => ({ ...turn, key: -1, run: apply(newRun(0), { type: "planned", plan: mode === "edit" && edited ? edited : plan }, 0) }), [edited, plan, mode]);
  const language = useStore((now) => now.language);
  const finished = (interrupt.value["finished"] ?? {}) as Record<string, string>;
  const before = [...turn.run.revisions, turn.run.plan].filter((one): one is Plan => !!one && one.revision < plan.revision).pop();
  const added = before ? plan.vertices.filter((one) => changeOf(one, before, "added") !== "kept") : [];
  const dropped = before ? before.vertices.filter((one) => changeOf(one, plan, "dropped") === "dropped") : [];
  const searched = before ? before.vertices.filter((one) => ["succeeded", "empty", "failed"].includes(turn.run.rows.get(one.id)?.state ?? "") || finished[one.id] !== undefined) : [];
  const valueFound = (id: string): string => finished[id] ?? (turn.run.rows.get(id)?.value || t("foundNothing"));
  return (
    <>
      <h3>{t("approveTitle")}</h3>
      <p class="quiet">{t(before ? "approveAgainHint" : "approveHint")}</p>
      {note && <p class="note">{note}</p>}
      {before && (
        <dl class="plan-changes" data-replan={plan.revision}>
          <Listed head={t("searchedAlready")} lines={searched.map((one) => `${fill(turn.run, one.description)} → ${valueFound(one.id)}`)} />
          <Listed head={t("changedInPlan")} lines={added.map((one) => readable(language, one.description))} />
          <Listed head={t("droppedFromPlan")} lines={dropped.map((one) => fill(turn.run, one.description))} />
        </dl>
      )}
      <Graph turn={drawn} />
      {mode === "edit"
        ? <PlanEditor drafts={drafts} change={setDrafts} problems={problems} complaints={complaints} tools={Array.isArray(tools) ? tools.map(String) : []} t={t} />
        : <details class="plan-details"><summary>{t("planDetails", plan.vertices.length)}</summary><ol class="plan-list">
            {plan.vertices.map((one) => (
              <li key={one.id}>
                <b>{stepName(language, one.id)}</b> <span class="node-tool">{toolName(language, one.tool_binding)}</span>
                {finished[one.id] !== undefined && <span class="tag">{t("alreadyDone")}: {finished[one.id]}</span>}
                <p>{visible(readable(language, one.description))}</p>
                <Args args={one.args} />
              </li>
            ))}
          </ol></details>}
      {mode === "back"
        ? <Words label={t("sendBackWords")} submit={t("sendBack")} cancel={() => setMode("look")} done={(words) => answer(turn, interrupt, { reject: words })} t={t} required />
        : <div class="actions">
            {mode === "edit"
              ? <button class="primary" data-action="run-edited" disabled={!edited || complaints.length > 0} onClick={() => edited && answer(turn, interrupt, { plan: planOf(edited, plan) as unknown as Json })}>{t("runEdited")}</button>
              : <button class="primary" data-action="approve" onClick={() => answer(turn, interrupt, "approve")}>{t("approve")}</button>}
            <button data-action="edit" onClick={() => { setDrafts(draftOf(plan)); setMode(mode === "edit" ? "look" : "edit"); }}>{mode === "edit" ? t("close") : t("edit")}</button>
            <button data-action="send-back" onClick={() => setMode("back")}>{t("sendBack")}</button>
          </div>}
    </>
  );
}

function Listed({ head, lines }: { head: string; lines: string[] }) {
  return lines.length ? <div><dt>{head}</dt>{lines.map((line) => <dd key={line}>{visible(line)}</dd>)}</div> : null;
}

/** What the server complains of in a plan that is fine as far as the page can tell; asked when typing pauses. */
function useComplaints(edited: Plan | null, original: Plan): string[] {
  const [complaints, setComplaints] = useState<string[]>([]);
  useEffect(() => {
    setComplaints([]);
    if (!edited) return undefined;
    let here = true;
    const timer = setTimeout(() => {
      complaintsOf(planOf(edited, original)).then((found) => here && setComplaints(found), () => undefined); // it says so when it is run
    }, 350);
    return () => { here = false; clearTimeout(timer); };
  }, [edited, original]);
  return complaints;
}

/** The plan of an ended run, to be changed and run again; what the change does not touch is kept. */
export function PlanChange({ turn, plan, close }: { turn: Turn; plan: Plan; close: () => void }) {
  const t = useWords();
  const [drafts, setDrafts] = useState<TaskDraft[]>(() => draftOf(plan));
  const [failed, setFailed] = useState("");
  const { problems, edited } = useMemo(() => checkPlan(drafts), [drafts]);
  const complaints = useComplaints(edited, plan);
  const tools = turn.run.assessed["tools"];
  const run = (): void => {
    if (edited) forkHere(turn, { plan: planOf(edited, plan) }).catch((error: unknown) => setFailed(messageOf(error)));
  };
  return (
    <section class="card" data-change="plan">
      <h3>{t("changePlan")}</h3>
      <p class="quiet">{t("changeHint")}</p>
      <PlanEditor drafts={drafts} change={setDrafts} problems={problems} complaints={complaints} tools={Array.isArray(tools) ? tools.map(String) : []} t={t} />
      <Problem text={failed} />
      <div class="actions">
        <button class="primary" data-action="run-changed" disabled={!edited || complaints.length > 0} onClick={run}>{t("runEdited")}</button>
        <button onClick={close}>{t("close")}</button>
      </div>
    </section>
  );
}

interface EditorProps {
  drafts: TaskDraft[];
  change: (drafts: TaskDraft[]) => void;
  problems: Map<string, string>;
  complaints: string[];
  tools: string[];
  t: Say;
}

function PlanEditor({ drafts, change, problems, complaints, tools, t }: EditorProps) {
  const language = useStore((now) => now.language);
  const set = (at: number, more: Partial<TaskDraft>): void => change(drafts.map((one, n) => (n === at ? { ...one, ...more } : one)));
  const problem = (key: string): string => {
    const found = problems.get(key);
    if (!found) return "";
    const [word, value] = found.split("\u0000");
    return t(word as "circle", value ?? "");
  };
  const known = [...new Set([...tools, ...drafts.map((one) => one.tool)])].filter(Boolean);
  return (
    <div class="editor">
      {drafts.map((one, at) => (
        <fieldset key={at} data-edit={one.id}>
          <legend>{stepName(language, one.id)}</legend>
          <button class="icon remove" aria-label={`${t("remove")}: ${stepName(language, one.id)}`} title={t("remove")} onClick={() => change(drafts.filter((_, n) => n !== at))}>×</button>
          <label>{t("description")}
            <textarea rows={2} value={one.description} aria-invalid={problems.has(`${one.id}.description`)} onInput={(event) => set(at, { description: event.currentTarget.value })} />
          </label>
          <Problem text={problem(`${one.id}.description`)} />
          <div class="pair">
            <label>{t("tool")}
              <select value={one.tool} onChange={(event) => set(at, { tool: event.currentTarget.value })}>{known.map((name) => <option key={name} value={name}>{toolName(language, name)}</option>)}</select>
            </label>
            <ArgFields text={one.args} invalid={problems.has(`${one.id}.args`)} change={(args) => set(at, { args })} t={t} />
          </div>
          <Problem text={problem(`${one.id}.args`)} />
          <Upstream one={one} drafts={drafts} set={(after) => set(at, { after })} t={t} />
        </fieldset>
      ))}
      <Problem text={problem("plan")} />
      {complaints.map((one) => <Problem key={one} text={visible(one)} />)}
      <button class="link" data-action="add-task" onClick={() => change([...drafts, emptyTask(drafts)])}>+ {t("addTask")}</button>
    </div>
  );
}

/** The tasks a task builds on: those it refers to, and those it waits for, which can be added and removed. */
function Upstream({ one, drafts, set, t }: { one: TaskDraft; drafts: TaskDraft[]; set: (after: string[]) => void; t: Say }) {
  const language = useStore((now) => now.language);
  const ids = drafts.map((other) => other.id);
  const referred = [...referredBy(one)].filter((id) => ids.includes(id));
  const after = one.after.filter((id) => ids.includes(id) && !referred.includes(id));
  const others = ids.filter((id) => id !== one.id && !referred.includes(id) && !after.includes(id));
  if (ids.length < 2) return null;
  return (
    <div class="upstream">
      <span>{t("needs")}</span>
      {referred.map((id) => <span key={id} class="tag" title={t("inReference")}>{stepName(language, id)}</span>)}
      {after.map((id) => <button key={id} class="chip" data-upstream={id} aria-label={`${t("remove")}: ${stepName(language, id)}`} onClick={() => set(after.filter((other) => other !== id))}>{stepName(language, id)} ×</button>)}
      {others.length > 0 && (
        <select name="upstream" aria-label={`${stepName(language, one.id)}: ${t("needs")}`} value="" onChange={(event) => { const id = event.currentTarget.value; event.currentTarget.value = ""; if (id) set([...after, id]); }}>
          <option value="">{t("addUpstream")}</option>
          {others.map((id) => <option key={id} value={id}>{stepName(language, id)}</option>)}
        </select>
      )}
    </div>
  );
}

function emptyTask(drafts: TaskDraft[]): TaskDraft {
  const used = new Set(drafts.map((one) => one.id));
  let n = drafts.length + 1;
  while (used.has(`task_${n}`)) n += 1;
  return { id: `task_${n}`, description: "", tool: drafts[0]?.tool ?? "corpus_search", args: '{"query": ""}', ret: "text", after: [], rest: {} };
}

function Problem({ text }: { text: string }) {
  return text ? <p class="complaint" role="alert">{text}</p> : null;
}

function Words({ label, submit, done, cancel, t, required }: { label: string; submit: string; done: (words: string) => void; cancel: () => void; t: Say; required?: boolean }) {
  const [words, setWords] = useState("");
  return (
    <form class="words" onSubmit={(event) => { event.preventDefault(); if (words.trim() || !required) done(words.trim()); }}>
      <label>{label}<textarea name="words" rows={2} autofocus value={words} onInput={(event) => setWords(event.currentTarget.value)} /></label>
      <div class="actions">
        <button class="primary" type="submit" disabled={required && !words.trim()}>{submit}</button>
        <button type="button" onClick={cancel}>{t("close")}</button>
      </div>
    </form>
  );
}

function AllowTool({ turn, interrupt, t }: CardProps) {
  const { value } = interrupt;
  const [mode, setMode] = useState<"look" | "edit" | "refuse">("look");
  const [text, setText] = useState(() => JSON.stringify(value["arguments"] ?? {}, null, 2));
  const read = readObject(text);
  return (
    <>
      <h3>{t("consentTitle")}</h3>
      <p><b class="mono">{visible(String(value["tool"] ?? ""))}</b>{value["server"] ? <span class="quiet"> · MCP {visible(String(value["server"]))}</span> : null}</p>
      {value["about"] ? <p class="quiet">{visible(String(value["about"]))}</p> : null}
      {value["question"] ? <p>{visible(String(value["question"]))}</p> : null}
      <p class="quiet">{t("consentHint")}</p>
      {mode === "edit"
        ? <ArgFields text={text} invalid={!read} change={setText} t={t} />
        : <Args args={(value["arguments"] ?? {}) as Record<string, Json>} />}
      {mode === "edit" && !read && <Problem text={t("notObject")} />}
      {mode === "refuse"
        ? <Words label={t("why")} submit={t("refuse")} cancel={() => setMode("look")} done={(words) => answer(turn, interrupt, { reject: words || "no" })} t={t} />
        : <div class="actions">
            <button class="primary" data-action="allow" disabled={mode === "edit" && !read} onClick={() => answer(turn, interrupt, mode === "edit" && read ? { arguments: read } : "approve")}>{t("allow")}</button>
            <button data-action="refuse" onClick={() => setMode("refuse")}>{t("refuse")}</button>
            <button data-action="edit" onClick={() => setMode(mode === "edit" ? "look" : "edit")}>{mode === "edit" ? t("close") : t("edit")}</button>
          </div>}
    </>
  );
}

/** Arguments, a field each; what is no text is typed as JSON. Where they are no object they are typed whole. */
function ArgFields({ text, invalid, change, t }: { text: string; invalid: boolean; change: (text: string) => void; t: Say }) {
  const known = readObject(text);
  const texts = useRef(new Set(Object.entries(known ?? {}).filter(([, one]) => typeof one === "string").map(([name]) => name)));
  if (!known || !Object.keys(known).length) {
    return <label>{t("arguments")}<textarea class="mono" rows={3} spellcheck={false} value={text} aria-invalid={invalid} onInput={(event) => change(event.currentTarget.value)} /></label>;
  }
  const set = (name: string, typed: string): void => {
    let value: Json = typed;
    if (!texts.current.has(name)) {
      try {
        value = JSON.parse(typed) as Json;
      } catch {
        value = typed; // not whole yet
      }
    }
    change(JSON.stringify({ ...known, [name]: value }));
  };
  return (
    <div class="arg-fields" role="group" aria-label={t("arguments")}>
      {Object.entries(known).map(([name, one]) => (
        <label key={name}><span class="mono">{name}</span>
          <input name={`arg-${name}`} spellcheck={false} value={typeof one === "string" ? one : JSON.stringify(one)} aria-invalid={invalid} onInput={(event) => set(name, event.currentTarget.value)} />
        </label>
      ))}
    </div>
  );
}

function readObject(text: string): Record<string, Json> | null {
  try {
    const value = JSON.parse(text) as Json;
    return value && typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function Clarify({ turn, interrupt, t }: CardProps) {
  const { value } = interrupt;
  const choices = (Array.isArray(value["choices"]) ? value["choices"] : []).map((one: unknown) => {
    const { text, label } = (one && typeof one === "object" ? one : {}) as Dict;
    return String(text ?? label ?? one);
  });
  const [words, setWords] = useState("");
  return (
    <>
      <p class="eyebrow">{t("clarifyTitle")}</p>
      <h3>{visible(String(value["question"] ?? value["description"] ?? ""))}</h3>
      <div class="choices">
        {choices.map((one) => <button key={one} data-choice={one} onClick={() => answer(turn, interrupt, one)}>{visible(one)}</button>)}
      </div>
      <form class="words" onSubmit={(event) => { event.preventDefault(); if (words.trim()) answer(turn, interrupt, words.trim()); }}>
        <label>{t("ownWords")}<textarea name="words" rows={1} value={words} onInput={(event) => setWords(event.currentTarget.value)} /></label>
        <div class="actions"><button class="primary" type="submit" disabled={!words.trim()}>{t("reply")}</button></div>
      </form>
    </>
  );
}

/** Whatever else waits: shown by its action requests, answered as LangChain's human-in-the-loop answers. */
function Generic({ turn, interrupt, t }: CardProps) {
  const { value } = interrupt;
  const requests = (Array.isArray(value["action_requests"]) ? value["action_requests"] : []) as { name?: string; args?: Record<string, Json>; description?: string }[];
  const [words, setWords] = useState("");
  const decide = (decision: Dict): void => answer(turn, interrupt, requests.length ? { decisions: requests.map(() => decision) } : decision);
  return (
    <>
      <h3>{t("genericTitle")}</h3>
      {requests.map((one, at) => (
        <div key={at}>
          <p class="mono">{visible(String(one.name ?? ""))}</p>
          {one.description && <p>{visible(one.description)}</p>}
          <Args args={one.args ?? {}} />
        </div>
      ))}
      {!requests.length && <p>{visible(String(value["description"] ?? value["question"] ?? JSON.stringify(value))).slice(0, 4000)}</p>}
      <form class="words" onSubmit={(event) => { event.preventDefault(); if (requests.length) decide({ type: "reject", message: words.trim() }); else answer(turn, interrupt, words.trim()); }}>
        <label>{t("ownWords")}<textarea name="words" rows={2} value={words} onInput={(event) => setWords(event.currentTarget.value)} /></label>
        <div class="actions">
          {requests.length > 0 && <button class="primary" type="button" data-action="approve" onClick={() => decide({ type: "approve" })}>{t("accept")}</button>}
          <button type="submit" disabled={!words.trim()}>{requests.length ? t("refuse") : t("reply")}</button>
        </div>
      </form>
    </>
  );
}
