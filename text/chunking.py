"""Chunking: split documents into passages along the author's structure.

Headings come first, then paragraphs, then sentences. A passage never reaches across a heading, joins short paragraphs,
and splits long paragraphs between sentences. A passage is a run of the document's own lines, so that its line numbers
lead a reader to it. Only the title line is left out, because every passage carries the title anyway.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import ceil
from typing import Final, NamedTuple

from weiwo.text.markdown import DELIMITER, find_unbroken, find_whole_sentences
from weiwo.text.outline import Heading, read_outline
from weiwo.text.patterns import JOINED_RANGES, UNSPACED_RANGES, lazy

SMALLEST: Final = 60
"""Weight (`measure_weight`, in English words) below which a passage is joined with its neighbour in its section."""

LARGEST: Final = 200
"""Weight (`measure_weight`, in English words) above which a passage is split."""

_LARGEST_CODE: Final = 800
"""Weight up to which a fenced block or a table row stays whole, because its halves have no meaning. A heavier block, or
a block with a line above `LARGEST`, is split between lines."""

_UNSPACED: Final = lazy(f"[{UNSPACED_RANGES}]")
_WORD: Final = lazy(rf"(?:[^\W{UNSPACED_RANGES}]+|(?![{UNSPACED_RANGES}])[{JOINED_RANGES}])+")
_SPACED_WORD: Final = lazy(r"\w+")
_JOINED_BYTES: Final = bytes([*range(0xCC, 0xE2), *range(0xE3, 0xF5)])
"""First bytes, in UTF-8, of all characters of `UNSPACED_RANGES` and `JOINED_RANGES`, except U+200C and U+200D."""
_BLANKED: Final = {c: " " for c in range(128) if not (chr(c).isalnum() or chr(c) == "_")}
_LONGEST_LEAD: Final = 500
_LONGEST_TITLE: Final = 80
_LONGEST_CAPTION: Final = 300
_CAPTION: Final = lazy(
    r"\W{0,4}(?:tab(?:le(?:au)?|elle|ell?a|l)?\b\.?|таблица|表格?|표)\s{0,2}[\dIVX一二三四五六七八九十A-H]",
    re.IGNORECASE,
)
"""The beginning of a numbered caption of a table."""


class Chunk(NamedTuple):
    """A passage of a document.

    Attributes:
        text: The text, as in the document.
        first: Number of the first line, from 1.
        last: Number of the last line.
        headings: Heading path, outermost first, without the document's title.
        lead: Header rows of the table that the passage continues. They stand earlier in the document.
        caption: Caption of the table that the passage holds a part of, if the caption stands elsewhere.
    """

    text: str
    first: int
    last: int
    headings: tuple[str, ...] = ()
    lead: str = ""
    caption: str = ""

    @property
    def words(self) -> str:
        """Return the text, preceded by the table header if missing from the text."""
        return f"{self.lead}\n{self.text}" if self.lead else self.text


@dataclass(slots=True)
class _Section:
    path: tuple[str, ...]
    level: int
    heading: tuple[int, int] | None  # its lines, from 0, end excluded
    paragraphs: list[tuple[int, int]] = field(default_factory=list)


def measure_weight(text: str) -> float:
    """Return the size of a text in English words.

    Two characters of a script without blanks, such as Han or kana, count as one word. The size is at least an eighth
    of the number of characters, so that text without blanks counts too.
    """
    if text.isascii():  # a faster path with the same result, because every passage is measured
        return max(len(text.translate(_BLANKED).split()), len(text) / 8)
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded.translate(None, _JOINED_BYTES)) == len(encoded) and "\u200c" not in text and "\u200d" not in text:
        return max(len(_SPACED_WORD.findall(text)), len(text) / 8)
    return max(len(_WORD.findall(text)) + len(_UNSPACED.findall(text)) / 2, len(text) / 8)


def chunk_text(text: str, *, markdown: bool, name: str = "") -> tuple[str, list[Chunk]]:
    """Cut a document into passages of about 60 to 200 English words, or 120 to 400 Han characters.

    Args:
        text: The document, its lines ended by newlines.
        markdown: Whether `#` marks headings. In plain text a short first line that stands alone is the title.
        name: The title of a document that states none.

    Returns:
        The title, and the passages in document order. Every line that is not blank is in a passage, in the headings of
        a passage, or is the title. No passage weighs more than `LARGEST` plus its heading, except code and table rows
        (`_LARGEST_CODE`).
    """
    lines = text.split("\n")
    headings, fences = read_outline(text) if markdown else ([], _find_fences(text))
    sections = _find_sections(lines, headings, fences)
    title = _pop_title(sections) if markdown else _find_title_line(lines, sections[0].paragraphs)
    return title or name, list(_cut_sections(text, lines, sections)) or _chunk_title(lines, title)


def chunk_sections(text: str, headings: Iterable[Heading], *, by_line: bool = False) -> tuple[str, list[Chunk]]:
    """Split a document with known headings into passages.

    Args:
        text: The document, its lines ended by newlines.
        headings: The headings, in order.
        by_line: Whether a long stretch is split between lines, as code is, rather than between sentences.

    Returns:
        The heading that is the document's title, or an empty string (always with `by_line`), and the passages in
        document order, as from `chunk_text`.
    """
    lines = text.split("\n")
    sections = _find_sections(lines, headings, _find_fences(text))
    title = "" if by_line else _pop_title(sections)
    return title, list(_cut_sections(text, lines, sections, by_line=by_line)) or _chunk_title(lines, title)


def _cut_sections(text: str, lines: list[str], sections: list[_Section], *, by_line: bool = False) -> Iterator[Chunk]:
    starts = [*accumulate((len(line) + 1 for line in lines[:-1]), initial=0), len(text)]
    below = [section.level for section in sections[1:]] + [0]
    cutter = _Cutter(text, lines, starts, by_line=by_line)
    for section, next_level in zip(sections, below, strict=True):
        yield from cutter.cut(section, leaf=next_level <= section.level)


def _chunk_title(lines: list[str], title: str) -> list[Chunk]:
    """Return the single passage of a document that has only a title, or an empty list if `title` is empty."""
    row = next((number for number, line in enumerate(lines, 1) if title in line and line.strip()), 1)
    return [Chunk(title, row, row)] if title else []


def _find_fences(text: str) -> list[tuple[int, int]]:
    return read_outline(text)[1] if "```" in text or "~~~" in text else []


def _find_sections(lines: list[str], headings: Iterable[Heading], fences: Iterable[tuple[int, int]]) -> list[_Section]:
    fenced = frozenset(row for first, end in fences for row in range(first, end))
    sections = [_Section((), 0, None)]
    open_headings: list[tuple[int, str]] = []
    start = 0
    for heading in headings:
        sections[-1].paragraphs += _find_paragraphs(lines, start, heading.first, fenced)
        open_headings = [(depth, above) for depth, above in open_headings if depth < heading.level]
        open_headings.append((heading.level, heading.name))
        rows = (heading.first, heading.end) if heading.end > heading.first else None
        sections.append(_Section(tuple(above for _, above in open_headings), heading.level, rows))
        start = heading.end
    sections[-1].paragraphs += _find_paragraphs(lines, start, len(lines), fenced)
    return sections


def _find_paragraphs(lines: list[str], start: int, end: int, fenced: frozenset[int]) -> list[tuple[int, int]]:
    """Return the paragraphs from line `start` to line `end` as line ranges, first included and end excluded.

    A paragraph is a run of non-blank lines. A fenced block is one paragraph even with blank lines in it.

    Args:
        lines: All lines of the document.
        start: First line, from 0.
        end: Line behind the last.
        fenced: Numbers of the lines inside fenced blocks.
    """
    found: list[tuple[int, int]] = []
    first = None
    for row in range(start, end):
        if lines[row].strip() or (first is not None and row in fenced):
            first = row if first is None else first
        elif first is not None:
            found.append((first, row))
            first = None
    if first is not None:
        while not lines[end - 1].strip():  # an open fence may end in blank lines
            end -= 1
        found.append((first, end))
    return found


def _pop_title(sections: list[_Section]) -> str:
    """Return the document's title and take it out of the heading paths, or return an empty string.

    The title is the only heading of the highest level, if it comes before everything else.
    """
    if sections[0].paragraphs or len(sections) == 1:
        return ""
    top = sections[1]
    if any(section.level <= top.level for section in sections[2:]):
        return ""
    title = top.path[0]
    for section in sections[1:]:
        section.path = section.path[1:]
    top.heading = None
    return title


def _find_title_line(lines: list[str], paragraphs: list[tuple[int, int]]) -> str:
    if not paragraphs:
        return ""
    first, end = paragraphs[0]
    line = lines[first].strip()
    alone = end == first + 1 and len(paragraphs) > 1
    return line if alone and len(line) <= _LONGEST_TITLE and line[-1] not in ".!?,;:。！？，；：" else ""


class _Cutter:
    """Splitter of a document's sections into passages."""

    def __init__(self, text: str, lines: list[str], starts: list[int], *, by_line: bool) -> None:
        self._text, self._lines, self._starts, self._by_line = text, lines, starts, by_line
        self._tables: list[tuple[int, int, str]] = []  # start and end of a table's body, and its header
        self._captions: list[tuple[int, int, str]] = []  # start and end of a table, and its caption

    def cut(self, section: _Section, *, leaf: bool) -> Iterator[Chunk]:
        """Yield the passages of a section, the first starting with the heading.

        With `leaf` no subsection follows. A heading without text is then a passage, and otherwise yields nothing.
        """
        text, starts = self._text, self._starts
        self._tables.clear()
        top = section.heading[1] if section.heading else 0
        self._captions = [
            (starts[first], starts[end], caption)
            for first, end in section.paragraphs
            if self._is_table(first, end) and (caption := self._find_caption(first, end, top))
        ]
        pieces = [piece for first, end in section.paragraphs for piece in self._cut_paragraph(first, end)]
        if not pieces:
            if section.heading and leaf:
                yield self._make_chunk(*_trim_span(text, *(starts[row] for row in section.heading)), section.path)
            return
        packed = _join_small(pieces)
        if section.heading:
            packed[0] = (_trim_span(text, starts[section.heading[0]], packed[0][1])[0], packed[0][1])
        for start, end in packed:
            yield self._make_chunk(start, end, section.path)

    def _make_chunk(self, start: int, end: int, path: tuple[str, ...]) -> Chunk:
        first, last = bisect_right(self._starts, start), bisect_right(self._starts, end - 1)
        lead = next((header for left, right, header in self._tables if left <= start < right), "")
        words = self._text[start:end]
        caption = next((name for left, right, name in self._captions if left < end and start < right), "")
        return Chunk(words, first, last, path, lead, "" if caption in words else caption)

    def _is_table(self, first: int, end: int) -> bool:
        lines = self._lines
        return end - first > 2 and "|" in lines[first] and DELIMITER.match(lines[first + 1]) is not None

    def _find_caption(self, first: int, end: int, top: int) -> str:
        """Return the caption of the table at lines `first` to `end`, or an empty string.

        A caption is a numbered line above or below ("Table 3: Sales"), or a short line that stands alone above the
        table. Lines before `top` belong to the section's heading.
        """
        above = next((row for row in range(first - 1, max(top, first - 3) - 1, -1) if self._lines[row].strip()), -1)
        if above >= top and (above == top or not self._lines[above - 1].strip()):
            line = self._lines[above].strip()
            is_label = len(line) <= _LONGEST_TITLE and line[-1] not in ".!?。！？|" and line[0] not in "#-*+>`"
            if _CAPTION.match(line) or is_label:
                return line[:_LONGEST_CAPTION]
        below = next((line.strip() for line in self._lines[end : end + 2] if line.strip()), "")
        return below[:_LONGEST_CAPTION] if _CAPTION.match(below) else ""

    def _cut_paragraph(self, first: int, end: int) -> Iterator[tuple[int, int, float]]:
        """Yield the pieces of a paragraph, each as start offset, end offset and weight.

        A piece weighs at most `LARGEST`, except code and table rows, which may stay whole up to `_LARGEST_CODE`.
        """
        text, starts = self._text, self._starts
        start, stop = _trim_span(text, starts[first], starts[end])
        size = measure_weight(text[start:stop])
        if size <= LARGEST:
            yield start, stop, size
            return
        table = self._is_table(first, end)
        if table:
            header = text[starts[first] : starts[first + 2]].rstrip("\n")
            if len(header) <= _LONGEST_LEAD:
                self._tables.append((starts[first + 2], stop, header))
        if table or self._by_line:
            ends = starts[first + 2 if table else first + 1 : end]
        else:
            ends = [start + ending for _, ending in find_whole_sentences(text[start:stop])]
        unbroken = [(start + left, start + right) for left, right in find_unbroken(text[start:stop])]
        whole = [span for span in unbroken if _stands_whole(text[slice(*span)])]
        ends += [left for left, _ in unbroken if left > start]
        for left, right in unbroken:
            if (left, right) not in whole:
                ends += [row for row in starts[first:end] if left < row < right]
        yield from _part_large(text, start, stop, sorted(set(ends)), size, whole)


def _stands_whole(block: str) -> bool:
    """Report whether a fenced block or a table row stays whole.

    It must weigh at most `_LARGEST_CODE`, and each line of a block at most `LARGEST`.
    """
    lines = block.split("\n")
    row = len(lines) == 1 and "|" in block
    return measure_weight(block) <= _LARGEST_CODE and (row or all(measure_weight(line) <= LARGEST for line in lines))


def _join_small(pieces: list[tuple[int, int, float]]) -> list[tuple[int, int]]:
    """Join each piece lighter than `SMALLEST` with its neighbour, if both together weigh at most `LARGEST`.

    A piece is a start offset, an end offset and a weight. Returns the offsets of the joined pieces.
    """
    packed: list[tuple[int, int, float]] = []
    for start, end, size in pieces:
        if packed and packed[-1][2] < SMALLEST and packed[-1][2] + size <= LARGEST:
            packed[-1] = (packed[-1][0], end, packed[-1][2] + size)
        else:
            packed.append((start, end, size))
    if len(packed) > 1 and packed[-1][2] < SMALLEST and packed[-2][2] + packed[-1][2] <= LARGEST:
        last = packed.pop()
        packed[-1] = (packed[-1][0], last[1], LARGEST)
    return [(start, end) for start, end, _ in packed]


def _part_large(
    text: str, start: int, end: int, ends: list[int], size: float, whole: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int, float]]:
    """Split a span too large for a passage into pieces of similar weight, each as start, end and weight.

    Args:
        text: The text.
        start: Start of the span.
        end: End of the span.
        ends: Offsets at which the span may be cut, such as the ends of sentences, in order.
        size: Weight of the span.
        whole: Spans that may be cut only at `ends`, even if a piece is then too large. Elsewhere, text between two ends
            that is too large is halved until each piece fits.
    """
    even = size / ceil(size / LARGEST)
    cuts = [start]
    held, done = 0.0, start
    for stop in [*ends, end]:
        if stop <= done:
            continue
        added = measure_weight(text[done:stop])
        if held >= even or (held and held + added > LARGEST):
            cuts.append(done)
            held = 0.0
        if added > LARGEST and not any(left <= done and stop <= right for left, right in whole):
            cuts += _halve_span(text, done, stop)
            added = measure_weight(text[max(done, cuts[-1]) : stop])
        held, done = held + added, stop
    cuts.append(end)
    for first, last in pairwise(cuts):
        left, right = _trim_span(text, first, last)
        if right > left:
            yield left, right, measure_weight(text[left:right])


def _trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without the blank lines at its start and the blanks at its end. Indentation stays."""
    inside = text[start:end]
    end -= len(inside) - len(inside.rstrip())
    inside = inside.rstrip()
    blank = len(inside) - len(inside.lstrip())
    line = inside.rfind("\n", 0, blank)
    if line < 0 < start and text[start - 1] != "\n":
        return start + blank, end
    return start + line + 1, end  # indentation stays: it means something in code and lists


def _halve_span(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets at which a span without sentence ends is cut, so that no piece weighs more than `LARGEST`.

    The cut is at a blank near the middle, or in the middle if there is no blank. A light span yields nothing.
    """
    if measure_weight(text[start:end]) <= LARGEST:
        return
    middle = (start + end) // 2
    blank = text.rfind(" ", start + (end - start) // 4, middle)
    cut = blank if blank > start else middle
    yield from _halve_span(text, start, cut)
    yield cut
    yield from _halve_span(text, cut, end)
