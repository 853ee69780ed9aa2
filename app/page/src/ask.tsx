// The box one asks in.
import { memo } from "preact/compat";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { get } from "./api";
import { visible } from "./inline";
import { ask, cancel, type Options } from "./session";
import type { Server, Setup } from "./setup";
import { remember, useGuest, useOperator, useStore, useWords, type Turn } from "./store";
import { ChooseFiles, UploadList, useDrop, useUploads } from "./uploads";

export const OPTIONS: Options = { depth: "", form: "", language: "", model: "", approve: false, web: true, corpus: null };
let options = OPTIONS;

/** Languages to answer in, each by its own name; the question's is what is meant where none is chosen. */
const LANGUAGES: [string, string][] = [
  ["en", "English"], ["zh", "中文"], ["es", "Español"], ["fr", "Français"], ["de", "Deutsch"], ["pt", "Português"], ["it", "Italiano"], ["nl", "Nederlands"],
  ["pl", "Polski"], ["sv", "Svenska"], ["tr", "Türkçe"], ["ru", "Русский"], ["uk", "Українська"], ["ar", "العربية"], ["hi", "हिन्दी"], ["ja", "日本語"],
  ["ko", "한국어"], ["th", "ไทย"], ["vi", "Tiếng Việt"], ["id", "Bahasa Indonesia"],
];

/** Puts a question into the box, for a person to send or to change. */
export function typeQuestion(question: string): void {
  const box = document.getElementById("question") as HTMLTextAreaElement | null;
  if (!box) return;
  box.value = question;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  box.focus();
}

/** The options last chosen. */
export const chosenOptions = (): Options => options;

export const AskBox = memo(function AskBox({ running }: { running: Turn | undefined }) {
  const t = useWords();
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState("");
  const [chosen, choose] = useState(options);
  const web = useStore((now) => now.info?.web);
  const threadId = useStore((now) => now.threadId);
  const follows = useStore((now) => now.turns.length > 0);
  const guest = useGuest();
  const corpora = useStore((now) => now.info?.corpora) ?? [];
  const searches = useStore((now) => now.info?.searches) ?? [];
  const taken = chosen.corpus ?? searches;
  const [uploads, upload] = useUploads();
  const [over, dropping] = useDrop((files) => { if (!guest) void upload(files); });
  useLayoutEffect(() => {
    if (matchMedia("(min-width: 761px)").matches) box.current?.focus({ preventScroll: true }); // no keyboard pops up
  }, [threadId]);
  const set = (more: Partial<Options>): void => choose((options = { ...chosen, ...more }));
  const send = (): void => {
    const question = text.trim();
    if (!question || running) return;
    setText("");
    remember("asked", "yes");
    void ask(question, chosen);
  };
  return (
    <form class={`ask${over && !guest ? " over" : ""}`} {...dropping} onSubmit={(event) => { event.preventDefault(); send(); }}>
      <label class="sr" for="question">{t("question")}</label>
      <textarea
        id="question" name="question" ref={box} rows={follows ? 1 : 2} maxLength={20000} value={text}
        placeholder={follows ? t("followUp") : t("placeholder")}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
        }}
      />
      {uploads.length > 0 && <UploadList uploads={uploads} />}
      <div class="ask-row">
        <div class="ask-options">
          <Choice label={t("depth")} name="depth" value={chosen.depth} set={(depth) => set({ depth })}
            options={[["quick", t("quick")], ["", t("normal")], ["deep", t("deep")]]} />
          <Choice label={t("form")} name="form" value={chosen.form} set={(form) => set({ form })}
            options={[["", t("anyForm")], ["sentence", t("sentence")], ["list", t("list")], ["table", t("table")], ["report", t("report")], ["code", t("code")]]} />
          <Choice label={t("language_answer")} name="language" value={chosen.language} set={(language) => set({ language })}
            options={[["", t("asAsked")], ...LANGUAGES]} />
          <ModelChoice value={chosen.model} set={(model) => set({ model })} />
          <label class="check"><input type="checkbox" name="approve" checked={chosen.approve} onChange={(event) => set({ approve: event.currentTarget.checked })} /> {t("showPlanFirst")}</label>
          {web && <label class="check"><input type="checkbox" name="web" checked={chosen.web} onChange={(event) => set({ web: event.currentTarget.checked })} /> {t("useWeb")}</label>}
          {!guest && (
            <details class="corpora">
              <summary>{t("corpora")}{taken.length ? ` · ${taken.length}` : ""}</summary>
              <div>
                {corpora.map((name) => (
                  <label key={name} class="check"><input type="checkbox" name="corpus" value={name} checked={taken.includes(name)}
                    onChange={(event) => set({ corpus: event.currentTarget.checked ? [...taken, name] : taken.filter((one) => one !== name) })} /> {name}</label>
                ))}
                <ChooseFiles send={(files) => void upload(files)} label={t("addFiles")} />
              </div>
            </details>
          )}
        </div>
        {running
          ? <button class="stop" type="button" data-action="cancel" disabled={running.cancelling || !running.runId} onClick={() => void cancel(running)}>{running.cancelling ? t("cancelling") : t("cancel")}</button>
          : <button class="primary send" type="submit" disabled={!text.trim()}>{t("ask")}</button>}
      </div>
    </form>
  );
}, ({ running: a }, { running: b }) => a?.key === b?.key && a?.cancelling === b?.cancelling && a?.runId === b?.runId);

/** The model that answers: the one that is set up, another that its server has, or another in Settings. */
function ModelChoice({ value, set }: { value: string; set: (model: string) => void }) {
  const t = useWords();
  const info = useStore((now) => now.info);
  const operates = useOperator();
  const [found, setFound] = useState<string[] | null>(null);
  const configured = [...new Set(Object.values(info?.models ?? {}))];
  if (!info || (!operates && !info.chooses_model)) return null;
  const look = (): void => {
    if (found || !operates || !info.chooses_model || !configured[0]?.startsWith("openai:")) return;
    setFound([]);
    listServed().then(setFound, () => setFound([])); // without them the one that is set up is offered
  };
  const others = info.chooses_model ? [...new Set([...configured.slice(1), ...(found ?? [])])].filter((name) => name !== configured[0]) : [];
  return (
    <label class="choice" onPointerEnter={look} onFocusCapture={look}><span>{t("answeringModel")}</span>
      <select name="model" value={value} onChange={(event) => {
        if (event.currentTarget.value !== SETTINGS) return set(event.currentTarget.value);
        event.currentTarget.value = value;
        location.hash = "#/settings";
      }}>
        <option value="">{configured[0] ? shortName(configured[0]) : t("rulesAlone")}</option>
        {others.map((name) => <option key={name} value={name}>{shortName(name)}</option>)}
        {operates && <option value={SETTINGS}>{t(configured.length ? "otherModel" : "setUpModel")}</option>}
      </select>
    </label>
  );
}

const SETTINGS = " settings";

const shortName = (name: string): string => visible(name.slice(name.indexOf(":") + 1));

/** The chat models of the server that answers, by its address. */
async function listServed(): Promise<string[]> {
  const [setup, servers] = await Promise.all([get<Setup>("/weiwo/setup"), get<Server[]>("/weiwo/setup/models")]);
  const here = servers.filter((server) => server.base_url === setup.values["OPENAI_BASE_URL"]);
  return here.flatMap((server) => server.models.filter((one) => one.chats).map((one) => `openai:${one.name}`));
}

interface ChoiceProps {
  label: string;
  name: string;
  value: string;
  set: (value: string) => void;
  options: [string, string][];
}

function Choice({ label, name, value, set, options: given }: ChoiceProps) {
  return (
    <label class="choice"><span>{label}</span>
      <select name={name} value={value} onChange={(event) => set(event.currentTarget.value)}>
        {given.map(([key, words]) => <option key={key} value={key}>{words}</option>)}
      </select>
    </label>
  );
}
