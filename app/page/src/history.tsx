// The moments of a thread: any of them can be gone back to, looked at and run on from, as it was or changed.
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "./api";
import { wholeResult } from "./progress";
import { fork, goBack } from "./session";
import { read, updateTurn, useStore, useWords, type Turn } from "./store";
import type { Dict, Plan, Result } from "./types";
import { localeOf, messageOf } from "./words";

interface Moment {
  checkpoint_id: string;
  created_at?: string;
  next: string[];
  plan: Plan | null;
  outcomes: Dict;
  answered: boolean;
}

export function History({ turn }: { turn: Turn }) {
  const t = useWords();
  const language = useStore((now) => now.language);
  const [moments, setMoments] = useState<Moment[] | null>(null);
  const [failed, setFailed] = useState("");
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), [moments]); // from behind the box to ask in
  const tell = (error: unknown): void => setFailed(messageOf(error));
  useEffect(() => {
    const id = encodeURIComponent(read().threadId ?? "");
    get<Moment[]>(`/weiwo/threads/${id}/moments`).then((told) => setMoments(told.filter((one) => !one.next.includes("__start__")).reverse()), tell);
    return () => goBack(turn, null);
  }, [turn.key]);
  if (failed) return <p class="complaint" role="alert">{t("failedToLoad", failed)}</p>;
  if (!moments) return <p class="quiet">{t("loading")}</p>;
  const last = moments.length - 1;
  const found = moments.findIndex((one) => one.checkpoint_id === turn.moment?.checkpointId);
  const at = turn.moment && found >= 0 ? found : last;
  const moment = moments[at];
  const id = moment?.checkpoint_id ?? "";
  const next = moment?.next ?? [];
  const names: Record<string, string> = {
    master: t("thinking"), planner: t("planning"), approval: t("approveTitle"), executor: t("working"), reflection: t("reviewing"), writer: t("writing"),
  };
  const said = next.length ? t("next", next.map((one) => names[one] ?? one).join(", ")) : t("done");
  const compare = async (): Promise<void> => {
    const { values } = await get<{ values: { result?: Result } }>(`/threads/${encodeURIComponent(read().threadId ?? "")}/state/${encodeURIComponent(id)}`);
    goBack(turn, null);
    updateTurn(turn.key, { before: values.result ? wholeResult({ ...values.result }) : null });
  };
  const move = (to: number): void => {
    const one = moments[to];
    goBack(turn, to === last || !one ? null : { checkpointId: one.checkpoint_id, values: { ...one, language: turn.result?.language } });
  };
  return (
    <div class="history" data-checkpoint={id} ref={box}>
      <p class="quiet">{t("historyHint")}</p>
      <input type="range" name="moment" min={0} max={Math.max(0, last)} value={at} aria-label={t("moment")} aria-valuetext={said}
        onInput={(event) => move(Number(event.currentTarget.value))} />
      <p class="moment">
        <span>{said}</span>
        <span class="quiet">{moment?.created_at ? new Date(moment.created_at).toLocaleTimeString(localeOf(language)) : ""}</span>
        {id && next.length > 0 && <button class="link" data-action="fork" onClick={() => fork(turn, id).catch(tell)}>{t("runFrom")}</button>}
        {moment?.answered && at < last && <button class="link" data-action="compare" onClick={() => compare().catch(tell)}>{t("compareAnswers")}</button>}
      </p>
    </div>
  );
}
