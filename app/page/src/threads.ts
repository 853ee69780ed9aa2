// The list of earlier questions.
import { post, request } from "./api";
import { read, update } from "./store";
import type { ThreadRow } from "./types";

const PAGE = 30;
let query = "";

/** Loads earlier questions: those with the words looked for, newest first. */
export async function loadThreads(more = false, words = query): Promise<void> {
  const have = more && words === query ? (read().threads ?? []) : [];
  query = words;
  try {
    const limit = Math.max(PAGE, more || words ? PAGE : (read().threads?.length ?? 0));
    const found = await post<ThreadRow[]>("/threads/search", {
      limit, offset: have.length, select: ["thread_id", "metadata", "status", "updated_at"], ...(words ? { query: words } : {}),
    });
    if (query === words) update({ threads: [...have, ...found], moreThreads: found.length >= limit });
  } catch {
    update((state) => ({ threads: state.threads ?? [] }));
  }
}

export async function remove(threadId: string): Promise<void> {
  await request("DELETE", `/threads/${encodeURIComponent(threadId)}`);
  if (read().threadId === threadId) location.hash = "#/";
  await loadThreads();
}
