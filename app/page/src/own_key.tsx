// A user's own model key, where users log in: it is sent once, and shown by its last characters.
import { useEffect, useState } from "preact/hooks";
import { get, request } from "./api";
import { useWords } from "./store";
import { messageOf } from "./words";

interface Kept {
  key: string | null;
}

const PATH = "/weiwo/key";

export function OwnKey() {
  const t = useWords();
  const [kept, setKept] = useState<Kept | null>(null);
  const [written, setWritten] = useState("");
  const [failed, setFailed] = useState("");
  const show = (asked: Promise<Kept>): void => {
    asked.then(
      (now) => { setKept(now); setWritten(""); setFailed(""); },
      (error: unknown) => setFailed(messageOf(error)),
    );
  };
  useEffect(() => show(get<Kept>(PATH)), []);
  const send = (method: string, body?: unknown): void => show(request(method, PATH, body).then((response) => response.json() as Promise<Kept>));
  return (
    <section class="own-key" data-own-key={kept ? (kept.key ? "set" : "none") : undefined}>
      <h2>{t("ownKey")}</h2>
      <p class="quiet">{t("ownKeyHow")}</p>
      {kept && (kept.key // nothing is typed before it is known what there is
        ? <p><span class="mono">{kept.key}</span> <button class="link" data-action="forget-key" onClick={() => send("DELETE")}>{t("delete_")}</button></p>
        : (
          <form class="words" onSubmit={(event) => { event.preventDefault(); send("PUT", { key: written }); }}>
            <label>{t("ownKey")}<input type="password" name="key" autocomplete="off" value={written} onInput={(event) => setWritten(event.currentTarget.value)} /></label>
            <div class="actions"><button type="submit" disabled={!written.trim()}>{t("keep")}</button></div>
          </form>
        ))}
      {failed && <p class="complaint" role="alert">{failed}</p>}
    </section>
  );
}
