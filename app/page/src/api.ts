// Calls to the server. A failure is an `ApiError` with one line for people.
import { eventParser, type ServerEvent } from "./sse";
import { inOwnWords, type Language, localeOf, say, statusWord } from "./words";

export class ApiError extends Error {
  /** @param retryAfter Seconds after which the server may be asked again; 0 where it does not say. */
  constructor(readonly status: number, message: string, readonly retryAfter = 0) {
    super(message);
  }
}

const SECONDS = 30;
const WITHOUT_LOGIN: ReadonlySet<string> = new Set(["/weiwo/info", "/weiwo/login"]);
let language = (): Language => "en";
let onLogin: () => Promise<boolean> = () => Promise.resolve(false);

/** Where the language of the page is found: the server is asked to speak it. */
export function whichLanguage(find: () => Language): void {
  language = find;
}

/** What to do when the server asks who is there: it resolves when somebody has logged in; false where nobody can. */
export function whenLoginNeeded(act: () => Promise<boolean>): void {
  onLogin = act;
}

async function failure(response: Response): Promise<ApiError> {
  let said = response.statusText || String(response.status);
  try {
    const body = JSON.parse((await response.text()).slice(0, 100_000)) as { detail?: unknown };
    if (typeof body.detail === "string") said = body.detail;
  } catch {
    /* no JSON: the status says it */
  }
  const own = statusWord(response.status);
  return new ApiError(response.status, inOwnWords(language(), said, own && say(language(), own)), Number(response.headers.get("retry-after")) || 0);
}

/** Sends a request; one that needs a login is sent again after it, so that whoever asked for it just waits. */
export async function request(method: string, path: string, body?: unknown, more: RequestInit = {}): Promise<Response> {
  for (;;) {
    const response = await send(method, path, body, more);
    if (response.ok) return response;
    if (response.status !== 401 || WITHOUT_LOGIN.has(path) || !(await onLogin())) throw await failure(response);
  }
}

async function send(method: string, path: string, body: unknown, more: RequestInit): Promise<Response> {
  const headers = new Headers(more.headers);
  headers.set("accept-language", localeOf(language())); // of the page, not of the browser
  if (body !== undefined && !(body instanceof Blob)) headers.set("content-type", "application/json");
  try {
    return await fetch(`.${path}`, { // below the page, wherever a proxy puts it
      signal: AbortSignal.timeout(SECONDS * 1000),
      ...more,
      method,
      headers,
      credentials: "same-origin",
      body: body === undefined ? null : body instanceof Blob ? body : JSON.stringify(body),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, say(language(), "noReply")); // a browser's own words are in its language, and for engineers
  }
}

export async function get<T>(path: string): Promise<T> {
  return (await (await request("GET", path)).json()) as T;
}

export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  const text = await (await request("POST", path, body)).text();
  return (text ? JSON.parse(text) : null) as T;
}

/** The events of a streamed response, as they come. */
export async function* events(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parse = eventParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parse(value);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The lines of a streamed response that is NDJSON or server-sent events, each as its JSON. */
export async function* records(response: Response): AsyncGenerator<Record<string, unknown>> {
  if ((response.headers.get("content-type") ?? "").includes("event-stream")) {
    for await (const one of events(response)) if (one.data) yield JSON.parse(one.data) as Record<string, unknown>;
    return;
  }
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + (value ?? "")).split("\n");
    rest = done ? "" : (lines.pop() ?? "");
    for (const line of lines) if (line.trim()) yield JSON.parse(line) as Record<string, unknown>;
    if (done) return;
  }
}

export const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new DOMException("stopped", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });

/** A part of the address, as it is where it is no percent-encoding. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
