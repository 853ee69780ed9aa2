// What the installation has, and who is logged in.
import { ApiError, get, post } from "./api";
import { read, update } from "./store";
import { loadThreads } from "./threads";
import type { Info } from "./types";
import { messageOf } from "./words";

/** A person's own corpora are searched where the operator has named none: what one has added is what one asks about. */
async function searched(corpora: string[]): Promise<string[]> {
  const settings = await get<{ name: string; value: unknown }[]>("/weiwo/settings").catch(() => []);
  const named = settings.find((one) => one.name === "WEIWO_CORPUS")?.value;
  return settings.length && (!named || (Array.isArray(named) && !named.length)) ? corpora : [];
}

/** Loads both; whoever waits for a login goes on where somebody is logged in. */
export async function loadInfo(): Promise<void> {
  try {
    const info = await get<Info>("/weiwo/info");
    if (info.auth === "none" && info.corpora?.length) info.searches = await searched(info.corpora);
    const login = info.auth !== undefined && info.auth !== "none" && !info.user;
    const earlier = read().info?.user;
    if (earlier && info.user && info.user !== earlier) location.reload(); // nothing of another user's stays
    update({ info: login ? { ...read().info, ...info, user: earlier ?? null } : info, infoError: "", login });
    if (login) return;
    for (const resolve of waiting.splice(0)) resolve(true);
    await loadThreads();
  } catch (error) {
    const said = messageOf(error);
    update(error instanceof ApiError && error.status === 401 ? { missing: said } : { infoError: said }); // a host's own login
  }
}

const waiting: ((known: boolean) => void)[] = [];

/** Asks for a login; resolves when somebody has logged in, false where the server has no login. */
export function needLogin(): Promise<boolean> {
  if (read().info?.auth === "none") return Promise.resolve(false);
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!read().login) update({ login: true });
  });
}

export async function login(token: string): Promise<void> {
  await post("/weiwo/login", { token });
  await loadInfo();
}
