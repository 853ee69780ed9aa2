// Settings that the operator sets: a model, embeddings and a web search, each tried before it is kept, and a budget a day.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { get, request } from "./api";
import { loadInfo } from "./info";
import { visible } from "./inline";
import { remember, update, useStore, useWords, type Say } from "./store";
import { localeOf, messageOf } from "./words";

export interface Setup {
  /** Variables by name; of a key only "set". */
  values: Record<string, string>;
  /** Those that the server's environment sets. */
  fixed: string[];
  /** The variable of each search provider's key. */
  providers: Record<string, string>;
  cost_per_day: number | null;
}

interface Tried {
  works: boolean;
  said: string;
  seconds: number;
  setup: Setup;
}

export interface Server {
  kind: string;
  base_url: string;
  problem: string;
  models: { name: string; served: number | null; chats: boolean }[];
}

type Fields = Record<string, string>;

const PATH = "/weiwo/setup";
/** How long a trial may take: a small model on a processor needs minutes. */
const PATIENCE = 240_000;

export function SetupForms() {
  const t = useWords();
  const [setup, setSetup] = useState<Setup | null>(null);
  const [failed, setFailed] = useState("");
  useEffect(() => { get<Setup>(PATH).then(setSetup, (error: unknown) => setFailed(messageOf(error))); }, []);
  const changed = (now: Setup): void => { setSetup(now); void loadInfo(); };
  if (failed) return <p class="complaint" role="alert">{failed}</p>;
  if (!setup) return <p class="quiet">{t("loading")}</p>;
  return (
    <div class="setup" data-setup>
      <ModelForm setup={setup} changed={changed} />
      <Form kind="embeddings" head={t("setupEmbeddings")} how={t("setupEmbeddingsHow")} setup={setup} changed={changed}
        fields={[["WEIWO_EMBEDDINGS", t("modelName"), "openai:text-embedding-3-small"], ["WEIWO_EMBEDDINGS_BASE_URL", t("modelAddress"), `${t("suchAs")} http://127.0.0.1:8000/v1`], ["WEIWO_EMBEDDINGS_API_KEY", t("modelKey"), ""]]} />
      <SearchForm setup={setup} changed={changed} />
      <Budget setup={setup} changed={changed} />
      <LanguageChoice />
    </div>
  );
}

/** Sends settings of a kind to be tried and kept. */
function useTrial(kind: string, changed: (setup: Setup) => void, t: Say): { say: string; bad: boolean; busy: boolean; send: (body: Fields) => Promise<boolean>; cancel: () => void } {
  const [say, setSay] = useState("");
  const [bad, setBad] = useState(false);
  const [busy, setBusy] = useState(false);
  const trial = useRef<AbortController | null>(null);
  const send = async (body: Fields): Promise<boolean> => {
    setBusy(true);
    setBad(false);
    setSay(t("trying"));
    const cancelled = new AbortController();
    trial.current = cancelled;
    try {
      const found = (await (await request("PUT", `${PATH}/${kind}`, body, { signal: AbortSignal.any([cancelled.signal, AbortSignal.timeout(PATIENCE)]) })).json()) as Tried;
      changed(found.setup);
      setBad(!found.works);
      setSay(found.works ? (found.said ? t("worked", found.seconds, visible(found.said)) : t("keptNow")) : t("didNotWork", visible(found.said)));
      return found.works;
    } catch (error) {
      setBad(true);
      setSay(cancelled.signal.aborted ? t("trialCancelled") : messageOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { say, bad, busy, send, cancel: () => trial.current?.abort() };
}

interface FormProps {
  kind: string;
  head: string;
  how: string;
  setup: Setup;
  changed: (setup: Setup) => void;
  fields: [string, string, string][];
  /** Values that were chosen beside the form. */
  chosen?: Fields;
  /** Settings that go with what is typed. */
  beside?: Fields;
  children?: ComponentChildren;
}

function Form({ kind, head, how, setup, changed, fields, chosen, beside, children }: FormProps) {
  const t = useWords();
  const secret = (name: string): boolean => name.endsWith("_KEY");
  const [typed, setTyped] = useState<Fields>({});
  useEffect(() => { if (chosen) setTyped((now) => ({ ...now, ...chosen })); }, [chosen]);
  const { say, bad, busy, send, cancel } = useTrial(kind, changed, t);
  const valueOf = (name: string): string => typed[name] ?? (secret(name) ? "" : (setup.values[name] ?? ""));
  const fixed = fields.map(([name]) => name).filter((name) => setup.fixed.includes(name));
  const open = fixed.includes(fields[0]?.[0] ?? "") ? [] : fields.filter(([name]) => !setup.fixed.includes(name));
  const keep = (): void => {
    const body: Fields = { ...beside };
    for (const [name] of open) if (!secret(name) || typed[name]) body[name] = valueOf(name).trim();
    void send(body).then((works) => { if (works) setTyped({}); });
  };
  const any = open.some(([name]) => setup.values[name]);
  return (
    <section class="setup-part" data-setup-part={kind}>
      <h2>{head}</h2>
      <p class="quiet">{how}</p>
      {fixed.length > 0 && <p class="note">{t("fixedByEnvironment", fixed.join(", "))}</p>}
      {children}
      {open.length > 0 && (
        <form onSubmit={(event) => { event.preventDefault(); keep(); }}>
          {open.map(([name, label, example]) => (
            <label key={name}><span>{label}</span>
              {name === "WEIWO_WEB"
                ? <select name={name} disabled={busy} value={valueOf(name)} onChange={(event) => setTyped({ ...typed, [name]: event.currentTarget.value })}>
                    {["", "on", "off"].map((one) => <option key={one} value={one}>{one ? t(one as "on") : t("notSet")}</option>)}
                  </select>
                : <input name={name} type={secret(name) ? "password" : "text"} autocomplete="off" spellcheck={false} disabled={busy}
                placeholder={secret(name) && setup.values[name] ? t("keyIsSet") : example} value={valueOf(name)} onInput={(event) => setTyped({ ...typed, [name]: event.currentTarget.value })} />}
            </label>
          ))}
          <div class="actions">
            <button class="primary" type="submit" data-action="keep" disabled={busy}>{t("tryAndKeep")}</button>
            {busy && <button type="button" data-action="cancel-trial" onClick={cancel}>{t("cancelTrial")}</button>}
            {any && <button type="button" data-action="take-out" disabled={busy} onClick={() => { setTyped({}); void send(Object.fromEntries(open.map(([name]) => [name, ""]))); }}>{t("takeOut")}</button>}
          </div>
        </form>
      )}
      {say && <p class={bad ? "complaint" : "quiet"} role="status" data-trial={busy ? "running" : bad ? "failed" : "kept"}>{say}</p>}
    </section>
  );
}

function ModelForm({ setup, changed }: { setup: Setup; changed: (setup: Setup) => void }) {
  const t = useWords();
  const [servers, setServers] = useState<Server[] | null>(null);
  const [looking, setLooking] = useState(false);
  const [chosen, setChosen] = useState<Fields | undefined>();
  const [failed, setFailed] = useState("");
  const look = (): void => {
    setLooking(true);
    get<Server[]>(`${PATH}/models`).then(setServers, (error: unknown) => setFailed(messageOf(error))).finally(() => setLooking(false));
  };
  const found = (servers ?? []).flatMap((server) => server.models.filter((one) => one.chats).map((one) => ({ ...one, server })));
  return (
    <Form kind="model" head={t("setupModel")} how={t("setupModelHow")} setup={setup} changed={changed} {...(chosen && { chosen })}
      fields={[["WEIWO_MODEL", t("modelName"), "openai:gpt-5-mini"], ["OPENAI_BASE_URL", t("modelAddress"), `${t("suchAs")} http://127.0.0.1:11434/v1`], ["OPENAI_API_KEY", t("modelKey"), ""]]}>
      <p><button class="link" type="button" data-action="find-models" disabled={looking} onClick={look}>{looking ? t("loading") : t("findModels")}</button></p>
      {servers && !found.length && <p class="quiet" role="status">{t("noneFound")}</p>}
      {failed && <p class="complaint" role="alert">{failed}</p>}
      {found.length > 0 && (
        <p class="found">
          {found.slice(0, 12).map((one) => (
            <button key={one.server.base_url + one.name} type="button" class="chip" data-found={one.name} onClick={() => setChosen({ WEIWO_MODEL: `openai:${one.name}`, OPENAI_BASE_URL: one.server.base_url })}>{visible(one.name)} · {visible(one.server.kind)}</button>
          ))}
        </p>
      )}
    </Form>
  );
}

function SearchForm({ setup, changed }: { setup: Setup; changed: (setup: Setup) => void }) {
  const t = useWords();
  const withKey = Object.entries(setup.providers).find(([, key]) => setup.values[key])?.[0];
  const [provider, setProvider] = useState(withKey ?? (setup.values["SEARXNG_BASE_URL"] ? "searxng" : ""));
  const key = setup.providers[provider];
  const fields: [string, string, string][] = key ? [[key, t("modelKey"), ""]] : provider === "searxng" ? [["SEARXNG_BASE_URL", t("modelAddress"), `${t("suchAs")} http://127.0.0.1:8888`]] : [["WEIWO_WEB", t("useWeb"), ""]];
  return (
    <Form key={provider} kind="search" head={t("setupSearch")} how={t("setupSearchHow")} setup={setup} changed={changed} fields={fields} beside={provider && !setup.fixed.includes("WEIWO_WEB") ? { WEIWO_WEB: "on" } : {}}>
      <label class="choice"><span>{t("provider")}</span>
        <select name="provider" value={provider} onChange={(event) => setProvider(event.currentTarget.value)}>
          <option value="">{t("withoutKey")}</option>
          {["searxng", ...Object.keys(setup.providers)].map((name) => <option key={name} value={name}>{name}</option>)}
        </select>
      </label>
    </Form>
  );
}

function Budget({ setup, changed }: { setup: Setup; changed: (setup: Setup) => void }) {
  const t = useWords();
  const [amount, setAmount] = useState(setup.cost_per_day === null ? "" : String(setup.cost_per_day));
  const [said, setSaid] = useState("");
  const [bad, setBad] = useState(false);
  const keep = (): void => {
    const value = amount.trim() ? Number(amount) : null;
    request("PUT", `${PATH}/budget`, { cost_per_day: value }).then(
      async (response) => { changed((await response.json()) as Setup); setBad(false); setSaid(t("keptNow")); },
      (error: unknown) => { setBad(true); setSaid(messageOf(error)); },
    );
  };
  return (
    <section class="setup-part" data-setup-part="budget">
      <h2>{t("setupBudget")}</h2>
      <p class="quiet">{t("setupBudgetHow")}</p>
      <form onSubmit={(event) => { event.preventDefault(); keep(); }}>
        <label><span>{t("dollars")}</span><input name="cost_per_day" type="number" min="0" step="any" value={amount} onInput={(event) => setAmount(event.currentTarget.value)} /></label>
        <div class="actions"><button class="primary" type="submit" data-action="keep">{t("keep")}</button></div>
      </form>
      {said && <p class={bad ? "complaint" : "quiet"} role="status">{said}</p>}
    </section>
  );
}

function LanguageChoice() {
  const t = useWords();
  const language = useStore((now) => now.language);
  return (
    <section class="setup-part" data-setup-part="language">
      <h2>{t("language")}</h2>
      <div role="group" aria-label={t("language")} class="switch">
        {(["en", "zh"] as const).map((one) => (
          <button key={one} lang={localeOf(one)} aria-pressed={language === one} onClick={() => { remember("language", one); update({ language: one }); }}>{one === "zh" ? "中文" : "English"}</button>
        ))}
      </div>
    </section>
  );
}
