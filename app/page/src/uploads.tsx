// Files that a person drops or chooses: sent one by one, indexed by the server, with progress.
import { useState } from "preact/hooks";
import { records, request } from "./api";
import { visible } from "./inline";
import { loadInfo } from "./info";
import { read, useWords, type Say } from "./store";
import type { Dict } from "./types";
import { messageOf } from "./words";

export interface Upload {
  name: string;
  stage: string;
  done: number;
  of: number;
  ended: string;
  bad: boolean;
}

const SECONDS = 600;
const NEW_CORPUS = "documents";

const told = (error: unknown): string =>
  typeof error === "string" ? error : String((error as Dict)?.["error"] ?? (error as Dict)?.["message"] ?? JSON.stringify(error));

/** The uploads under way and ended, and what begins some: into a corpus, or the first there is. */
export function useUploads(done: () => void = () => undefined): [Upload[], (files: Iterable<File>, corpus?: string) => Promise<void>] {
  const t = useWords();
  const [uploads, setUploads] = useState<Upload[]>([]);
  const send = async (files: Iterable<File>, corpus = ""): Promise<void> => {
    for (const file of files) {
      const entry: Upload = { name: file.name, stage: "", done: 0, of: 0, ended: "", bad: false };
      const show = (more: Partial<Upload>): void => {
        Object.assign(entry, more);
        setUploads((all) => [...all.filter((one) => one !== entry), entry]);
      };
      show({});
      try {
        await index(file, corpus || read().info?.corpora?.[0] || NEW_CORPUS, show, t);
        if (!entry.ended) show({ ended: t("done") });
      } catch (error) {
        show({ ended: messageOf(error), bad: true });
      }
    }
    await loadInfo();
    done();
  };
  return [uploads, send];
}

async function index(file: File, corpus: string, show: (more: Partial<Upload>) => void, t: Say): Promise<void> {
  const most = read().info?.max_upload ?? 0;
  if (most && file.size > most) {
    show({ ended: t("tooLarge", file.name, Math.round(most / 1_000_000)), bad: true });
    return;
  }
  const path = `/weiwo/corpora/${encodeURIComponent(corpus)}/files?filename=${encodeURIComponent(file.name)}`;
  const response = await request("POST", path, file, { headers: { "content-type": file.type || "application/octet-stream" }, signal: AbortSignal.timeout(SECONDS * 1000) });
  for await (const one of records(response)) {
    if ("indexed" in one) {
      const errors = (one["errors"] as unknown[] | undefined) ?? [];
      show({ ended: errors.length ? errors.map(told).join("; ") : t("indexed", Number(one["indexed"])), bad: errors.length > 0 });
    } else if (one["detail"] || one["error"]) show({ ended: String(one["detail"] ?? one["error"]), bad: true });
    else show({ stage: String(one["stage"] ?? ""), done: Number(one["done"] ?? 0), of: Number(one["of"] ?? 0) });
  }
}

export function UploadList({ uploads }: { uploads: Upload[] }) {
  const t = useWords();
  const stages: Record<string, string> = { kept: t("stageKept"), read: t("stageRead"), vectors: t("stageVectors") };
  return (
    <ul class="uploads" aria-live="polite">
      {uploads.map((one, at) => (
        <li key={at} class={one.bad ? "bad" : ""} data-upload={one.ended ? (one.bad ? "failed" : "done") : "running"}>
          <span class="upload-name">{visible(one.name)}</span>
          {one.ended
            ? <span class={one.bad ? "complaint" : "quiet"}>{visible(one.ended)}</span>
            : <><span class="quiet">{stages[one.stage] ?? one.stage}</span><progress aria-label={t("indexing", one.name)} {...(one.of ? { max: one.of, value: one.done } : {})} /></>}
        </li>
      ))}
    </ul>
  );
}

export function ChooseFiles({ send, label }: { send: (files: File[]) => void; label: string }) {
  return (
    <label class="button">{label}
      <input class="sr" type="file" name="files" multiple onChange={(event) => { send([...(event.currentTarget.files ?? [])]); event.currentTarget.value = ""; }} />
    </label>
  );
}

/** What makes an element take files that are dropped on it. */
export function useDrop(send: (files: File[]) => void): [boolean, { onDragOver: (event: DragEvent) => void; onDragLeave: (event: DragEvent) => void; onDrop: (event: DragEvent) => void }] {
  const [over, setOver] = useState(false);
  const files = (event: DragEvent): boolean => Boolean(event.dataTransfer?.types.includes("Files"));
  return [over, {
    onDragOver: (event) => { if (files(event)) { event.preventDefault(); setOver(true); } },
    onDragLeave: (event) => { if (!(event.currentTarget as Node).contains(event.relatedTarget as Node | null)) setOver(false); },
    onDrop: (event) => { if (files(event)) { event.preventDefault(); setOver(false); send([...(event.dataTransfer?.files ?? [])]); } },
  }];
}
