"""Documents to passages, along the structure their author gave them.

Headings first, then paragraphs, then sentences: a passage never reaches across a heading, joins short paragraphs, and
parts long ones between sentences. A passage is a run of the document's own lines, so that its line numbers lead a
reader to it; only the title line is left out, which every passage carries anyway.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import ceil
from typing import Final

from text.language import HAN, sentences

SMALLEST: Final = 60
"""Weight below which a passage is joined with its neighbour, if there is one in its section."""

LARGEST: Final = 200
"""Weight above which a passage is parted."""

_UNSPACED: Final = re.compile(rf"[{HAN}\u3041-\u3096\u30a1-\u30fa]")
_WORD: Final = re.compile(rf"[^\W{HAN}\u3041-\u3096\u30a1-\u30fa]+")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_UNDERLINE: Final = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_LONGEST_HEADING: Final = 200
_LONGEST_TITLE: Final = 80


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document.

    Attributes:
        text: The words, as the document has them.
        first: Its first line, from 1.
        last: Its last line.
        headings: The headings it stands under, outermost first, without the document's title.
    """

    text: str
    first: int
    last: int
    headings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Section:
    path: tuple[str, ...]
    level: int
    heading: tuple[int, int] | None  # its lines, from 0, end excluded
    paragraphs: list[tuple[int, int]] = field(default_factory=list)


def weight(text: str) -> float:
    """The size of a text in English words: two Han characters, or eight characters without a blank, count as one."""
    return max(len(_WORD.findall(text)) + len(_UNSPACED.findall(text)) / 2, len(text) / 8)


def chunk(text: str, *, markdown: bool, name: str = "") -> tuple[str, list[Chunk]]:
    """Cut a document into passages of about 60 to 200 English words, or 120 to 400 Han characters.

    Args:
        text: The document, its lines ended by newlines.
        markdown: Whether `#` marks headings. In plain text a short first line that stands alone is the title.
        name: The title of a document that states none.

    Returns:
        The title, and the passages in document order. Every line that is not blank is in a passage, in the headings of
        one, or is the title; no passage weighs more than `LARGEST` and its heading.
    """
    lines = text.split("\n")
    sections = _sections(lines) if markdown else [_Section((), 0, None, _paragraphs(lines, 0, len(lines)))]
    title = _pop_title(sections) if markdown else _first_line(lines, sections[0].paragraphs)
    starts = [*accumulate((len(line) + 1 for line in lines[:-1]), initial=0), len(text)]
    below = [section.level for section in sections[1:]] + [0]
    chunks = [
        made
        for section, next_level in zip(sections, below, strict=True)
        for made in _cut(text, starts, section, leaf=next_level <= section.level)
    ]
    if title and not chunks:
        row = next(number for number, line in enumerate(lines, 1) if line.strip())
        chunks = [Chunk(title, row, row)]
    return title or name, chunks


def _sections(lines: list[str]) -> list[_Section]:
    sections = [_Section((), 0, None)]
    open_headings: list[tuple[int, str]] = []
    start, fence = 0, ""

    def close(end: int) -> None:
        sections[-1].paragraphs += _paragraphs(lines, start, end)

    for row, line in enumerate(lines):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
            continue
        found = None if fence else _heading(lines, row, start)
        if found is None:
            continue
        level, name, first = found
        close(first)
        open_headings = [(depth, above) for depth, above in open_headings if depth < level] + [(level, name)]
        sections.append(_Section(tuple(above for _, above in open_headings), level, (first, row + 1)))
        start = row + 1
    close(len(lines))
    return sections


def _heading(lines: list[str], row: int, start: int) -> tuple[int, str, int] | None:
    """The heading that ends on a line: its level, its words, its first line."""
    line = lines[row]
    if len(line) > _LONGEST_HEADING:
        return None
    if (found := _HEADING.fullmatch(line)) and found[2]:
        return len(found[1]), found[2], row
    above = lines[row - 1].strip() if row > start else ""
    alone = row - 1 == start or not lines[row - 2].strip() if above else False
    if alone and len(above) <= _LONGEST_HEADING and _UNDERLINE.fullmatch(line) and any(c.isalnum() for c in above):
        return (1 if "=" in line else 2), above, row - 1
    return None


def _paragraphs(lines: list[str], start: int, end: int) -> list[tuple[int, int]]:
    """Runs of lines without a blank one between, a fenced block being one run."""
    found: list[tuple[int, int]] = []
    first, fence = None, ""
    for row in range(start, end):
        mark = _FENCE.match(lines[row])
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not lines[row][mark.end() :].strip():
            fence = ""
        if lines[row].strip() or fence:
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
    """The document's title: its one heading of the highest level, if that comes before everything else."""
    if sections[0].paragraphs or len(sections) == 1:
        return ""
    top = sections[1]
    if any(section.level <= top.level for section in sections[2:]):
        return ""
    assert top.heading is not None  # noqa: S101  # only the text before the first heading has none
    title = top.path[0]
    for section in sections[1:]:
        section.path = section.path[1:]
    top.heading = None
    return title


def _first_line(lines: list[str], paragraphs: list[tuple[int, int]]) -> str:
    if not paragraphs:
        return ""
    first, end = paragraphs[0]
    line = lines[first].strip()
    alone = end == first + 1 and len(paragraphs) > 1
    return line if alone and len(line) <= _LONGEST_TITLE and line[-1] not in ".!?,;:。！？，；：" else ""


def _cut(text: str, starts: list[int], section: _Section, *, leaf: bool) -> Iterator[Chunk]:
    """The passages of one section, its heading at the head of the first."""

    def made(start: int, end: int) -> Chunk:
        return Chunk(text[start:end], bisect_right(starts, start), bisect_right(starts, end - 1), section.path)

    pieces = [
        piece
        for first, end in section.paragraphs
        for piece in _pieces(text, *_trimmed(text, starts[first], starts[end]))
    ]
    if not pieces:
        if section.heading and leaf:
            yield made(*_trimmed(text, *(starts[row] for row in section.heading)))
        return
    packed = _packed(pieces)
    if section.heading:
        packed[0] = (_trimmed(text, starts[section.heading[0]], packed[0][1])[0], packed[0][1])
    for start, end in packed:
        yield made(start, end)


def _packed(pieces: list[tuple[int, int, float]]) -> list[tuple[int, int]]:
    """Neighbours joined until each is large enough, the last one with what stands before it."""
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


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int, float]]:
    """A paragraph in pieces no larger than a passage: where each starts and ends, and its weight."""
    size = weight(text[start:end])
    if size <= LARGEST:
        yield start, end, size
        return
    even = size / ceil(size / LARGEST)
    cuts = [start]
    held, done = 0.0, start
    for stop in [*(start + stop for _, stop in sentences(text[start:end])), end]:
        if stop <= done:
            continue
        added = weight(text[done:stop])
        if held >= even or (held and held + added > LARGEST):
            cuts.append(done)
            held = 0.0
        if added > LARGEST:
            cuts += _halved(text, done, stop)
            added = weight(text[max(done, cuts[-1]) : stop])
        held, done = held + added, stop
    cuts.append(end)
    for first, last in pairwise(cuts):
        left, right = _trimmed(text, first, last)
        if right > left:
            yield left, right, weight(text[left:right])


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without the blank lines before it and the blanks after it."""
    inside = text[start:end]
    end -= len(inside) - len(inside.rstrip())
    inside = inside.rstrip()
    blank = len(inside) - len(inside.lstrip())
    line = inside.rfind("\n", 0, blank)
    if line < 0 < start and text[start - 1] != "\n":
        return start + blank, end
    return start + line + 1, end  # indentation stays: it means something in code and lists


def _halved(text: str, start: int, end: int) -> Iterator[int]:
    """Where to cut a stretch that no sentence end parts, at blanks near the middle where there are any."""
    if weight(text[start:end]) <= LARGEST:
        return
    middle = (start + end) // 2
    blank = text.rfind(" ", start + (end - start) // 4, middle)
    cut = blank if blank > start else middle
    yield from _halved(text, start, cut)
    yield cut
    yield from _halved(text, cut, end)
