// What a question says that sounds as if it should last: kept where it asks for that, else offered to be kept.
import { post, request } from "./api";
import { visible } from "./inline";
import { read, updateTurn, useWords, type Turn } from "./store";
import type { Wish } from "./types";

export const keep = (text: string): Promise<{ key: string }> => post("/weiwo/memory", { text });
export const forget = (kind: string, key?: string): Promise<Response> => request("DELETE", `/weiwo/memory/${kind}${key === undefined ? "" : `/${encodeURIComponent(key)}`}`);

/** The wish in a question; null where there is none, or the server cannot say. */
export async function findWish(message: string): Promise<Wish | null> {
  if (read().info?.user === "client") return null; // a guest of another server has no memory here
  try {
    const { wish } = await post<{ wish: Omit<Wish, "key"> | null }>("/weiwo/memory/offer", { message });
    return wish && { ...wish, key: wish.requested ? (await keep(wish.text)).key : "" };
  } catch {
    return null; // the question is asked all the same
  }
}

export function WishCard({ turn }: { turn: Turn }) {
  const t = useWords();
  const { wish } = turn;
  if (!wish) return null;
  const set = (now: Wish | null): void => updateTurn(turn.key, { wish: now });
  const text = visible(wish.text);
  return (
    <section class="card wish" data-wish={wish.key ? "kept" : "offered"} aria-label={t("memory")}>
      <p role="status">{t(wish.key ? "wishKept" : "wishOffer", text)} {wish.key && <a href="#/memory">{t("memory")}</a>}</p>
      <div class="actions">
        {wish.key
          ? <button data-action="forget" onClick={() => void forget("wishes", wish.key).then(() => set(null), () => undefined)}>{t("forget")}</button>
          : <>
            <button class="primary" data-action="keep" onClick={() => void keep(wish.text).then(({ key }) => set({ ...wish, key }), () => set(null))}>{t("remember")}</button>
            <button data-action="decline" onClick={() => set(null)}>{t("wishDecline")}</button>
          </>}
      </div>
    </section>
  );
}
