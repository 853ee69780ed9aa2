"""The answer as a document tree for exporters: its Markdown parsed once, its claims and citation marks found in it.

No exporter reads Markdown. Raw HTML is text here, an image its description, and a link only what leads to a cited
source; all else stays as the words it shows.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any, Final, Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from weiwo.nodes.shared.markdown.citation_marks import find_marks
from weiwo.text.patterns import lazy
from weiwo.tools.printable import printable

NodeKind = Literal["heading", "paragraph", "list", "item", "table", "chart", "code", "quote", "rule"]
_STYLES: Final = {"strong": "bold", "em": "italic", "s": "strike"}
_AHEAD: Final = 12
"""Claims that may be passed over where the next one is not found in the text."""
_SHORTEST_AHEAD: Final = 8
"""Letters of a claim that is looked for out of turn: a shorter one may stand anywhere."""
_JOINER: Final = "\u2060"
"""Stands in for a letter beside signs of emphasis; `printable` leaves none before it is put in, and none after."""
_CLOSING: Final = lazy(r"(?<=[。！？；：，、…”’』」）》】])(?=(\*{1,3})\w)")
_OPENING: Final = lazy(r"(?<=\w)(\*{1,3})(?=[“‘『「（《【])")


@dataclass(frozen=True)
class Run:
    """A stretch of text of one style.

    Attributes:
        text: Its characters; a line end is a line break.
        bold: Whether it is strong.
        italic: Whether it is emphasized.
        strike: Whether it is struck out.
        code: Whether it is code.
        link: The address of the cited source that it leads to; empty for none.
        cites: The number of the source if it is a citation mark, else 0.
        claim: The position of the claim it is of, or -1.
    """

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str = ""
    cites: int = 0
    claim: int = -1


@dataclass(frozen=True)
class Series:
    """A row of numbers with a name; None where a cell has none that is verified."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class Chart:
    """A chart.

    Attributes:
        labels: A label for each place on the horizontal axis.
        series: What is drawn, each as long as the labels.
        line: Whether the labels are times at even steps, so that a line may join them; else bars.
    """

    labels: tuple[str, ...]
    series: tuple[Series, ...]
    line: bool


@dataclass(frozen=True)
class Node:
    """A block of a document.

    Attributes:
        kind: What it is.
        runs: Of a heading or a paragraph: its text.
        children: Of a list its items, of an item or a quotation its blocks.
        level: Of a heading, from 1, which the highest of the document has.
        start: Of a numbered list its first number; 0 for bullets.
        rows: Of a table its cells, the header row first, all rows equally long.
        text: Of code.
        chart: Of a chart.
    """

    kind: NodeKind
    runs: tuple[Run, ...] = ()
    children: "tuple[Node, ...]" = ()
    level: int = 0
    start: int = 0
    rows: tuple[tuple[tuple[Run, ...], ...], ...] = ()
    text: str = ""
    chart: Chart | None = None


def parse_document(answer: str, claims: Sequence[Mapping[str, Any]], links: Mapping[int, str]) -> tuple[Node, ...]:
    """Parse an answer.

    Args:
        answer: Its Markdown.
        claims: Its claims, as the result has them.
        links: The sources it cites: address by number, empty where there is none that may be followed.
    """
    nodes = _Parser(claims, links).blocks(_markdown().parse(_joined(printable(answer))))
    top = min((node.level for node in nodes if node.kind == "heading"), default=1)
    return tuple(replace(node, level=max(node.level - top + 1, 0)) for node in nodes)


def plain(runs: Sequence[Run]) -> str:
    """The text of runs, without citation marks."""
    return "".join(run.text for run in runs if not run.cites).strip()


def find_letters(text: str, words: str) -> tuple[int, int] | None:
    """Where words stand in a text, comparing letters and digits alone; offsets, None where they do not."""
    wanted = _letters(words)
    at = [position for position, sign in enumerate(text) if sign.isalnum()]
    found = "".join(text[position].lower()[0] for position in at).find(wanted) if wanted else -1
    return (at[found], at[found + len(wanted) - 1] + 1) if found >= 0 else None


def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _joined(text: str) -> str:
    """Markdown whose emphasis begins and ends in Chinese, too: by the rules, `。**` before a letter ends none."""
    return _OPENING.sub(rf"\1{_JOINER}", _CLOSING.sub(_JOINER, text))


def _letters(text: str) -> str:
    return "".join(sign.lower()[0] for sign in text if sign.isalnum())


class _Parser:
    """Turns the tokens of one answer into nodes; claims are met in the order in which they stand in it."""

    def __init__(self, claims: Sequence[Mapping[str, Any]], links: Mapping[int, str]) -> None:
        self._links = links
        inline = _markdown()
        self._addresses = {inline.normalizeLink(address): address for address in links.values() if address}
        self._claims = [
            _letters(
                "".join(
                    run.text for token in inline.parseInline(str(claim.get("text", ""))) for run in self._runs(token)
                )
            )
            for claim in claims
        ]
        self._next = 0

    def blocks(self, tokens: Sequence[Token]) -> tuple[Node, ...]:
        """The nodes of tokens that stand on one level."""
        return tuple(self._blocks(tokens))

    def _blocks(self, tokens: Sequence[Token]) -> Iterator[Node]:
        position = 0
        while position < len(tokens):
            token, end = tokens[position], position
            if token.nesting > 0:
                depth = accumulate(one.nesting for one in tokens[position:])
                end = position + next((n for n, level in enumerate(depth) if not level), len(tokens) - position - 1)
            inside = tokens[position + 1 : end]
            match token.type:
                case "heading_open":
                    yield Node("heading", self._runs(inside[0]), level=int(token.tag[1]))
                case "paragraph_open":
                    yield Node("paragraph", self._claimed(self._runs(inside[0])))
                case "bullet_list_open" | "ordered_list_open":
                    start = int(token.attrGet("start") or 1) if token.type[0] == "o" else 0
                    yield Node("list", children=self.blocks(inside), start=start)
                case "list_item_open":
                    yield Node("item", children=self.blocks(inside))
                case "blockquote_open":
                    yield Node("quote", children=self.blocks(inside))
                case "table_open":
                    yield Node("table", rows=self._rows(inside))
                case "fence" | "code_block":
                    yield Node("code", text=printable(token.content).rstrip("\n"))
                case "hr":
                    yield Node("rule")
            position = end + 1

    def _rows(self, tokens: Sequence[Token]) -> tuple[tuple[tuple[Run, ...], ...], ...]:
        rows: list[list[tuple[Run, ...]]] = []
        for token, following in pairwise(tokens):
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "th_open":
                rows[-1].append(self._runs(following))
            elif token.type == "td_open":
                rows[-1].append(self._claimed(self._runs(following)))
        return tuple(map(tuple, rows))

    def _runs(self, inline: Token) -> tuple[Run, ...]:
        """The runs of a paragraph, a cell or a heading."""
        runs: list[Run] = []
        style = Run("")
        for child in inline.children or ():
            name, _, edge = child.type.rpartition("_")
            if name in _STYLES:
                change: dict[str, Any] = {_STYLES[name]: edge == "open"}
                style = replace(style, **change)
            elif child.type == "link_open":
                style = replace(style, link=self._addresses.get(str(child.attrGet("href") or ""), ""))
            elif child.type == "link_close":
                style = replace(style, link="")
            elif child.type in {"softbreak", "hardbreak"}:
                runs.append(replace(style, text="\n"))
            elif child.type == "code_inline":
                runs.append(replace(style, text=printable(child.content), code=True))
            else:
                runs += self._marked(printable(child.content), style)  # what an entity stood for, too
        return tuple(runs)

    def _marked(self, text: str, style: Run) -> Iterator[Run]:
        """Text with its citation marks as runs of their own; a mark that leads nowhere stays text."""
        position = 0
        for mark in find_marks(text):
            if any(number in self._links for number in mark.numbers):
                if before := text[position : mark.start].rstrip(" "):
                    yield replace(style, text=before)
                yield from (replace(style, text=f"[{n}]", cites=n) for n in mark.numbers if n in self._links)
                position = mark.end
        if position < len(text):
            yield replace(style, text=text[position:])

    def _claimed(self, runs: tuple[Run, ...]) -> tuple[Run, ...]:
        """Runs with the claims found in them: each is looked for behind the one before."""
        text = "".join("" if run.cites else run.text for run in runs)
        ends = accumulate(0 if run.cites else len(run.text) for run in runs)
        marks = {end for run, end in zip(runs, ends, strict=True) if run.cites}
        at = [position for position, sign in enumerate(text) if sign.isalnum()]
        letters, position = "".join(text[place].lower()[0] for place in at), 0
        spans: list[tuple[int, int, int]] = []
        while position < len(letters):
            for number in range(self._next, min(self._next + _AHEAD, len(self._claims))):
                claim = self._claims[number]
                found = _find_whole(letters, claim, position, text, at)
                if found >= 0 and (number == self._next or len(claim) >= _SHORTEST_AHEAD):
                    position, self._next = found + len(claim), number + 1
                    spans.append((at[found], _sentence_end(text, at[position - 1] + 1, marks), number))
                    break
            else:
                break
        return tuple(_split(runs, spans)) if spans else runs


def _find_whole(letters: str, claim: str, position: int, text: str, at: Sequence[int]) -> int:
    """Where a claim stands in the letters of a text, from a position on; -1 where it does not, or within a number."""
    found = letters.find(claim, position) if claim else -1
    while found >= 0:
        edges = at[found], at[found + len(claim) - 1] + 1
        if not any(0 < edge < len(text) and text[edge - 1 : edge + 1].isdigit() for edge in edges):
            return found
        found = letters.find(claim, found + 1)
    return -1


def _sentence_end(text: str, end: int, marks: Collection[int]) -> int:
    """The end of a sentence whose last letter ends there: signs that follow belong to it, up to a citation mark."""
    while end < len(text) and end not in marks and not text[end].isalnum() and not text[end].isspace():
        end += 1
    return end


def _split(runs: Sequence[Run], spans: Sequence[tuple[int, int, int]]) -> Iterator[Run]:
    """Runs cut where claims begin and end; offsets leave citation marks out."""
    position = 0
    for run in runs:
        if run.cites:
            yield run
            continue
        end, start = position + len(run.text), position
        for first, last, claim in spans:
            left, right = max(first, start), min(last, end)
            if left < right:
                if start < left:
                    yield replace(run, text=run.text[start - position : left - position])
                yield replace(run, text=run.text[left - position : right - position], claim=claim)
                start = right
        if start < end:
            yield replace(run, text=run.text[start - position :])
        position = end
