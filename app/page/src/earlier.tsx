// An earlier answer that is given again: how old it is, where it was found, and asking anew.
import { chosenOptions } from "./ask";
import { ask, startAnew } from "./session";
import { useStore, useWords } from "./store";
import type { Result } from "./types";
import type { Language } from "./words";
import { localeOf } from "./words";

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [["day", 86_400], ["hour", 3_600], ["minute", 60]];

/** How long ago a moment was, in the largest whole unit; empty within the minute. */
export function ago(at: string, now: number, language: Language): string {
  const seconds = (now - Date.parse(at)) / 1000;
  const [unit, size] = UNITS.find(([, one]) => seconds >= one) ?? ["minute", 0];
  return size ? new Intl.RelativeTimeFormat(localeOf(language)).format(-Math.floor(seconds / size), unit) : "";
}

export function Earlier({ result }: { result: Result }) {
  const t = useWords();
  const language = useStore((now) => now.language);
  if (!result.from_thread || !result.answered_at) return null;
  const anew = (): void => {
    startAnew();
    void ask(result.question, { ...chosenOptions(), anew: true });
  };
  return (
    <section class="card earlier" data-earlier={result.from_thread} aria-label={t("earlierAnswer")}>
      <p>{t("answeredBefore", ago(result.answered_at, Date.now(), language) || t("justNow"))} <a href={`#/t/${encodeURIComponent(result.from_thread)}`}>{t("earlierThread")}</a></p>
      <div class="actions"><button data-action="ask-anew" onClick={anew}>{t("askAnew")}</button></div>
    </section>
  );
}
