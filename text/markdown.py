"""Markdown parsing: a tree of blocks and runs, lines of text, code and formulas.

There is one grammar, CommonMark with tables and strikethrough by markdown-it-py, in which raw HTML and link definitions
are text. The input may be a piece of a document: a row without its header is a row, and an indented item stands in a
list. All functions take time in proportion to the text.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from weiwo.text.language import sentences
from weiwo.text.patterns import lazy
from weiwo.text.short_text_cache import cache_short_texts

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_NodeKind = Literal["heading", "paragraph", "list", "item", "table", "code", "quote", "rule"]
_LineKind = Literal["blank", "text", "heading", "title", "rule", "head", "delimiter", "row", "fence", "code"]

FENCE: Final = lazy(r"((?: {0,3}> ?){0,8} {0,12}(?:(?:[-*+]|\d{1,3}[.)]) {1,4})?)(`{3,}(?=[^`\n]*(?:\n|\Z))|~{3,})")
"""The line that opens a fenced block, also inside quotations and list items. Group 1 is the text before the fence."""
ITEM: Final = lazy(r"\s{0,24}(?:[-*+•]|\d{1,3}[.)、])\s+(?:\[[ xX]\]\s+)?")
"""The marker of an item, a checkbox included."""
ROW: Final = lazy(r" {0,12}\|")
"""A row of a table that begins with a bar."""
CELL: Final = lazy(r"(?<!\\)\|")
"""The bar behind a cell of a table. An escaped bar is text."""
DELIMITER: Final = lazy(r"\s*+(?=[^\n-]*+-)(?=[^\n|]*+\|)[|:\s-]++$")
"""The line between a table's header and its body."""
ATTRIBUTION: Final = "— "
"""The beginning of a paragraph below a quotation that names the source."""
_NESTED: Final = lazy(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_CHECKBOX: Final = lazy(r"\[[ xX]\][ \t]+(?=\S)")
_INDENTED: Final = lazy(r"\s*?([ \t]{4,24})(?=[-*+•|]|\d{1,3}[.)、]|`{3}|~{3})")
_FORMULA: Final = lazy(
    r"\$\$[^$]{1,2000}\$\$|\\\((?!\d[\d, ]*\\)[^\n]{1,400}?\\\)|\\\[(?!\d[\d, ]*\\)(?s:.){1,500}?\\\]"
    r"|\$(?=[^\s$][^$\n]{0,300}\$)(?=[^$\n]*[\\_^{}=])[^$\n]{0,300}[^\s$]\$(?!\d)"
)
_RUN: Final = lazy(r"`+")
_JOINER: Final = "\u2060"
"""Inserted between CJK punctuation and `**`, because in CommonMark `。**` before a letter closes no emphasis."""
_CLOSING: Final = lazy(r"(?<=[。！？；：，、…”’』」）》】])(?=(\*{1,3})\w)")
_OPENING: Final = lazy(r"(?<=\w)(\*{1,3})(?=[“‘『「（《【])")
_STYLES: Final = {"strong": "bold", "em": "italic", "s": "strike"}


@cache
def _parser(*, inline: bool = False) -> "MarkdownIt":
    """Return the Markdown parser. Without `inline`, the content of blocks is not parsed."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("reference")
    return parser if inline else parser.disable("inline")


def parse_blocks(text: str) -> "list[Token]":
    """Return the blocks of a text as markdown-it-py tokens, with unparsed content."""
    return _parser().parse(text.replace("\r", " "))


# --- the tree ---


@dataclass(frozen=True)
class Run:
    """A stretch of text in a uniform style.

    Attributes:
        text: The characters. A line end is a line break.
        bold: Whether the text is strong.
        italic: Whether the text is emphasized.
        strike: Whether the text is struck out.
        code: Whether the text is code.
        link: The URL of the link. Empty for none.
        cites: The number of the source for a citation mark, else 0.
        claim: The position of the claim that the run belongs to, or -1.
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
class Node:
    """A block.

    Attributes:
        kind: The kind of block.
        runs: Of a heading or a paragraph: its text.
        children: Of a list its items, of an item or a quotation its blocks.
        level: Of a heading, from 1.
        start: Of a numbered list its first number; 0 for bullets.
        rows: Of a table its cells, the header row first, all rows equally long.
        text: Of code.
        language: Of code, as its fence names it.
        tight: Of a paragraph: whether it belongs to an item of a list without empty lines between its items.
        first: Number of its first line in the text, from 0.
        end: Number of the line behind its last line.
    """

    kind: _NodeKind
    runs: tuple[Run, ...] = ()
    children: "tuple[Node, ...]" = ()
    level: int = 0
    start: int = 0
    rows: tuple[tuple[tuple[Run, ...], ...], ...] = ()
    text: str = ""
    language: str = ""
    tight: bool = False
    first: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


def parse_markdown(text: str) -> tuple[Node, ...]:
    """Return the blocks of a Markdown text. An image is represented by its alternative text."""
    joined = _OPENING.sub(rf"\1{_JOINER}", _CLOSING.sub(_JOINER, text)) if "*" in text else text
    return tuple(_read_nodes(_parser(inline=True).parse(joined)))


def parse_runs(text: str) -> tuple[Run, ...]:
    """Return the runs of a line of Markdown: "a **b**" → "a " and a bold "b"."""
    return tuple(run for token in _parser(inline=True).parseInline(text) for run in _read_runs(token))


def normalize_link(address: str) -> str:
    """Normalize a URL the same way as `parse_markdown` does for a link."""
    return _parser(inline=True).normalizeLink(address)


def _read_nodes(tokens: "Sequence[Token]") -> Iterator[Node]:
    """Yield the nodes of tokens on the same level."""
    position = 0
    while position < len(tokens):
        token, end = tokens[position], position
        if token.nesting > 0:
            behind = range(position + 1, len(tokens))
            end = next(n for n in behind if tokens[n].nesting < 0 and tokens[n].level == token.level)
        inside = tokens[position + 1 : end]
        if (node := _read_node(token, inside)) is not None:
            first, last = token.map or (0, 0)
            yield replace(node, first=first, end=last)
        position = end + 1


def _read_node(token: "Token", inside: "Sequence[Token]") -> Node | None:
    node: Node | None = None
    match token.type:
        case "heading_open":
            node = Node("heading", _read_runs(inside[0]), level=int(token.tag[1]))
        case "paragraph_open":
            node = Node("paragraph", _read_runs(inside[0]), tight=token.hidden)
        case "bullet_list_open":
            node = Node("list", children=tuple(_read_nodes(inside)))
        case "ordered_list_open":
            node = Node("list", children=tuple(_read_nodes(inside)), start=int(token.attrGet("start") or 1))
        case "list_item_open":
            node = Node("item", children=tuple(_read_nodes(inside)))
        case "blockquote_open":
            node = Node("quote", children=tuple(_read_nodes(inside)))
        case "table_open":
            node = Node("table", rows=_read_rows(inside))
        case "fence" | "code_block":
            node = Node("code", text=_plain(token.content).rstrip("\n"), language=token.info.strip())
        case "hr":
            node = Node("rule")
    return node


def _read_rows(tokens: "Sequence[Token]") -> tuple[tuple[tuple[Run, ...], ...], ...]:
    rows: list[list[tuple[Run, ...]]] = []
    for token, following in pairwise(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in {"th_open", "td_open"}:
            rows[-1].append(_read_runs(following))
    return tuple(map(tuple, rows))


def _read_runs(inline: "Token") -> tuple[Run, ...]:
    """Return the runs of a paragraph, a cell or a heading."""
    runs: list[Run] = []
    style = Run("")
    for child in inline.children or ():
        name, _, edge = child.type.rpartition("_")
        if name in _STYLES:
            change: dict[str, Any] = {_STYLES[name]: edge == "open"}
            style = replace(style, **change)
        elif name == "link":
            style = replace(style, link=str(child.attrGet("href") or "") if edge == "open" else "")
        elif child.type in {"softbreak", "hardbreak"}:
            runs.append(replace(style, text="\n"))
        elif words := _plain(child.content):
            runs.append(replace(style, text=words, code=child.type == "code_inline"))
    return tuple(runs)


def _plain(text: str) -> str:
    return text.replace(_JOINER, "")


# --- the lines ---


@dataclass(slots=True)
class Line:
    """A line of a text.

    Attributes:
        start: Offset of the first character.
        inside: Offset of the first word, behind quotation signs, bullets and heading signs.
        end: Offset behind the line end.
        kind: The kind of line. A `title` is a heading underlined by the `rule` below it. A line of a `fence` is fenced
            code.
        leaf: Number of the innermost block of the line, shared by all its lines. Negative for a line of no block.
        depth: Number of list items that the line is nested in.
        item: Whether the line begins a list item.
        quoted: Whether the line is in a quotation.
    """

    start: int
    inside: int
    end: int
    kind: _LineKind = "text"
    leaf: int = 0
    depth: int = 0
    item: bool = False
    quoted: bool = False


_LEAVES: Final[dict[str, _LineKind]] = {
    "paragraph_open": "text",
    "heading_open": "heading",
    "hr": "rule",
    "fence": "fence",
    "code_block": "code",
    "table_open": "row",
}


@cache_short_texts
def read_lines(text: str) -> list[Line]:
    """Return the lines of a complete text. They are cached and shared, and must not be changed."""
    return scan_lines(text)


def scan_lines(text: str, context: str = "") -> list[Line]:
    """Return the lines of a text, which may be a fragment, or still growing as a model writes.

    Args:
        text: Markdown, or a fragment.
        context: Text before the fragment, as much as shows which blocks the fragment begins in. It may end within a
            line.
    """
    if not context and (indented := _INDENTED.match(text)):
        # A piece with an indented first line stands in list items.
        levels = len(indented[1].expandtabs(4)) // 2
        context = "".join(f"{'  ' * level}- x\n" for level in range(levels))
    whole, shift = context + text, len(context)
    bounds = [0, *accumulate(len(line) + 1 for line in whole.split("\n"))]
    bounds[-1] = len(whole)
    lines = [
        Line(start, start, end, "text" if whole[start:end].strip(" \t>\r\n") else "blank", -number)
        for number, (start, end) in enumerate(pairwise(bounds), 1)
        if start < end
    ]
    tokens = parse_blocks(whole)
    for number, token in enumerate(tokens):
        rows = lines[slice(*token.map)] if token.map else []
        if token.type == "blockquote_open":
            for line in rows:
                line.quoted = True
        elif token.type == "list_item_open" and rows:
            rows[0].item = True
            for line in rows:
                line.depth += 1
        elif token.type in _LEAVES:
            _read_leaf(whole, token, tokens[number + 1 : number + 2], rows, number + 1)
    kept = lines[bisect_right([line.end for line in lines], shift) :] if shift else lines
    for line in kept if shift else ():
        line.start, line.inside, line.end = max(0, line.start - shift), max(0, line.inside - shift), line.end - shift
    return kept


def _read_leaf(text: str, token: "Token", following: "Sequence[Token]", rows: Sequence[Line], leaf: int) -> None:
    """Set the kind of each line in a leaf block."""
    kind = _LEAVES[token.type]
    while rows and kind not in {"fence", "code"} and rows[-1].kind == "blank":  # which the map of a rule may take in
        rows = rows[:-1]
    for line in rows:
        line.kind, line.leaf = kind, leaf
    if kind == "row":
        for line, part in zip(rows, ("head", "delimiter"), strict=False):
            line.kind = part  # type: ignore[assignment]
        for line in rows:
            nested = _NESTED.match(text, line.start, line.end) if line.depth or line.quoted else None
            line.inside = nested.end() if nested else line.start
    elif kind in {"text", "heading"}:
        if kind == "heading" and token.markup[:1] != "#" and len(rows) > 1:
            *rows, under = rows
            under.kind, under.leaf = "rule", leaf + 1
            for line in rows:
                line.kind = "title"
        for line, words in zip(rows, following[0].content.split("\n"), strict=False):
            line.inside = line.start + len(text[line.start : line.end].rstrip()) - len(words.strip())
            if line.item and (box := _CHECKBOX.match(text, line.inside, line.end)):
                line.inside = box.end()
        if kind == "text":
            _find_bare_rows(text, rows)


def _find_bare_rows(text: str, lines: Sequence[Line]) -> None:
    """Mark the lines of a paragraph that are table rows without a table: those that begin with `|`.

    Such rows come without a header (which may be in an earlier fragment), or below a delimiter of too few columns.
    """
    words = [text[line.inside : line.end].rstrip("\n") for line in lines]
    for line, row, below in zip(lines, words, [*words[1:], ""], strict=True):
        if row.startswith("|"):
            line.kind = "delimiter" if DELIMITER.match(row) else "head" if DELIMITER.match(below) else "row"


def split_row(row: str) -> tuple[str, ...]:
    """Return the cells of a table row: "| a | b |" → `("a", "b")`."""
    cells = [cell.strip() for cell in CELL.split(row.strip())]
    first, last = row.strip().startswith("|"), len(cells) > 1 and not cells[-1]
    return tuple(cells[first : len(cells) - last])


# --- what is not cut ---


def find_unbroken(text: str) -> list[tuple[int, int]]:
    """Return the spans (start, end) of the fenced blocks and the table rows of a text, in order.

    A cut inside a block or row leaves two halves without meaning.
    """
    if "|" not in text and "```" not in text and "~~~" not in text:
        return []
    found: list[tuple[int, int]] = []
    for _, group in groupby(read_lines(text), lambda line: line.leaf):
        lines = list(group)
        if lines[0].kind == "fence":
            found.append((lines[0].start, lines[-1].end))
        else:
            found += [(line.start, line.end) for line in lines if line.kind in {"head", "delimiter", "row"}]
    return found


def find_whole_sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of a text, with each fenced block and table row as a single sentence."""
    kept = [(start, start + len(text[start:end].rstrip())) for start, end in find_unbroken(text)]
    spans: list[tuple[int, int]] = []
    for start, end in sorted([*sentences(text), *kept]):
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return spans


# --- code and formulas ---


class Opaque(NamedTuple):
    """A span that is code or a formula and no prose. `code` is False for a formula."""

    start: int
    end: int
    code: bool


def find_opaque(text: str) -> list[Opaque]:
    """Return the fenced code, code spans and formulas of a text, in order, without overlap."""
    if not any(sign in text for sign in ("`", "~~~", "$", "\\[", "\\(")):
        return []
    return sorted(_scan_blocks(text))


def _scan_blocks(text: str) -> Iterator[Opaque]:
    for _, group in groupby(read_lines(text), lambda line: line.leaf):
        lines = list(group)
        start, end = lines[0].start, lines[-1].end
        if lines[0].kind == "fence":
            yield Opaque(start, end, code=True)
        elif lines[0].kind in {"head", "delimiter", "row"}:
            bounds = [start, *(bar.end() for bar in CELL.finditer(text, start, end)), end]
            for left, right in pairwise(bounds):
                yield from find_inline_opaque(text, left, right)
        else:
            yield from find_inline_opaque(text, start, end)


def find_inline_opaque(text: str, start: int, end: int) -> Iterator[Opaque]:
    """Yield the code spans of a paragraph or a cell, and the formulas between code spans."""
    position = start
    for left, right in find_code_spans(text, start, end)[0]:
        yield from (Opaque(*found.span(), code=False) for found in _FORMULA.finditer(text, position, left))
        yield Opaque(left, right, code=True)
        position = right
    yield from (Opaque(*found.span(), code=False) for found in _FORMULA.finditer(text, position, end))


def find_code_spans(text: str, start: int, end: int) -> tuple[list[tuple[int, int]], int | None]:
    """Return the code spans between `start` and `end`, and the start of the first unclosed run of backticks.

    A run of backticks ends at the next run of the same length. In "a `b` c ``d" the span is (2, 5), and 8 starts an
    unclosed run. The second value is None if all runs are closed.
    """
    runs = list(_RUN.finditer(text, start, end))
    by_length: dict[int, list[int]] = {}
    for index, run in enumerate(runs):
        by_length.setdefault(len(run[0]), []).append(index)
    spans: list[tuple[int, int]] = []
    unpaired: int | None = None
    index = 0
    while index < len(runs):
        left, right = runs[index].span()
        left += _is_escaped(text, left)
        same = by_length.get(right - left, [])
        behind = bisect_right(same, index)
        if right > left and behind < len(same):
            spans.append((left, runs[same[behind]].end()))
            index = same[behind]
        elif right > left and unpaired is None:
            unpaired = left
        index += 1
    return spans, unpaired


def mask(text: str, offset: int, covers: Sequence[tuple[int, int, str]]) -> str:
    """Return a text with each span overwritten by a character. Offsets stay the same.

    `mask("abcdef", 0, [(1, 3, "x")])` → "axxdef".

    Args:
        text: The text.
        offset: Start of the text within the text that the span offsets refer to.
        covers: The spans in order, each `(start, end, character)`.
    """
    parts: list[str] = []
    position = 0
    for start, end, sign in covers:
        left, right = max(start - offset, position), max(end - offset, position)
        parts += [text[position:left], sign * (min(right, len(text)) - left)]
        position = right
    return "".join([*parts, text[position:]])


def _is_escaped(text: str, position: int) -> bool:
    before = position
    while before and text[before - 1] == "\\":
        before -= 1
    return (position - before) % 2 == 1
