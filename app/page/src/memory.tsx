// What is remembered for whoever uses the page: their wishes, earlier answers and plans, listed, added to and forgotten.
import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { visible } from "./inline";
import { useStore, useWords, type Say } from "./store";
import { Page, useLoaded } from "./views";
import { forget, keep } from "./wishes";
import { messageOf, moment } from "./words";

interface Remembered {
  wishes: { key: string; text: string; since: string }[];
  answers: { key: string; question: string; thread_id: string; answered_at: string }[];
  plans: { key: string; wording: string; wins: number; losses: number; pinned: boolean; bad: boolean }[];
}

interface Entry {
  key: string;
  words: ComponentChildren;
  more: string;
}

export function Memory() {
  const t = useWords();
  const language = useStore((now) => now.language);
  const { data, failed, again } = useLoaded<Remembered>("/weiwo/memory");
  const fared = (one: Remembered["plans"][number]): string =>
    [t("planFared", one.wins, one.losses), one.pinned ? t("planPinned") : "", one.bad ? t("planBad") : ""].filter(Boolean).join(" · ");
  return (
    <Page head={t("memory")} failed={failed} again={again} waits={!data}>
      <p class="quiet">{t("memoryHint")}</p>
      <Kind kind="wishes" head={t("wishes")} again={again} t={t} entries={data?.wishes.map((one) => ({ key: one.key, words: visible(one.text), more: one.since })) ?? []}>
        <NewWish again={again} t={t} />
      </Kind>
      <Kind kind="answers" head={t("earlierAnswers")} again={again} t={t} entries={data?.answers.map((one) => (
        { key: one.key, words: <a href={`#/t/${encodeURIComponent(one.thread_id)}`}>{visible(one.question)}</a>, more: moment(new Date(one.answered_at), language) })) ?? []} />
      <Kind kind="plans" head={t("plans")} again={again} t={t} entries={data?.plans.map((one) => ({ key: one.key, words: visible(one.wording), more: fared(one) })) ?? []} />
    </Page>
  );
}

function NewWish({ again, t }: { again: () => void; t: Say }) {
  const [text, setText] = useState("");
  const [failed, setFailed] = useState("");
  const send = (): void => void keep(text).then(() => { setText(""); setFailed(""); again(); }, (error: unknown) => setFailed(messageOf(error)));
  return (
    <form class="new-wish" onSubmit={(event) => { event.preventDefault(); if (text.trim()) send(); }}>
      <label class="sr" for="wish">{t("newWish")}</label>
      <input id="wish" name="wish" maxLength={300} placeholder={t("wishExample")} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <button type="submit" disabled={!text.trim()}>{t("remember")}</button>
      {failed && <p class="complaint" role="alert">{visible(failed)}</p>}
    </form>
  );
}

interface KindProps {
  kind: keyof Remembered;
  head: string;
  entries: Entry[];
  again: () => void;
  t: Say;
  children?: ComponentChildren;
}

function Kind({ kind, head, entries, again, t, children }: KindProps) {
  const [failed, setFailed] = useState("");
  const drop = (key?: string): void => void forget(kind, key).then(again, (error: unknown) => setFailed(messageOf(error)));
  return (
    <section data-kind={kind}>
      <h2>{head}</h2>
      {children}
      {failed && <p class="complaint" role="alert">{visible(failed)}</p>}
      {entries.length === 0 && <p class="quiet">{t("nothingRemembered")}</p>}
      <ul class="rows">
        {entries.map((one) => (
          <li key={one.key} data-entry={one.key}>
            <div><b>{one.words}</b><span class="quiet">{one.more}</span><span class="spring" /><button data-action="forget" onClick={() => drop(one.key)}>{t("forget")}</button></div>
          </li>
        ))}
      </ul>
      {entries.length > 1 && <button class="link" data-action="forget-all" onClick={() => { if (confirm(t("forgetAllSure"))) drop(); }}>{t("forgetAll")}</button>}
    </section>
  );
}
