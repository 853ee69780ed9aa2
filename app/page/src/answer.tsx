// The answer: blocks of an answer document as elements. Every word is a text node; nothing here sets HTML.
import { useMemo, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { ClaimMatcher, groups, type Marked } from "./claims";
import { pieces } from "./code";
import { withExtracts, type Shown } from "./extracts";
import { NOTHING_KNOWN, safeUrl, visible, type Known } from "./inline";
import { parse, withoutSources, type Node } from "./markdown";
import { PassageText } from "./passage";
import { read, update, useStore, useWords, type Say, type Turn } from "./store";
import type { Block, Result } from "./types";
import { localeOf, placeIn } from "./words";

/** What of an answer may be a link: numbers of its citations, and the addresses of its sources. */
export function knownOf(result: Result | null): Known {
  if (!result) return NOTHING_KNOWN;
  const urls = new Set<string>();
  const add = (address: string | undefined): void => {
    const url = address ? safeUrl(address) : null;
    if (url) urls.add(url);
  };
  for (const one of [...result.citations, ...result.evidence, ...result.extracts]) {
    add(one.source);
    for (const other of ("also" in one && one.also) || []) add(other);
  }
  return { urls, cites: new Set(result.citations.map((one) => one.n)), sealed: result.marks !== undefined };
}

interface Scene {
  turn: number;
  result: Result | null;
  known: Known;
  matcher: ClaimMatcher;
  seen: Set<number>;
  t: Say;
}

/** The answer while it is written: no claim is checked yet. */
export function Draft({ text }: { text: string }) {
  const t = useWords();
  const nodes = useMemo(() => parse(withoutSources(text)), [text]);
  const scene = sceneOf(-1, null, NOTHING_KNOWN, [], t);
  return <div class="prose draft">{nodes.map((node, at) => <Drawn key={at} node={node} scene={scene} />)}</div>;
}

function sceneOf(turn: number, result: Result | null, known: Known, claims: number[], t: Say): Scene {
  return { turn, result, known, matcher: new ClaimMatcher(result?.claims ?? [], claims, known), seen: new Set(), t };
}

export function Answer({ turn, result }: { turn: Turn; result: Result }) {
  const t = useWords();
  const known = useMemo(() => knownOf(result), [result]);
  const extracts = new Map(result.extracts.map((one) => [one.n, one]));
  const blocks = useMemo(() => withExtracts(result), [result]);
  return (
    <div class={`prose${extracts.size ? " with-extracts" : ""}`} lang={localeOf(result.language)}>
      {blocks.map((block, at) =>
        "extract" in block
          ? <ExtractView key={at} turn={turn.key} shown={block} t={t} />
          : <BlockView key={at} turn={turn.key} block={block} result={result} known={known} t={t} />)}
    </div>
  );
}

/** Where in its source a passage stands. */
export function Place({ of }: { of: string }) {
  return <span class="quiet">{placeIn(useStore((now) => now.language), of)}</span>;
}

const LONG_EXTRACT = 700;

/** A quotation; of a long one the beginning, until a person wants all of it. */
function Folded({ long, t, children }: { long: boolean; t: Say; children: ComponentChildren }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <blockquote class={long && !open ? "folded" : ""}>{children}</blockquote>
      {long && <button class="link" data-action="fold" aria-expanded={open} onClick={() => setOpen(!open)}>{t(open ? "showLess" : "showAll")}</button>}
    </>
  );
}

function ExtractView({ turn, shown, t }: { turn: number; shown: Shown; t: Say }) {
  const { extract, title, snippet } = shown;
  const whole = <PassageText text={extract.text} ranges={extract.highlights ?? []} source={extract.source} />;
  return (
    <figure class="extract" data-extract={extract.n}>
      {snippet
        ? <blockquote>{snippet.split("\n").map((line, at) => <p key={at}><Inline text={line.replace(/^>\s?/, "")} /></p>)}</blockquote>
        : <Folded long={extract.text.length > LONG_EXTRACT} t={t}>{whole}</Folded>}
      <figcaption>
        <button class="cite" onClick={() => openSource(turn, extract.n)} aria-label={t("source", extract.n)}>{extract.n}</button>
        <span class="extract-title">{visible(title || extract.title || extract.source)}</span>
        {extract.locator && <Place of={extract.locator} />}
      </figcaption>
      {snippet && <details class="whole"><summary>{t("wholePassage")}</summary><blockquote>{whole}</blockquote></details>}
    </figure>
  );
}

interface BlockProps {
  turn: number;
  block: Block;
  result: Result;
  known: Known;
  t: Say;
}

function BlockView({ turn, block, result, known, t }: BlockProps) {
  const scene = sceneOf(turn, result, known, block.claims ?? [], t);
  const drawn = parse(block.text).map((node, at) => <Drawn key={at} node={node} scene={scene} />);
  return (
    <>
      {drawn}
      <Unplaced scene={scene} claims={block.claims ?? []} />
    </>
  );
}

/** Doubtful claims whose words were not found in the block are told below it. */
function Unplaced({ scene, claims }: { scene: Scene; claims: number[] }) {
  const left = claims.filter((at) => !scene.matcher.found.has(at) && ["unsupported", "contradicted"].includes(scene.result?.claims[at]?.verdict ?? ""));
  if (!left.length) return null;
  return (
    <ul class="unplaced">
      {left.map((at) => (
        <li key={at}><ClaimSpan scene={scene} claim={at}><Inline text={scene.result?.claims[at]?.text ?? ""} known={scene.known} /></ClaimSpan></li>
      ))}
    </ul>
  );
}

function Drawn({ node, scene }: { node: Node; scene: Scene }): ComponentChildren {
  switch (node.kind) {
    case "heading": {
      const Tag = `h${Math.min(6, node.level + 2)}` as "h3";
      return <Tag>{words(node.text, scene)}</Tag>;
    }
    case "paragraph":
      return <p>{words(node.text, scene)}</p>;
    case "code":
      return <pre tabIndex={0}><code>{pieces(visible(node.text), node.language).map((one, at) => (one.kind ? <span key={at} class={one.kind}>{one.text}</span> : one.text))}</code></pre>;
    case "quote":
      return <blockquote>{node.nodes.map((one, at) => <Drawn key={at} node={one} scene={scene} />)}</blockquote>;
    case "rule":
      return <hr />;
    case "list": {
      const items = node.items.map((item, at) => (
        <li key={at}>{item.map((one, n) => (one.kind === "paragraph" && item.length === 1 ? words(one.text, scene) : <Drawn key={n} node={one} scene={scene} />))}</li>
      ));
      return node.ordered ? <ol start={node.start}>{items}</ol> : <ul>{items}</ul>;
    }
    case "table": {
      const [head, ...rows] = node.rows;
      return (
        <div class="table" tabIndex={0} role="group">
          <table>
            <thead><tr>{head?.map((cell, at) => <th key={at} scope="col" class={node.align[at]}>{plain(cell)}</th>)}</tr></thead>
            <tbody>{rows.map((row, at) => <tr key={at}>{row.map((cell, n) => <td key={n} class={node.align[n]}>{words(cell, scene)}</td>)}</tr>)}</tbody>
          </table>
        </div>
      );
    }
  }
}

const plain = (text: string): string => new ClaimMatcher([], [], NOTHING_KNOWN).mark(text).map((piece) => piece.text).join("");

function words(text: string, scene: Scene): ComponentChildren {
  return groups(scene.matcher.mark(text)).map((group, at) => {
    const pieces = group.pieces.map((piece, n) => leaf(group.pieces[n + 1]?.cite ? { ...piece, text: piece.text.trimEnd() } : piece, scene, n));
    return group.claim < 0 ? pieces : <ClaimSpan key={`c${at}`} scene={scene} claim={group.claim}>{pieces}</ClaimSpan>;
  });
}

function leaf(piece: Marked, scene: Scene, key: number): ComponentChildren {
  if (piece.cite) return <Cite key={key} turn={scene.turn} n={piece.cite} t={scene.t} />;
  let node: ComponentChildren = piece.text.includes("\n") ? piece.text.replace(/\n/g, " ") : piece.text;
  if (piece.code) node = <code>{node}</code>;
  if (piece.em) node = <em>{node}</em>;
  if (piece.strong) node = <strong>{node}</strong>;
  if (piece.struck) node = <s>{node}</s>;
  if (piece.href) node = <Outward key={key} href={piece.href}>{node}</Outward>;
  return node;
}

/** A line of Markdown without claims: a claim on its own, say. */
export function Inline({ text, known = NOTHING_KNOWN }: { text: string; known?: Known }) {
  const scene = sceneOf(-1, null, known, [], useWords());
  return <>{new ClaimMatcher([], [], known).mark(text).map((piece, n) => leaf(piece, scene, n))}</>;
}

/** A link that leaves the page; its host is shown where its words do not name it. */
export function Outward({ href, children }: { href: string; children: ComponentChildren }) {
  const url = safeUrl(href);
  if (!url) return <>{children}</>;
  const { host } = new URL(url);
  const named = typeof children === "string" && children.includes(host);
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" referrerpolicy="no-referrer">
      {children}{!named && <span class="host"> ({host})</span>}
    </a>
  );
}

export function openSource(turn: number, n: number): void {
  if (turn >= 0) update({ panel: { turn, source: n } });
}

function Cite({ turn, n, t }: { turn: number; n: number; t: Say }) {
  return <button class="cite" data-cite={n} aria-label={t("source", n)} onClick={(event) => { event.stopPropagation(); openSource(turn, n); }}>{n}</button>;
}

function ClaimSpan({ scene, claim, children }: { scene: Scene; claim: number; children: ComponentChildren }) {
  const { turn, result, t } = scene;
  const told = result?.claims[claim];
  const lit = useStore((now) => now.lit?.turn === turn && now.lit.claim === claim);
  const first = useMemo(() => { // of the spans of a claim: it stays so where this one alone is drawn again
    const news = !scene.seen.has(claim);
    scene.seen.add(claim);
    return news;
  }, [scene, claim]);
  if (!told) return <>{children}</>;
  const light = (): void => update({ lit: { turn, claim } });
  const dim = (): void => { if (read().lit?.claim === claim) update({ lit: null }); };
  const cites = told.citations.length > 0;
  const verdict = `${t(`verdict_${told.verdict}`)}${told.reason ? `: ${told.reason}` : ""}`;
  const open = (): void => {
    if (turn >= 0 && (cites || told.reason)) update({ panel: { turn, claim, ...(told.citations[0] ? { source: told.citations[0] } : {}) } });
  };
  return (
    <span
      class={`claim ${told.verdict}${lit ? " lit" : ""}`} data-claim={claim} data-verdict={told.verdict} title={verdict}
      tabIndex={first && (cites || told.reason) ? 0 : undefined} role={first && (cites || told.reason) ? "link" : undefined}
      aria-description={first ? verdict : undefined}
      onPointerEnter={light} onPointerLeave={dim} onFocus={light} onBlur={dim} onClick={open}
      onKeyDown={(event) => { if (event.key === "Enter" && event.target === event.currentTarget) open(); }}
    >{children}</span>
  );
}
