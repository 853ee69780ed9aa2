// The checkpoints of a thread: any of them can be gone back to and run on from.
import { useEffect, useState } from "preact/hooks";
import { post } from "./api";
import { fork } from "./session";
import { read, useStore, useWords, type Turn } from "./store";
import type { Dict } from "./types";

interface Moment {
  checkpoint?: { checkpoint_id?: string; checkpoint_ns?: string };
  checkpoint_id?: string;
  created_at?: string;
  next?: string[];
  metadata?: Dict;
}

export function History({ turn }: { turn: Turn }) {
  const t = useWords();
  const language = useStore((now) => now.language);
  const [moments, setMoments] = useState<Moment[] | null>(null);
  const [failed, setFailed] = useState("");
  useEffect(() => {
    const id = encodeURIComponent(read().threadId ?? "");
    post<Moment[]>(`/threads/${id}/history`, { limit: 60 }).then(setMoments, (error: unknown) => setFailed(String(error)));
  }, [turn.key]);
  if (failed) return <p class="complaint" role="alert">{t("failedToLoad", failed)}</p>;
  if (!moments) return <p class="quiet">{t("loading")}</p>;
  return (
    <div class="history">
      <p class="quiet">{t("historyHint")}</p>
      <ol>
        {moments.map((moment, at) => {
          const id = moment.checkpoint?.checkpoint_id ?? moment.checkpoint_id ?? "";
          const next = moment.next ?? [];
          return (
            <li key={id || at} data-checkpoint={id}>
              <span class="mono">{next.length ? `→ ${next.join(", ")}` : t("done")}</span>
              <span class="quiet">{moment.created_at ? new Date(moment.created_at).toLocaleTimeString(language === "zh" ? "zh-CN" : "en") : ""}</span>
              {id && next.length > 0 && !next.includes("__start__") && (
                <button class="link" data-action="fork" onClick={() => fork(turn, id).catch((error: unknown) => setFailed(error instanceof Error ? error.message : String(error)))}>{t("runFrom")}</button>
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}
