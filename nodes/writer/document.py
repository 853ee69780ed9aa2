"""Claims of an answer in Markdown: sentences, list items and table cells, each with its position.

Headings, labels, header rows, rules and formulas are no claims. A fenced block of code is a single claim.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from typing import Final, cast

from weiwo.state import Block, BlockKind
from weiwo.text.citation_marks import CitationMark, clean_marks, find_marks
from weiwo.text.language import sentences, word_count
from weiwo.text.markdown import CELL, DELIMITER, FENCE, Line, find_opaque, mask, parse_markdown, read_lines, split_row
from weiwo.text.patterns import lazy

_CONTINUED: Final = lazy(r"(?<!  )\n(?=[ \t]*[a-z])")
"""A line end within a sentence: the next line goes on in lower case."""
_CITED_STOP: Final = lazy(r"(?:[.!?]\s?\0|\0[\s\0]{0,40}[.!?])[\s\0]++(?=[a-z])")
"""A stop beside a mark ends a sentence, though the next begins in lower case: "It does [1]. httpx does not"."""
_BOLD: Final = lazy(r"\s*(\*\*|__)([^*_\n]{1,120})\1\s*")
"""A line that is all in bold."""
_TABLE: Final = frozenset({"head", "delimiter", "row"})
_LABEL_WORDS: Final = 8


def claim_spans(piece: str) -> list[tuple[int, int]]:
    """Return the start and end of each claim in a piece of Markdown, in order, without fenced code blocks.

    "# Title", "Acme grew [1]. It fell." gives the spans of "Acme grew [1]." and "It fell.": citation marks belong to
    the claims.

    Args:
        piece: Whole blocks, or sentences of one.
    """
    return list(_Claims(piece).find())


def list_claim_places(piece: str) -> list[tuple[int, int]]:
    """Return the start and end of each claim and each fenced code block in a piece, in order."""
    found = claim_spans(piece)
    fenced = "```" in piece or "~~~" in piece
    for _, group in groupby(read_lines(piece), lambda line: line.leaf) if fenced else ():
        lines = list(group)
        if lines[0].kind == "fence":
            start = lines[0].start
            found.append((start, start + len(piece[start : lines[-1].end].rstrip())))
    return sorted(found)


def is_code(text: str) -> bool:
    """Report whether a text begins with a code fence."""
    return FENCE.match(text) is not None


class _Claims:
    """Claims of a single piece, found by `find` as start and end."""

    def __init__(self, piece: str) -> None:
        self._piece = piece
        self._lines = read_lines(piece)
        self._opaque = find_opaque(piece)
        self._marks = find_marks(piece)

    def find(self) -> Iterator[tuple[int, int]]:
        position = 0
        for _, group in groupby(self._lines, lambda line: line.leaf):
            lines = list(group)
            position += len(lines)
            kind = lines[0].kind
            if kind in _TABLE or any(line.kind in _TABLE for line in lines):
                yield from self._rows(lines)
            elif kind == "text" or (kind == "title" and not is_title(self._piece, lines)):
                following = self._lines[position] if position < len(self._lines) else None
                if not leads_items(self._piece, lines, following):
                    yield from self._sentences(lines[self._is_bold_label(lines[0]) :])

    def _rows(self, lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
        """Yield the claims of a table, or of a paragraph containing rows."""
        for in_table, group in groupby(lines, lambda line: line.kind in _TABLE):
            part = list(group)
            if not in_table:
                yield from self._sentences(part)
            for line in part if in_table else ():
                if line.kind == "row":
                    yield from self._cells(line.inside, line.end)

    def _cells(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield start and end of the cells of a table row that have words or figures besides marks.

        The first column is left out if another cell is filled, because it labels the row.
        """
        cells = list(self._filled_cells(start, end))
        opened = self._piece[start:end].lstrip().startswith("|")
        labelled = len(cells) > 1 and len(CELL.findall(self._piece, start, cells[0][0])) <= opened
        yield from cells[labelled:]

    def _filled_cells(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        position = start
        for bar in [*CELL.finditer(self._piece, start, end), None]:
            stop = bar.start() if bar else end
            cell = self._piece[position:stop]
            left, right = position + len(cell) - len(cell.lstrip()), position + len(cell.rstrip())
            if re.search(r"\w", self._blank_marks(left, right, formula=" ")):
                yield left, right
            position = bar.end() if bar else end

    def _is_bold_label(self, line: Line) -> bool:
        return _is_bold_label(self._piece[line.inside : line.end])

    def _sentences(self, lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
        """Yield the sentences of a paragraph with their citation marks.

        A mark behind a full stop belongs to the sentence before it, unless that sentence begins with a mark or has a
        mark before the stop.
        """
        if not lines:
            return
        start, end = lines[0].inside, lines[-1].end
        gaps = [(line.start, line.inside, " ") for line in lines[1:] if line.start < line.inside]
        plain = _CONTINUED.sub(" ", mask(self._blank_marks(start, end), start, gaps))
        marked = mask(plain, start, [(mark.start, mark.end, "\0") for mark in self._marks_in(start, end)])
        plain = mask(plain, 0, [(at.end(), at.end() + 1, "X") for at in _CITED_STOP.finditer(marked)])
        words = mask(self._blank_marks(start, end, formula=" "), start, gaps)
        found = [list(span) for span in sentences(plain) if re.search(r"\w", words[span[0] : span[1]])]
        position, own = 0, -1  # the sentence that begins with a mark or has one before its stop
        for left, right in ((mark.start - start, mark.end - start) for mark in self._marks_in(start, end) if found):
            while position + 1 < len(found) and found[position + 1][0] <= left:
                position += 1
            inside = left < found[position][1]
            if not inside and own == position and position + 1 < len(found):
                position += 1
            first, last = found[position]
            if left < first or (inside and not re.search(r"\w", words[right:last])):
                own = position
            found[position] = [min(first, left), max(last, right)]
        yield from ((start + a, start + b) for a, b in found)

    def _blank_marks(self, start: int, end: int, formula: str = "X") -> str:
        """Return a part of the piece with citation marks blanked, and code and formulas masked.

        Code is overwritten by `X`, a formula by the character `formula`. Offsets do not change.
        """
        covers = [(mark.start, mark.end, " ") for mark in self._marks_in(start, end)]
        first = bisect_left(self._opaque, start, key=lambda item: item.start)
        for entry in self._opaque[first:]:
            if entry.start >= end:
                break
            covers.append((entry.start, min(entry.end, end), "X" if entry.code else formula))
        return mask(self._piece[start:end], start, sorted(covers))

    def _marks_in(self, start: int, end: int) -> Sequence[CitationMark]:
        first = bisect_left(self._marks, start, key=lambda mark: mark.start)
        return self._marks[first : bisect_left(self._marks, end, key=lambda mark: mark.start)]


def _is_label(line: str) -> bool:
    """Report whether a line only introduces the following text: "Main features", but not "It was built in 1900.".

    A label has at most eight words, and no figure, citation or full stop.
    """
    words = line.strip(" \t\n*_")
    return (
        0 < len(words) <= 120
        and not re.search(r"\d|[.!?。！？;；]$", words)
        and word_count(words) <= _LABEL_WORDS
        and not find_marks(line)
    )


def is_title(text: str, lines: Sequence[Line]) -> bool:
    """Report whether lines above a rule ("---") are a heading: a single line that is a label, not a whole sentence."""
    return len(lines) == 1 and not lines[0].item and _is_label(text[lines[0].inside : lines[0].end])


def leads_items(text: str, lines: Sequence[Line], following: Line | None) -> bool:
    """Report whether a list item is only the label of the items nested below it.

    Args:
        text: The text.
        lines: The lines of the item's paragraph.
        following: The line behind it, or None.
    """
    first = lines[0]
    if len(lines) > 1 or not first.item or following is None or not following.item or following.depth <= first.depth:
        return False
    return _is_label(text[first.inside : first.end])


def _is_bold_label(line: str) -> bool:
    bold = _BOLD.fullmatch(line)
    return bold is not None and _is_label(bold[2])


def is_indented_code(piece: str) -> bool:
    """Report whether a piece consists of indented code without a fence."""
    kinds = {line.kind for line in read_lines(piece)} - {"blank"}
    return kinds == {"code"}


def row_of(piece: str, span: tuple[int, int]) -> str:
    """Return the table row around a cell: "| x | 5 |". Empty if the span is outside of tables, or is a whole row."""
    if "|" not in piece:
        return ""
    for line in read_lines(piece):
        if line.start <= span[0] < line.end and line.kind in _TABLE:
            row = piece[line.start : line.end].rstrip("\n")
            return row if row.strip() != piece[span[0] : span[1]] else ""
    return ""


def label_cell(table: str, at: int) -> tuple[str, ...]:
    """Return the labels of a table cell, as ("Acme", "Founded"): the row's first cell and the column's header.

    The row's label is left out for the first cell itself. Empty for text outside of tables and in a table without a
    header.

    Args:
        table: Markdown with the table up to the cell's row.
        at: Start of the cell.
    """
    lines = read_lines(table) if "|" in table else []
    here = next((line for line in lines if line.start <= at < line.end), None)
    if here is None or here.kind != "row":
        return ()
    heads = [line for line in lines if line.kind == "head" and line.leaf == here.leaf]
    if not heads:
        return ()
    start, end = here.inside, here.end
    header, row = (split_row(table[line.inside : line.end]) for line in (heads[-1], here))
    column = len(CELL.findall(table, start, at)) - table[start:end].lstrip().startswith("|")
    labels = ([row[0]] if column else []) + list(header[column : column + 1])
    return tuple(clean_marks(label, ()).strip() for label in labels if label)


def find_heading(text: str) -> str:
    """Return the last heading, bold label or label of nested items in a text, without marks. Empty if there is none."""
    if not any(sign in text for sign in ("#", "**", "__", "\n")):
        return ""
    lines = [line for line in read_lines(text) if line.kind not in {"blank", "fence", "code"}]
    for line, following in zip(reversed(lines), [None, *reversed(lines)], strict=False):
        words = text[line.inside : line.end]
        if line.kind == "heading" or _is_bold_label(words) or leads_items(text, [line], following):
            return words.strip(" #*_:\n")
    return ""


def parse_blocks(text: str, starts: Sequence[int]) -> list[Block]:
    """Return the blocks of an answer, like headings and paragraphs, each with the indexes of the claims in it.

    Args:
        text: The answer as Markdown.
        starts: Start of each claim, as offsets into `text`, in order.
    """
    lines = text.split("\n")
    offsets = [0, *accumulate(len(line) + 1 for line in lines)]
    blocks: list[Block] = []
    for node in parse_markdown(text):
        source = lines[node.first : node.end]
        claims = range(*(bisect_left(starts, offsets[min(row, len(lines))]) for row in (node.first, node.end)))
        rows = [split_row(line) for line in source if not DELIMITER.match(line)] if node.kind == "table" else []
        blocks.append(
            Block(
                kind=cast("BlockKind", node.kind),  # an item stands in a list
                text="\n".join(source).rstrip("\n"),
                level=node.level,
                language=node.language,
                rows=tuple(rows),
                claims=tuple(claims),
            )
        )
    return blocks
