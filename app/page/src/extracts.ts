// Passages that an answer shows, found again in its text: a quoted snippet and the line that names its passage.
import { sealBlocks } from "./claims";
import type { Block, Extract, Result } from "./types";

/** A passage as the answer shows it: its title, its best sentences, and the whole of it. */
export interface Shown {
  extract: Extract;
  title: string;
  snippet: string;
}

/** The line that names the passage of a quoted snippet: below it, or above it in answers of version 0.1. */
const NAMED = /^(— )?(.*)\[\u{f0f10}?(\d{1,4})\]\s*$/su;

/** Blocks, with each quoted snippet and the line that names its passage made one. */
export function withExtracts(result: Result): (Block | Shown)[] {
  const left = new Map(result.extracts.map((one) => [one.n, one]));
  const out: (Block | Shown)[] = [];
  const blocks = sealBlocks(result);
  for (let at = 0; at < blocks.length; at += 1) {
    const block = blocks[at] as Block;
    const lineAt = (place: number): RegExpExecArray | null => (block.kind === "quote" && blocks[place]?.kind === "paragraph" ? NAMED.exec(blocks[place].text) : null);
    const below = lineAt(at + 1);
    const named = below?.[1] ? below : lineAt(at - 1);
    const extract = named ? left.get(Number(named[3])) : undefined;
    if (!named || !extract) {
      out.push(block);
      continue;
    }
    if (named !== below) out.pop();
    else at += 1;
    out.push({ extract, title: (named[2] as string).trim(), snippet: block.text });
    left.delete(extract.n);
  }
  return [...out, ...[...left.values()].map((extract) => ({ extract, title: extract.title, snippet: "" }))];
}
