// Blocks of a Markdown text: what an answer may hold, and no HTML. A text that is still being written parses too.

export type Node =
  | { kind: "heading"; level: number; text: string }
  | { kind: "paragraph"; text: string }
  | { kind: "code"; language: string; text: string }
  | { kind: "quote"; nodes: Node[] }
  | { kind: "list"; ordered: boolean; start: number; items: Node[][] }
  | { kind: "table"; rows: string[][]; align: Align[] }
  | { kind: "rule" };

/** How a column of a table is aligned; as the page would where it is not said. */
export type Align = "" | "left" | "center" | "right";

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]{0,40})/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^( {0,12})([-*+]|\d{1,9}[.)])(\s+)(.*)$/;
const DIVIDER = /^\s*\|?\s*:?-{1,100}:?\s*(?:\|\s*:?-{1,100}:?\s*){0,60}\|?\s*$/;
const DEEPEST = 8;

export function parse(text: string): Node[] {
  return blocks(text.replace(/\r\n?/g, "\n").replace(/\t/g, "    ").split("\n"), 0);
}

function blocks(lines: string[], depth: number): Node[] {
  const nodes: Node[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] as string;
    const fence = FENCE.exec(line);
    const heading = HEADING.exec(line);
    if (!line.trim()) {
      at += 1;
    } else if (fence) {
      const end = fenceEnd(lines, at + 1, fence[1] as string);
      nodes.push({ kind: "code", language: fence[2] ?? "", text: lines.slice(at + 1, end).join("\n") });
      at = end + 1;
    } else if (heading) {
      nodes.push({ kind: "heading", level: (heading[1] as string).length, text: heading[2] as string });
      at += 1;
    } else if (RULE.test(line)) {
      nodes.push({ kind: "rule" });
      at += 1;
    } else if (/^ {0,3}>/.test(line) && depth < DEEPEST) {
      const end = until(lines, at, (one) => /^ {0,3}>/.test(one));
      const inner = lines.slice(at, end).map((one) => one.replace(/^ {0,3}> ?/, ""));
      nodes.push({ kind: "quote", nodes: blocks(inner, depth + 1) });
      at = end;
    } else if (ITEM.test(line) && depth < DEEPEST) {
      const [node, end] = list(lines, at, depth);
      nodes.push(node);
      at = end;
    } else if (line.includes("|") && DIVIDER.test(lines[at + 1] ?? "") && (lines[at + 1] ?? "").includes("-")) {
      const end = until(lines, at + 2, (one) => one.includes("|") && one.trim() !== "");
      nodes.push({ kind: "table", rows: [line, ...lines.slice(at + 2, end)].map(cells), align: cells(lines[at + 1] as string).map(alignOf) });
      at = end;
    } else {
      let end = at + 1;
      while (end < lines.length && !starts(lines[end] as string, lines[end + 1])) end += 1;
      nodes.push({ kind: "paragraph", text: lines.slice(at, end).map((one) => one.trim()).join("\n") });
      at = end;
    }
  }
  return nodes;
}

function starts(line: string, next: string | undefined): boolean {
  return (
    !line.trim() || FENCE.test(line) || HEADING.test(line) || RULE.test(line) || /^ {0,3}>/.test(line) ||
    ITEM.test(line) || (line.includes("|") && next !== undefined && next.includes("|") && DIVIDER.test(next))
  );
}

function until(lines: string[], from: number, holds: (line: string) => boolean): number {
  let end = from;
  while (end < lines.length && holds(lines[end] as string)) end += 1;
  return end;
}

function fenceEnd(lines: string[], from: number, fence: string): number {
  for (let at = from; at < lines.length; at += 1) {
    const line = (lines[at] as string).trim();
    if (line.length >= fence.length && line.split("").every((sign) => sign === fence[0])) return at;
  }
  return lines.length;
}

function list(lines: string[], from: number, depth: number): [Node, number] {
  const first = ITEM.exec(lines[from] as string) as RegExpExecArray;
  const indent = (first[1] as string).length;
  const ordered = /\d/.test(first[2] as string);
  const items: Node[][] = [];
  let at = from;
  while (at < lines.length) {
    const item = ITEM.exec(lines[at] as string);
    if (!item || (item[1] as string).length > indent + 1 || /\d/.test(item[2] as string) !== ordered) break;
    if ((item[1] as string).length < indent) break;
    const inner = indent + (item[2] as string).length + Math.min((item[3] as string).length, 4);
    const body = [item[4] as string];
    at += 1;
    while (at < lines.length) {
      const line = lines[at] as string;
      const blank = !line.trim();
      const deep = line.length - line.trimStart().length;
      if (blank && !((lines[at + 1] ?? "").startsWith(" ".repeat(indent + 2)) && (lines[at + 1] ?? "").trim())) break;
      if (!blank && deep <= indent && starts(line, lines[at + 1])) break;
      if (!blank && deep <= indent && ITEM.test(line)) break;
      body.push(line.slice(Math.min(deep, inner)));
      at += 1;
    }
    items.push(blocks(body, depth + 1));
    if (!(lines[at] ?? "").trim() && ITEM.test(lines[at + 1] ?? "")) at += 1;
  }
  return [{ kind: "list", ordered, start: ordered ? Number.parseInt(first[2] as string, 10) : 1, items }, Math.max(at, from + 1)];
}

/** The cells of a row of a table; a bar in code, or escaped, divides nothing. */
export function cells(line: string): string[] {
  const row: string[] = [];
  let cell = "";
  let code = false;
  const trimmed = line.trim().replace(/^\|/, "");
  for (let at = 0; at < trimmed.length; at += 1) {
    const sign = trimmed[at] as string;
    if (sign === "\\" && trimmed[at + 1] === "|") {
      cell += "|";
      at += 1;
    } else if (sign === "|" && !code) {
      row.push(cell.trim());
      cell = "";
    } else {
      if (sign === "`") code = !code && trimmed.indexOf("`", at + 1) >= 0;
      cell += sign;
    }
  }
  if (cell.trim()) row.push(cell.trim());
  return row;
}

/** The alignment that a cell of a table's divider names: `---:`. */
function alignOf(divider: string): Align {
  if (!divider.endsWith(":")) return divider.startsWith(":") ? "left" : "";
  return divider.startsWith(":") ? "center" : "right";
}

/** An answer as it is streamed, without the list of sources that ends its message. */
export function withoutSources(answer: string): string {
  const found = /\n\n(?:Sources|来源)\s{0,2}[:：]?\s{0,2}\n\[\d/.exec(answer) ?? /\n\n(?:Sources|来源)\s{0,2}[:：]?\s{0,2}$/.exec(answer);
  return found ? answer.slice(0, found.index) : answer;
}
