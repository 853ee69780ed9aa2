// A passage of a source: its Markdown as elements, with the quoted words marked. What is code or data stays as it is.
import type { ComponentChildren } from "preact";
import { inline, visible } from "./inline";
import { parse, type Node } from "./markdown";

const PLAIN = /\.(?:py|js|jsx|ts|tsx|c|h|cpp|rs|go|java|rb|php|sh|csv|tsv|jsonl?|ya?ml|toml|ini|log|sql|xml|ipynb)$/i;
const BEGIN = "\ue000";
const END = "\ue001";
const SIGNS = /[\ue000\ue001]/g;
/** What begins a block of Markdown: a mark before it would make it another one. */
const LEAD = /^[ \t]{0,12}(?:#{1,6}[ \t]+|[-*+][ \t]+|\d{1,9}[.)][ \t]+|>[ \t]?|\|[ \t]*)+/;

interface Marker {
  on: boolean;
}

export function PassageText({ text, ranges, source }: { text: string; ranges: [number, number][]; source: string }) {
  const clean = text.replace(SIGNS, " "); // as long as before: the ranges count its signs
  if (PLAIN.test(source)) return <p class="passage-text plain">{marked(clean, ranges)}</p>;
  const marker = { on: false };
  return <div class="passage-text">{parse(withSigns(clean, ranges)).map((node, at) => block(node, marker, at))}</div>;
}

/** A text with its ranges marked, as it is. */
export function marked(text: string, ranges: [number, number][]): ComponentChildren {
  const out: ComponentChildren[] = [];
  let position = 0;
  for (const [from, to] of ranges) {
    if (from < position || to <= from || to > text.length) continue;
    out.push(visible(text.slice(position, from)), <mark key={from}>{visible(text.slice(from, to))}</mark>);
    position = to;
  }
  out.push(visible(text.slice(position)));
  return out;
}

/** The text with a sign where each range begins and ends; none before what begins a block. */
export function withSigns(text: string, ranges: [number, number][]): string {
  let out = "";
  let position = 0;
  for (const [from, to] of ranges) {
    if (from < position || to <= from || to > text.length) continue;
    const line = text.lastIndexOf("\n", from - 1) + 1;
    const lead = LEAD.exec(text.slice(line, line + 200))?.[0].length ?? 0;
    const begin = Math.min(Math.max(from, line + lead), to);
    out += `${text.slice(position, begin)}${BEGIN}${text.slice(begin, to)}${END}`;
    position = to;
  }
  return out + text.slice(position);
}

function block(node: Node, marker: Marker, key: number): ComponentChildren {
  switch (node.kind) {
    case "heading":
      return <p key={key} class="passage-head">{words(node.text, marker)}</p>;
    case "paragraph":
      return <p key={key}>{words(node.text, marker)}</p>;
    case "code":
      return <pre key={key} tabIndex={0}><code>{pieces(node.text, marker)}</code></pre>;
    case "quote":
      return <blockquote key={key}>{node.nodes.map((one, at) => block(one, marker, at))}</blockquote>;
    case "rule":
      return <hr key={key} />;
    case "list": {
      const items = node.items.map((item, at) => <li key={at}>{item.map((one, n) => (one.kind === "paragraph" ? <span key={n}>{words(one.text, marker)}</span> : block(one, marker, n)))}</li>);
      return node.ordered ? <ol key={key} start={node.start}>{items}</ol> : <ul key={key}>{items}</ul>;
    }
    case "table":
      return (
        <div key={key} class="table" tabIndex={0} role="group">
          <table><tbody>{node.rows.map((row, at) => <tr key={at}>{row.map((cell, n) => (at ? <td key={n}>{words(cell, marker)}</td> : <th key={n} scope="col">{words(cell, marker)}</th>))}</tr>)}</tbody></table>
        </div>
      );
  }
}

function words(text: string, marker: Marker): ComponentChildren {
  return inline(text).map((piece, at) => {
    let node: ComponentChildren = pieces(piece.text, marker);
    if (piece.code) node = <code>{node}</code>;
    if (piece.em) node = <em>{node}</em>;
    if (piece.strong) node = <strong>{node}</strong>;
    if (piece.struck) node = <s>{node}</s>;
    return <span key={at}>{node}</span>;
  });
}

/** A text cut at the signs: what lies between them is marked, across blocks, too. */
function pieces(text: string, marker: Marker): ComponentChildren {
  return text.split(/([\ue000\ue001])/).map((part, at) => {
    if (part === BEGIN || part === END) {
      marker.on = part === BEGIN;
      return null;
    }
    return marker.on && part.trim() ? <mark key={at}>{visible(part)}</mark> : visible(part);
  });
}
