// Follows one run of the server: starts it or joins it, and joins it again after its last event where the line breaks.
import { ApiError, events, get, request, sleep } from "./api";

export type Line = "open" | "lost" | "gone";

export interface Watcher {
  /** One event: its name without a subgraph, and its data. */
  event(name: string, data: unknown): void;
  run(id: string): void;
  line(state: Line): void;
}

export type Ending = "ended" | "lost-run";

const WAITS = [300, 700, 1500, 3000, 5000];
const MOST_WAITS = 720; // an hour
const OVER: ReadonlySet<string> = new Set(["success", "error", "timeout", "interrupted", "cancelled"]);

/**
 * Follows a run to its end.
 *
 * @param start The body of the request that starts it; null where `runId` is to be joined from its first event.
 * @returns "lost-run" where the server does not know the run any more.
 */
export async function follow(
  threadId: string, start: unknown, runId: string | null, watch: Watcher, signal: AbortSignal,
): Promise<Ending> {
  let run = runId;
  let last: string | null = null;
  let failures = 0;
  const base = `/threads/${encodeURIComponent(threadId)}/runs`;
  let first = start !== null;
  for (;;) {
    try {
      const response: Response = first
        ? await request("POST", `${base}/stream`, start, { signal, headers: { accept: "text/event-stream" } })
        : await request("GET", `${base}/${run}/stream${last === null ? "?from=start" : ""}`, undefined, {
            signal,
            headers: { accept: "text/event-stream", ...(last === null ? { "last-event-id": "-1" } : { "last-event-id": last }) },
          });
      first = false;
      const named = /\/runs\/([^/?]+)/.exec(response.headers.get("content-location") ?? "");
      if (named?.[1] && named[1] !== run) watch.run((run = named[1]));
      watch.line("open");
      if (failures && last === null) watch.event("restart", null); // it replays everything
      failures = 0;
      for await (const one of events(response)) {
        if (one.id) last = one.id;
        const name = one.event.split("|")[0] as string;
        if (name === "end") return "ended";
        const data: unknown = one.data ? JSON.parse(one.data) : null;
        if (name === "metadata") {
          const told = (data as { run_id?: string } | null)?.run_id;
          if (told && told !== run) watch.run((run = told));
        } else {
          watch.event(name, data);
        }
      }
      if (run && (await over(`${base}/${run}`))) return "ended"; // a server that says no `end`
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof ApiError && error.status) {
        if (first || !run || (error.status !== 404 && error.status < 500)) throw error;
        if (error.status === 404) return "lost-run";
      }
      if (first) throw error;
    }
    if (failures >= MOST_WAITS || !run) throw new ApiError(0, "the stream ended");
    watch.line(failures < 3 ? "lost" : "gone");
    await sleep(WAITS[Math.min(failures, WAITS.length - 1)] as number, signal);
    failures += 1;
  }
}

async function over(path: string): Promise<boolean> {
  return OVER.has((await get<{ status?: string }>(path)).status ?? "");
}
