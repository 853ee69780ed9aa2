"""The answer as a Markdown document: its blocks, the claims in them, and a stream of it cut where it may be spoken.

Sentences, list items and table cells are claims. Headings, header rows, rules, fences and code are none; they pass
through byte for byte.
"""

import re
from bisect import bisect_left
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from weiwo.nodes.shared.citation_marks import find_marks
from weiwo.state import Block, BlockKind
from weiwo.text.language import sentences

_FENCE: Final = re.compile(r" {0,12}(?:[-*+] |\d{1,3}[.)] )?(```+|~~~+)")
_ROW: Final = re.compile(r" {0,3}\|")
_DELIMITER: Final = re.compile(r"\s*+(?=[^\n-]*+-)[|:\s-]++$")
_LINE: Final = re.compile(r" {0,3}(?:#{1,6}(?:\s|$)|(?:\*\s?){3,}$|(?:-\s?){3,}$|(?:_\s?){3,}$|={3,}\s*$)")
_ITEM: Final = re.compile(r"\s{0,24}(?:[-*+•]|\d{1,3}[.)、])\s+")
_QUOTE: Final = re.compile(r" {0,3}>\s?")
_SOURCE_LIST: Final = re.compile(
    r"\s*+(?:[*#_]++\s*+)?(?:sources?|references?|citations?|bibliography|来源|参考(?:资料|文献|来源)?"
    r"|引用)[ \t]*+[*_]*+[ \t]*+(?:[:：]|$)",
    re.IGNORECASE | re.MULTILINE,
)
_LISTED: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)、]|\[\d|【\d|<?https?://|\n|$)")
_OPEN_END: Final = re.compile(r"(?:[\[【［][^\]】］\n]{0,120}|\]\([^()\s]{0,500})$")
"""A mark, or its link, that may still be coming; a bracket open for longer than any mark is none."""
LONGEST_PIECE: Final = 20_000
"""Characters after which what has no end is taken for a piece."""
_INLINE_CODE: Final = re.compile(r"`[^`\n]{1,400}`")


# --- claims in a piece of the document ---


def claim_spans(piece: str) -> list[tuple[int, int]]:
    """The claims of a piece of Markdown, marks included, as offsets in order.

    Args:
        piece: Whole blocks, or sentences of one.
    """
    spans: list[tuple[int, int]] = []
    fence = ""
    prose: list[tuple[int, int]] = []
    lines = _lines(piece)
    header_rows = _header_rows(piece, lines)
    for number, (start, end) in enumerate(lines):
        line = piece[start:end]
        opened = _FENCE.match(line)
        if fence or opened or not line.strip() or _LINE.match(line) or _ROW.match(line):
            spans += _sentence_spans(piece, prose)
            prose = []
            if opened and (not fence or (opened[1].startswith(fence[:3]) and not line.strip().strip("`~"))):
                fence = "" if fence else opened[1]
            elif not fence and _ROW.match(line) and number not in header_rows:
                spans += _cells(piece, start, end)
            continue
        marker = _ITEM.match(line) or _QUOTE.match(line)
        if marker:
            spans += _sentence_spans(piece, prose)
            prose = []
        prose.append((start + (marker.end() if marker else 0), end))
    return [*spans, *_sentence_spans(piece, prose)]


def _lines(text: str) -> list[tuple[int, int]]:
    ends = [found.end() for found in re.finditer("\n", text)]
    bounds = [0, *ends, len(text)]
    return [(start, end) for start, end in pairwise(bounds) if end > start]


def _header_rows(piece: str, lines: Sequence[tuple[int, int]]) -> set[int]:
    """Rows that are no claims: the delimiter of a table and the row above it."""
    found: set[int] = set()
    for number, (start, end) in enumerate(lines):
        if "-" in piece[start:end] and _DELIMITER.match(piece[start:end].rstrip("\n")) and "|" in piece[start:end]:
            found |= {number, number - 1}
    return found


def _cells(piece: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The cells of a table row that hold anything."""
    position = start
    for part in re.split(r"(?<!\\)\|", piece[start:end]):
        stripped = part.strip()
        if re.search(r"\w", stripped):
            at = position + part.index(stripped)
            yield at, at + len(stripped)
        position += len(part) + 1


def row_of(piece: str, span: tuple[int, int]) -> str:
    """The table row that a cell stands in; empty where the span is no cell."""
    start = piece.rfind("\n", 0, span[0]) + 1
    end = piece.find("\n", span[1])
    line = piece[start : end if end >= 0 else len(piece)]
    return line if _ROW.match(line) and line.strip() != piece[span[0] : span[1]] else ""


def _sentence_spans(piece: str, lines: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The sentences of consecutive lines; a mark behind a full stop belongs to what it follows."""
    if not lines:
        return []
    start, end = lines[0][0], lines[-1][1]
    text = piece[start:end]
    marks = find_marks(text)
    plain = _INLINE_CODE.sub(lambda code: "x" * len(code[0]), text)
    for mark in marks:
        plain = plain[: mark.start] + " " * (mark.end - mark.start) + plain[mark.end :]
    found = [list(span) for span in sentences(plain) if re.search(r"\w", plain[span[0] : span[1]])]
    position = 0
    for mark in marks:
        while position + 1 < len(found) and found[position + 1][0] <= mark.start:
            position += 1
        if found:
            found[position][1] = max(found[position][1], mark.end)
    return [(start + a, start + b) for a, b in found]


# --- a stream of pieces ---


async def split_pieces(deltas: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    """Cut a stream of Markdown into pieces that can be checked and spoken: sentences, items, tables, fenced code.

    Joined, the pieces are the text. An exception of the source passes through, and what was left of an unfinished
    piece is dropped with it. A list of sources of the model's own is left out: the answer gets one made by code.
    """
    buffer, before, dropping = "", "\n\n", False
    async for delta in deltas:
        buffer += delta
        while (end := _first_end(buffer)) is not None:
            piece, buffer = buffer[:end], buffer[end:]
            dropping = _is_source_list(piece, before, dropping=dropping)
            before = piece
            if not dropping:
                yield piece
        if len(buffer) > LONGEST_PIECE:  # each delta is looked for an end: work would grow with the square
            yield buffer
            buffer = ""
    for piece in _rest(buffer):
        dropping = _is_source_list(piece, before, dropping=dropping)
        before = piece
        if piece.strip() and not dropping:
            yield piece


def _is_source_list(piece: str, before: str, *, dropping: bool) -> bool:
    """Whether a piece begins a list of sources or goes on with one, up to a paragraph that lists nothing."""
    begins = before.endswith("\n") and bool(_SOURCE_LIST.match(piece))
    return begins or (dropping and (not before.endswith("\n\n") or bool(_LISTED.match(piece))))


def _rest(buffer: str) -> Iterator[str]:
    while buffer:
        end = _first_end(buffer, last=True) or len(buffer)
        yield buffer[:end]
        buffer = buffer[end:]


def _first_end(text: str, *, last: bool = False) -> int | None:
    """Where the first piece ends, if what follows it has certainly begun."""
    body = len(text) - len(text.lstrip("\n"))
    first = text.find("\n", body)
    line = text[body : first if first >= 0 else len(text)]
    if fence := _FENCE.match(line):
        return _fence_end(text, first, fence[1], last=last)
    if _ROW.match(line):
        return _table_end(text, body, last=last)
    if first >= 0 and _LINE.match(line):
        return _after_blanks(text, first + 1, last=last)
    if re.fullmatch(r"\s{0,3}(?:[|`~#*_=>-]{1,3}|\d{1,3}[.)]?)?\s?", line) and first < 0 and not last:
        return None  # what block this opens is still open
    return _prose_end(text, body, last=last)


def _after_blanks(text: str, end: int, *, last: bool) -> int | None:
    """The offset behind the line breaks at `end`, once something has begun there; indentation stays with what follows."""  # noqa: E501 - one line reads best
    blank = re.compile(r"(?:[ \t]*\n)*").match(text, end)
    end = blank.end() if blank else end
    return end if end < len(text) or last else None


def _fence_end(text: str, first: int, fence: str, *, last: bool) -> int | None:
    closing = re.compile(rf"^\s{{0,12}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*(?:\n|\Z)", re.MULTILINE)
    closed = closing.search(text, first + 1) if first >= 0 else None
    if closed is None or (not closed[0].endswith("\n") and not last):
        return None
    return _after_blanks(text, closed.end(), last=last)


def _table_end(text: str, body: int, *, last: bool) -> int | None:
    position = body
    while (end := text.find("\n", position)) >= 0:
        behind = text[end + 1 : end + 5]
        if not behind.strip(" "):
            return None if not last else len(text)
        if not _ROW.match(behind):
            return _after_blanks(text, end + 1, last=last)
        position = end + 1
    return None


def _prose_end(text: str, body: int, *, last: bool) -> int | None:
    """The end of the first sentence, item or paragraph."""
    limit = len(text)
    for found in re.finditer("\n", text[body:]):
        at = body + found.end()
        line = text[at : at + 80]
        if not line.strip(" "):
            if not last:
                limit = at - 1
            break
        if (
            line.startswith("\n")
            or _ITEM.match(line)
            or _LINE.match(line.split("\n")[0])
            or _ROW.match(line)
            or _FENCE.match(line)
            or _QUOTE.match(line)
        ):
            end = _after_blanks(text, at, last=last)
            return _sentence_end(text[:at].rstrip("\n"), text) or end
        if re.fullmatch(r"\s*(?:[-*+•`~#>|=_]{1,2}|\d{1,3}[.)]?)", line) and not last:
            limit = at - 1  # an item or a block may be beginning here
            break
    return _sentence_end(text[:limit], text)


def _sentence_end(block: str, text: str) -> int | None:
    """Where the first sentence of a paragraph ends, marks included, if another has certainly begun after it."""
    marker = _ITEM.match(block.lstrip("\n")) or _QUOTE.match(block.lstrip("\n"))
    skip = len(block) - len(block.lstrip("\n")) + (marker.end() if marker else 0)
    plain = _INLINE_CODE.sub(lambda code: "x" * len(code[0]), block[skip:])
    spans = [(a + skip, b + skip) for a, b in sentences(plain)]
    if len(spans) < 2 or _OPEN_END.search(block) or block.count("`") % 2:
        return None
    end = spans[0][1]
    for mark in find_marks(block):
        if mark.start >= end and not block[end : mark.start].strip():
            end = mark.end
    end += len(block[end:]) - len(block[end:].lstrip())
    return end if end < len(block) <= len(text) else None


# --- the whole document ---


def parse_blocks(text: str, starts: Sequence[int]) -> list[Block]:
    """The blocks of an answer, each with the claims in it by position.

    Args:
        text: The answer as Markdown.
        starts: Where each of its claims begins, as offsets into `text`, in order.
    """
    lines = text.splitlines(keepends=True)
    offsets = [0, *accumulate(len(line) for line in lines)]
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    blocks: list[Block] = []
    for token in tokens:
        if token.level or token.map is None or token.nesting < 0:
            continue
        first, last = token.map[0], min(token.map[1], len(lines))
        here = range(bisect_left(starts, offsets[first]), bisect_left(starts, offsets[last]))
        blocks.append(_block(token, "".join(lines[first:last]).rstrip("\n"), tuple(here)))
    return blocks


_KINDS: Final[dict[str, BlockKind]] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "blockquote_open": "quote",
    "hr": "rule",
}


def _block(token: Token, source: str, claims: tuple[int, ...]) -> Block:
    kind = _KINDS.get(token.type, "paragraph")
    level = int(token.tag[1]) if kind == "heading" else 0
    rows: list[tuple[str, ...]] = []
    if kind == "table":
        cells = [line.strip().strip("|").split("|") for line in source.splitlines() if not _DELIMITER.match(line)]
        rows = [tuple(cell.strip() for cell in row) for row in cells]
    language = token.info.strip() if kind == "code" else ""
    return Block(kind=kind, text=source, level=level, language=language, rows=tuple(rows), claims=claims)
