"""Claims of an answer, found in its Markdown.

Sentences, list items and table cells are claims. Headings, labels, header rows, rules, code and formulas are none; they
pass through byte for byte.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from weiwo.nodes.shared.markdown.citation_marks import CitationMark, clean_marks, find_marks
from weiwo.nodes.shared.markdown.spans import CELL, FENCE, QUOTED, find_opaque
from weiwo.text.language import sentences, word_count
from weiwo.text.patterns import lazy

QUOTE: Final = lazy(QUOTED)
ROW: Final = lazy(r" {0,12}\|")
DELIMITER: Final = lazy(r"\s*+(?=[^\n-]*+-)(?=[^\n|]*+\|)[|:\s-]++$")
"""The line between a table's header and its body."""
LINE: Final = lazy(r" {0,3}(?:#{1,6}(?:\s|$)|(?:\*\s?){3,}$|(?:-\s?){3,}$|(?:_\s?){3,}$|={3,}\s*$)")
"""A heading or a rule."""
ITEM: Final = lazy(r"\s{0,24}(?:[-*+•]|\d{1,3}[.)、])\s+(?:\[[ xX]\]\s+)?")
UNDERLINE: Final = lazy(r" {0,3}(?:=+|-{2,})[ \t]*$")
"""What makes the line above it a heading."""
INDENTED: Final = lazy(r"(?: {4}|\t)[ \t]*\S")
_CONTINUED: Final = lazy(r"(?<!  )\n(?=[ \t]*[a-z])")
"""A line end within a sentence: the next line goes on in lower case."""
_CITED_STOP: Final = lazy(r"(?:[.!?]\s?\0|\0[\s\0]{0,40}[.!?])[\s\0]++(?=[a-z])")
"""A stop beside a mark ends a sentence, though the next begins in lower case: "It does [1]. httpx does not"."""
_BOLD: Final = lazy(r"\s*(\*\*|__)([^*_\n]{1,120})\1\s*")
_LABEL_WORDS: Final = 8


def claim_spans(piece: str) -> list[tuple[int, int]]:
    """The claims of a piece of Markdown, marks included, as offsets in order.

    Args:
        piece: Whole blocks, or sentences of one; code that is indented rather than fenced begins a piece.
    """
    return list(_Claims(piece).find())


class _Claims:
    """The claims of one piece."""

    def __init__(self, piece: str) -> None:
        self._piece = piece
        self._lines = _lines(piece)
        self._opaque = find_opaque(piece)
        self._marks = find_marks(piece)
        self._tables = _tables(piece, self._lines)
        self._prose: list[tuple[int, int]] = []

    def find(self) -> Iterator[tuple[int, int]]:
        fences = (one for one in self._opaque if one.code and FENCE.match(self._piece, one.start))
        fence = next(fences, None)
        number = _indented(self._piece, self._lines)
        while number < len(self._lines):
            start, end = self._lines[number]
            while fence is not None and fence.end <= start:
                fence = next(fences, None)
            inside = self._body(start, end)
            rest = self._piece[inside:end]
            if fence is not None and fence.start <= start:
                yield from self._sentences()
            elif number in self._tables or ROW.match(rest):
                yield from self._sentences()
                if self._tables.get(number, True):
                    yield from self._cells(inside, end)
            elif not rest.strip() or LINE.match(rest):
                yield from self._sentences()
            elif self._is_heading(number, rest):
                number += 1
            else:
                marker = ITEM.match(rest)
                if marker:
                    yield from self._sentences()
                if not (marker and self._leads(number, rest)) and not (not self._prose and _is_bold_label(rest)):
                    self._prose.append((inside + (marker.end() if marker else 0), end))
            number += 1
        yield from self._sentences()

    def _body(self, start: int, end: int) -> int:
        quote = QUOTE.match(self._piece, start, end)
        return quote.end() if quote else start

    def _is_heading(self, number: int, line: str) -> bool:
        """Whether a line is made a heading by the next; a whole sentence above a rule is none."""
        if self._prose or number + 1 >= len(self._lines) or ITEM.match(line):
            return False
        start, end = self._lines[number + 1]
        return bool(UNDERLINE.match(self._piece[self._body(start, end) : end])) and is_label(line)

    def _leads(self, number: int, line: str) -> bool:
        """Whether an item is but the label of the items nested in it."""
        if number + 1 >= len(self._lines):
            return False
        start, end = self._lines[number + 1]
        return leads_items(line, self._piece[self._body(start, end) : end])

    def _cells(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The cells of a table row that hold anything but marks, without the first that labels the others."""
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
            if re.search(r"\w", self._blanked(left, right, formula=" ")):
                yield left, right
            position = bar.end() if bar else end

    def _sentences(self) -> Iterator[tuple[int, int]]:
        """The sentences of the lines since the last block.

        A mark behind a full stop belongs to what it follows, unless that begins with a mark or has one before the stop.
        """
        lines, self._prose = self._prose, []
        if not lines:
            return
        start, end = lines[0][0], lines[-1][1]
        gaps = [(left[1], right[0]) for left, right in pairwise(lines)]
        plain = _CONTINUED.sub(" ", _overwritten(self._blanked(start, end), start, gaps))
        marked = mask(plain, start, [(mark.start, mark.end, "\0") for mark in self._marks_in(start, end)])
        plain = mask(plain, 0, [(at.end(), at.end() + 1, "X") for at in _CITED_STOP.finditer(marked)])
        words = _overwritten(self._blanked(start, end, formula=" "), start, gaps)
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

    def _blanked(self, start: int, end: int, formula: str = "X") -> str:
        """A part of the piece with marks written over by blanks, code by letters."""
        covers = [(mark.start, mark.end, " ") for mark in self._marks_in(start, end)]
        first = bisect_left(self._opaque, start, key=lambda one: one.start)
        for one in self._opaque[first:]:
            if one.start >= end:
                break
            covers.append((one.start, min(one.end, end), "X" if one.code else formula))
        return mask(self._piece[start:end], start, sorted(covers))

    def _marks_in(self, start: int, end: int) -> Sequence[CitationMark]:
        first = bisect_left(self._marks, start, key=lambda mark: mark.start)
        return self._marks[first : bisect_left(self._marks, end, key=lambda mark: mark.start)]


def mask(text: str, offset: int, covers: Sequence[tuple[int, int, str]]) -> str:
    """Text with spans of it written over, each with a character, so that offsets stay.

    Args:
        text: The text.
        offset: Where it begins in what the spans are offsets of.
        covers: The spans in order, each `(start, end, character)`.
    """
    parts: list[str] = []
    position = 0
    for start, end, sign in covers:
        left, right = max(start - offset, position), max(end - offset, position)
        parts += [text[position:left], sign * (min(right, len(text)) - left)]
        position = right
    return "".join([*parts, text[position:]])


def mask_opaque(text: str) -> str:
    """Text with its code and formulas written over, for finding where its sentences end."""
    return mask(text, 0, [(one.start, one.end, "X") for one in find_opaque(text)])


def _overwritten(text: str, offset: int, gaps: Sequence[tuple[int, int]]) -> str:
    return mask(text, offset, [(a, b, " ") for a, b in gaps]) if gaps else text


def is_label(line: str) -> bool:
    """Whether a line only names what follows: a few words, no figure, no citation, no stop."""
    words = line.strip(" \t\n*_")
    return (
        0 < len(words) <= 120
        and not re.search(r"\d|[.!?。！？;；]$", words)
        and word_count(words) <= _LABEL_WORDS
        and not find_marks(line)
    )


def leads_items(line: str, following: str) -> bool:
    """Whether an item is but the label of the items nested in it.

    Args:
        line: The item's line.
        following: The line behind it.
    """
    marker, nested = ITEM.match(line), ITEM.match(following)
    if marker is None or nested is None or _indent(following) <= _indent(line):
        return False
    return is_label(line[marker.end() :])


def _is_bold_label(line: str) -> bool:
    bold = _BOLD.fullmatch(line)
    return bold is not None and is_label(bold[2])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _lines(text: str) -> list[tuple[int, int]]:
    bounds = [0, *(found.end() for found in re.finditer("\n", text)), len(text)]
    return [(start, end) for start, end in pairwise(bounds) if end > start]


def _indented(piece: str, lines: Sequence[tuple[int, int]]) -> int:
    """The number of lines of indented code that a piece begins with."""
    number = 0
    for at, (start, end) in enumerate(lines):
        line = piece[start:end]
        if INDENTED.match(line) and not (number == 0 and (ITEM.match(line) or FENCE.match(line) or ROW.match(line))):
            number = at + 1
        elif line.strip():
            break
    return number


def is_indented_code(piece: str) -> bool:
    """Whether a piece is code that is indented rather than fenced."""
    lines = _lines(piece)
    number = _indented(piece, lines)
    return number > 0 and not piece[lines[number - 1][1] :].strip()


def _tables(piece: str, lines: Sequence[tuple[int, int]]) -> dict[int, bool]:
    """The rows of tables that have a delimiter, by line, each with whether it is of the body."""
    rows: dict[int, bool] = {}
    for number, (start, end) in enumerate(lines):
        line = piece[start:end]
        if number and "-" in line and "|" in line and DELIMITER.match(line.rstrip("\n")):
            if "|" in piece[slice(*lines[number - 1])]:
                rows |= {number - 1: False, number: False}
        elif number - 1 in rows and "|" in line and number not in rows:
            rows[number] = (
                rows[number - 1] or DELIMITER.match(piece[slice(*lines[number - 1])].rstrip("\n")) is not None
            )
    return rows


def row_of(piece: str, span: tuple[int, int]) -> str:
    """The table row that a cell stands in; empty where the span is no cell."""
    start = piece.rfind("\n", 0, span[0]) + 1
    end = piece.find("\n", span[1])
    line = piece[start : end if end >= 0 else len(piece)]
    if "|" not in line or line.strip() == piece[span[0] : span[1]]:
        return ""
    quote = QUOTE.match(line)
    if ROW.match(line, quote.end() if quote else 0):
        return line
    rows = _tables(piece, _lines(piece))
    return line if rows.get(piece.count("\n", 0, start)) else ""


def label_cell(table: str, at: int) -> str:
    """What a cell is about: the first cell of its row and the header of its column; empty for what is no cell.

    Args:
        table: Markdown with the table up to the cell's row.
        at: Where the cell begins.
    """
    lines = _lines(table)
    number = next((n for n, (start, end) in enumerate(lines) if start <= at < end), -1)
    rows = _tables(table, lines)
    if not rows.get(number):
        return ""
    head = number
    while rows.get(head):
        head -= 1
    start, end = lines[number]
    header, row = split_row(table[slice(*lines[head - 1])]), split_row(table[start:end])
    column = len(CELL.findall(table, start, at)) - table[start:end].lstrip().startswith("|")
    labels = ([row[0]] if column else []) + list(header[column : column + 1])
    return ", ".join(clean_marks(label, ()).strip() for label in labels if label)


def find_heading(text: str) -> str:
    """The last heading, or label of nested items, of a text."""
    code = [(one.start, one.end) for one in find_opaque(text) if one.code]
    lines = [text[start:end] for start, end in _lines(text) if not any(a <= start < b for a, b in code)]
    for line, following in zip(reversed(lines), ["", *reversed(lines)], strict=False):
        if line.startswith("#") or _is_bold_label(line) or leads_items(line, following):
            marker = ITEM.match(line)
            return line[marker.end() if marker else 0 :].strip(" #*_:\n")
    return ""


def split_row(row: str) -> tuple[str, ...]:
    """The cells of a table row."""
    cells = [cell.strip() for cell in re.split(CELL.pattern, row.strip())]
    first, last = row.strip().startswith("|"), len(cells) > 1 and not cells[-1]
    return tuple(cells[first : len(cells) - last])
