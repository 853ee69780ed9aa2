// The moments of a thread: any of them can be gone back to, looked at and run on from, as it was or changed.
import { useEffect, useState } from "preact/hooks";
import { post } from "./api";
import { fork, goBack } from "./session";
import { read, updateTurn, useStore, useWords, type Turn } from "./store";
import type { Dict, Result } from "./types";

interface Moment {
  checkpoint?: { checkpoint_id?: string };
  created_at?: string;
  next?: string[];
  values?: Dict;
}

const MOST = 60;

export function History({ turn }: { turn: Turn }) {
  const t = useWords();
  const language = useStore((now) => now.language);
  const [moments, setMoments] = useState<Moment[] | null>(null);
  const [failed, setFailed] = useState("");
  const tell = (error: unknown): void => setFailed(error instanceof Error ? error.message : String(error));
  useEffect(() => {
    const id = encodeURIComponent(read().threadId ?? "");
    const runnable = (one: Moment): boolean => Boolean(one.checkpoint?.checkpoint_id) && !one.next?.includes("__start__");
    post<Moment[]>(`/threads/${id}/history`, { limit: MOST }).then((told) => setMoments(told.filter(runnable).reverse()), tell);
    return () => goBack(turn, null);
  }, [turn.key]);
  if (failed) return <p class="complaint" role="alert">{t("failedToLoad", failed)}</p>;
  if (!moments) return <p class="quiet">{t("loading")}</p>;
  const last = moments.length - 1;
  const found = moments.findIndex((one) => one.checkpoint?.checkpoint_id === turn.moment?.checkpointId);
  const at = turn.moment && found >= 0 ? found : last;
  const moment = moments[at];
  const id = moment?.checkpoint?.checkpoint_id ?? "";
  const next = moment?.next ?? [];
  const names: Record<string, string> = {
    master: t("thinking"), planner: t("planning"), approval: t("approveTitle"), executor: t("working"), reflection: t("reviewing"), writer: t("writing"),
  };
  const said = next.length ? t("next", next.map((one) => names[one] ?? one).join(", ")) : t("done");
  const answered = at < last ? (moment?.values?.["result"] as Result | undefined) : undefined;
  const move = (to: number): void => {
    const one = moments[to];
    goBack(turn, to === last || !one ? null : { checkpointId: one.checkpoint?.checkpoint_id ?? "", values: one.values ?? {} });
  };
  return (
    <div class="history" data-checkpoint={id}>
      <p class="quiet">{t("historyHint")}</p>
      <input type="range" name="moment" min={0} max={Math.max(0, last)} value={at} aria-label={t("moment")} aria-valuetext={said}
        onInput={(event) => move(Number(event.currentTarget.value))} />
      <p class="moment">
        <span>{said}</span>
        <span class="quiet">{moment?.created_at ? new Date(moment.created_at).toLocaleTimeString(language === "zh" ? "zh-CN" : "en") : ""}</span>
        {id && next.length > 0 && <button class="link" data-action="fork" onClick={() => fork(turn, id).catch(tell)}>{t("runFrom")}</button>}
        {answered?.answer && <button class="link" data-action="compare" onClick={() => { goBack(turn, null); updateTurn(turn.key, { before: answered }); }}>{t("compareAnswers")}</button>}
      </p>
    </div>
  );
}
