// Claims found again in the text of an answer (the result lists them without marks and citations, the text has both), and the
// tasks that carry them.
import { inline, SEAL, type Known, type Piece } from "./inline";
import type { Block, Claim, Result } from "./types";

/** A piece of text with the position of the claim it belongs to, -1 for none. */
export interface Marked extends Piece {
  claim: number;
}

/** What the writer puts before the stop of a sentence that it could not verify; a claim is listed without it. */
const MARKS = ["(unverified)", "（未核实）"];
const STOP = /[.!?。！？；;:：…]+$/u;

const squeeze = (text: string): string => text.replace(/\s+/gu, "").toLowerCase();

/** Matches the claims of one block, one text after another, in order. */
export class ClaimMatcher {
  private left: { position: number; text: string }[];
  /** Claims that were found. */
  readonly found = new Set<number>();

  constructor(claims: Claim[], positions: number[], private readonly known: Known) {
    this.left = positions.flatMap((position) => {
      const claim = claims[position];
      const text = claim ? squeeze(inline(claim.text, known).map((piece) => (piece.cite ? "" : piece.text)).join("")) : "";
      return text ? [{ position, text }] : [];
    });
  }

  /** The pieces of a text, cut where claims begin and end. */
  mark(source: string): Marked[] {
    const pieces = inline(source, this.known);
    const flat = squeeze(pieces.map((piece) => (piece.cite ? "" : piece.text)).join(""));
    const spans: { from: number; to: number; claim: number }[] = [];
    let cursor = 0;
    for (const one of [...this.left]) {
      const place = find(flat, one.text, cursor);
      if (!place) continue;
      const [from, end] = place;
      cursor = end;
      spans.push({ from, to: cursor, claim: one.position });
      this.found.add(one.position);
      this.left = this.left.filter((other) => other !== one);
    }
    return cut(pieces, spans);
  }
}

/** Where a claim stands, with its mark where it has one. */
function find(flat: string, text: string, cursor: number): [number, number] | null {
  const from = flat.indexOf(text, cursor);
  if (from >= 0) return [from, from + text.length];
  const stem = text.replace(STOP, "");
  for (const mark of MARKS) {
    const at = flat.indexOf(stem + mark, cursor);
    if (at < 0) continue;
    const end = at + stem.length + mark.length;
    const stop = text.slice(stem.length);
    return [at, flat.startsWith(stop, end) ? end + stop.length : end];
  }
  return null;
}

function cut(pieces: Piece[], spans: { from: number; to: number; claim: number }[]): Marked[] {
  const marked: Marked[] = [];
  let at = 0; // in the squeezed text
  let span = 0;
  const claimAt = (place: number): number => {
    while (span < spans.length && (spans[span] as { to: number }).to <= place) span += 1;
    const now = spans[span];
    return now && now.from <= place ? now.claim : -1;
  };
  for (const piece of pieces) {
    if (piece.cite) {
      const last = spans.find((one) => one.from < at && at <= one.to);
      marked.push({ ...piece, claim: last ? last.claim : -1 });
      continue;
    }
    let from = 0;
    let claim = -2;
    for (let index = 0; index < piece.text.length; index += 1) {
      const sign = piece.text[index] as string;
      if (/\s/u.test(sign)) continue;
      const here = claimAt(at);
      if (claim !== -2 && here !== claim) {
        marked.push({ ...piece, text: piece.text.slice(from, index), claim });
        from = index;
      }
      claim = here;
      at += sign.toLowerCase().length;
    }
    const inside = spans.find((one) => one.from < at && at < one.to);
    marked.push({ ...piece, text: piece.text.slice(from), claim: claim === -2 ? (inside?.claim ?? -1) : claim });
  }
  return marked.filter((one) => one.text);
}

/** The blocks of an answer, its citations sealed. */
export function sealBlocks({ answer, blocks, marks }: Pick<Result, "answer" | "blocks"> & { marks?: Result["marks"] }): Block[] {
  const all: Block[] = blocks?.length ? blocks : [{ kind: "paragraph", text: answer }];
  if (!marks) return all;
  const units: number[] = []; // where each code point begins
  for (let at = 0; at <= answer.length; at += (answer.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) units.push(at);
  let from = 0;
  return all.map((block) => {
    const start = answer.indexOf(block.text, from);
    if (start < 0) return block;
    from = start + block.text.length;
    let text = "";
    let at = start;
    for (const mark of marks) {
      const [first, end] = [units[mark.start] ?? 0, units[mark.end] ?? 0];
      if (first < at || end > from) continue;
      text += `${answer.slice(at, first).replaceAll(SEAL, "")}[${SEAL}${mark.n}]`;
      at = end;
    }
    return { ...block, text: text + answer.slice(at, from).replaceAll(SEAL, "") };
  });
}

/** Runs of pieces that belong to one claim, or to none. */
export function groups(pieces: Marked[]): { claim: number; pieces: Marked[] }[] {
  const out: { claim: number; pieces: Marked[] }[] = [];
  for (const piece of pieces) {
    const last = out[out.length - 1];
    if (last && last.claim === piece.claim) last.pieces.push(piece);
    else out.push({ claim: piece.claim, pieces: [piece] });
  }
  return out;
}

/** The tasks whose values or passages a claim cites. */
export function tasksOfClaim(result: Result, claim: number): ReadonlySet<string> {
  const tasks = new Set<string>();
  for (const n of result.claims[claim]?.citations ?? []) {
    const citation = result.citations.find((one) => one.n === n);
    if (!citation) continue;
    if (citation.source.startsWith("task:")) tasks.add(citation.source.slice(5));
    for (const [id, outcome] of Object.entries(result.outcomes)) {
      const quoted = outcome.quotes?.some((quote) => quote.evidence_id === citation.evidence_id);
      if (quoted || (!outcome.quotes?.length && outcome.evidence_ids.includes(citation.evidence_id) && !outcome.detail?.["computation"])) tasks.add(id);
    }
  }
  return tasks;
}
