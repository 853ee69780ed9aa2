// Inline Markdown as flat pieces of text with marks. Nothing here makes HTML: a page builds text nodes from the pieces.
// Linear in the length of the text: each delimiter is looked for once, and what opens nothing stays as it is.

export interface Piece {
  text: string;
  strong?: boolean;
  em?: boolean;
  struck?: boolean;
  code?: boolean;
  /** An address that a source has; any other link is shown as text. */
  href?: string;
  /** Number of a citation; the text is its mark. */
  cite?: number;
}

/** Which addresses may be links, and which numbers are citations. */
export interface Known {
  urls: ReadonlySet<string>;
  cites: ReadonlySet<number>;
  /** Citations are sealed (`SEAL`), and any other bracket is text. Results of version 0.1 do not say where theirs stand. */
  sealed?: boolean;
}

/** The private character that tells a citation of the answer from a bracket of its sources. */
export const SEAL = "\u{f0f10}";

export const NOTHING_KNOWN: Known = { urls: new Set(), cites: new Set() };

type Style = Omit<Piece, "text" | "cite" | "code">;

const LONGEST = 20_000;
const CITE = /\[(\d{1,4}(?:\s{0,2}[,，、]\s{0,2}\d{1,4}){0,20})\]/y;
const SEALED = /\[\u{f0f10}(\d{1,4})\]/uy;
const LINK = /(!?)\[([^[\]]{0,500})\]\(\s{0,3}<?([^\s()<>]{1,2000})>?(?:\s{1,3}"[^"]{0,300}")?\s{0,3}\)/y;
const AUTO = /<?(https?:\/\/[^\s<>"'`|\\^{}[\]]{1,2000})>?/y;
const ESCAPED = /\\([!-/:-@[-`{-~])/y;

export function safeUrl(address: string): string | null {
  if (!/^\s*https?:/i.test(address)) return null; // what throws takes milliseconds, and most sources are files
  try {
    const url = new URL(address);
    return !url.username && !url.password ? url.href : null;
  } catch {
    return null;
  }
}

/** The pieces of a text. */
export function inline(source: string, known: Known = NOTHING_KNOWN, style: Style = {}): Piece[] {
  const text = visible(source);
  const closers = new Map<string, number[]>();
  const pieces: Piece[] = [];
  let plain = "";
  const flush = (): void => {
    if (plain) pieces.push({ ...style, text: plain });
    plain = "";
  };
  const match = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  for (let at = 0; at < text.length; ) {
    const sign = text[at] as string;
    if (sign === "\\") {
      const escaped = match(ESCAPED, at);
      plain += escaped ? escaped[1] : sign;
      at += escaped ? 2 : 1;
    } else if (sign === "`") {
      const ticks = run(text, at, "`");
      const end = closing(text, closers, "`".repeat(ticks), at + ticks, true);
      if (end < 0) {
        plain += text.slice(at, at + ticks);
        at += ticks;
      } else {
        flush();
        const code = text.slice(at + ticks, end);
        pieces.push({ ...style, text: /^ .*\S.* $/s.test(code) ? code.slice(1, -1) : code, code: true });
        at = end + ticks;
      }
    } else if (sign === "*" || sign === "_" || sign === "~") {
      const wide = text[at + 1] === sign;
      const mark = wide ? sign + sign : sign;
      const opens = !/\s/.test(text[at + mark.length] ?? " ") && (sign !== "_" || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? ""));
      const more: Style = sign === "~" ? { struck: true } : wide ? { strong: true } : { em: true };
      const nested = Object.keys(more).some((name) => style[name as keyof Style]); // so three deep at most
      const end = opens && !nested && (sign !== "~" || wide) ? closing(text, closers, mark, at + mark.length, false) : -1;
      if (end < 0 || end - at > LONGEST) {
        plain += mark;
        at += mark.length;
      } else {
        flush();
        pieces.push(...inline(text.slice(at + mark.length, end), known, { ...style, ...more }));
        at = end + mark.length;
      }
    } else if (sign === "[" || (sign === "!" && text[at + 1] === "[")) {
      const cite = sign === "[" && text[at + 1] !== undefined ? match(known.sealed ? SEALED : CITE, at) : null;
      const numbers = cite ? (cite[1] as string).split(/[,，、]/).map(Number) : [];
      const link = match(LINK, at);
      if (cite && (known.sealed || text[at + cite[0].length] !== "(") && numbers.every((n) => known.cites.has(n))) {
        flush();
        for (const n of numbers) pieces.push({ ...style, text: String(n), cite: n });
        at += cite[0].length;
      } else if (link) {
        flush();
        const href = link[1] ? null : allowed(link[3] as string, known);
        const label = (link[2] as string) || "";
        if (href) pieces.push({ ...style, text: label || href, href });
        else if (label) pieces.push({ ...style, text: label });
        at += link[0].length;
      } else {
        plain += sign;
        at += 1;
      }
    } else if ((sign === "h" || sign === "<") && !style.href) {
      const auto = match(AUTO, at);
      const address = auto ? (auto[1] as string).replace(/[.,;:!?)）。，；：！？]+$/u, "") : "";
      const href = auto ? allowed(address, known) : null;
      if (auto && href) {
        flush();
        pieces.push({ ...style, text: address, href });
        const bracketed = sign === "<" && auto[0].endsWith(">") && address === auto[1];
        at += bracketed ? auto[0].length : address.length + (sign === "<" ? 1 : 0);
      } else {
        plain += sign;
        at += 1;
      }
    } else {
      plain += sign;
      at += 1;
    }
  }
  flush();
  return pieces;
}

/** A text without the signs that show nothing or turn the reading direction around. */
export function visible(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "");
}

function allowed(address: string, known: Known): string | null {
  const url = safeUrl(address);
  return url && (known.urls.has(url) || known.urls.has(address)) ? url : null;
}

function run(text: string, at: number, sign: string): number {
  let end = at;
  while (text[end] === sign && end - at < 16) end += 1;
  return end - at;
}

/** Where a mark is closed; positions of each mark are found once for the whole text. */
function closing(text: string, closers: Map<string, number[]>, mark: string, from: number, exact: boolean): number {
  let places = closers.get(mark);
  if (!places) {
    places = [];
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
      const alone = text[at - 1] !== mark[0] && text[at + mark.length] !== mark[0];
      const closes = exact ? alone : !/\s/.test(text[at - 1] ?? " ") && (mark.length > 1 || alone);
      if (closes) places.push(at);
    }
    closers.set(mark, places);
  }
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] as number) <= from - (exact ? 1 : 0)) low = middle + 1;
    else high = middle;
  }
  const found = places[low];
  if (found === undefined) return -1;
  if (!exact && mark[0] === "_" && /[\p{L}\p{N}]/u.test(text[found + mark.length] ?? "")) return -1;
  return found;
}
