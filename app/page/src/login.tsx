// Logging in: before anything is shown, or again above the page.
import { useEffect, useRef, useState } from "preact/hooks";
import { loadInfo, login } from "./info";
import { Seal } from "./sidebar";
import { useStore, useWords } from "./store";
import { messageOf } from "./words";

/** A login that ended while somebody was at work: it is asked for above the page, which keeps all it holds. */
export function LoginAgain() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const look = (): void => { if (!document.hidden) void loadInfo(); }; // back from the issuer's tab
    dialog.current?.showModal();
    addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return <dialog ref={dialog} aria-labelledby="login-title" onCancel={(event) => event.preventDefault()}><Login again /></dialog>;
}

export function Login({ again }: { again: boolean }) {
  const t = useWords();
  const oidc = useStore((now) => now.info?.auth === "oidc");
  const [token, setToken] = useState("");
  const [failed, setFailed] = useState("");
  return (
    <div class="login">
      <Seal />
      <h1 id="login-title">{t(again ? "loginAgain" : "loginTitle")}</h1>
      <p class="quiet">{again ? t("loginAgainHint") : t(oidc ? "loginHintOidc" : "loginHint")}{again && oidc && ` ${t("loginAgainTab")}`}</p>
      {oidc && <a class="button primary" href="./weiwo/oidc/login" {...(again ? { target: "_blank", rel: "noopener" } : {})}>{t("loginOidc")}</a>}
      {!oidc && <form onSubmit={(event) => {
        event.preventDefault();
        login(token.trim()).catch((error: unknown) => setFailed((error as { status?: number }).status === 401 ? t("loginWrong") : messageOf(error)));
      }}>
        <label>{t("token")}<input type="password" name="token" autocomplete="current-password" value={token} onInput={(event) => setToken(event.currentTarget.value)} /></label>
        {failed && <p class="complaint" role="alert">{failed}</p>}
        <button class="primary" type="submit" disabled={!token.trim()}>{t("login")}</button>
      </form>}
    </div>
  );
}
