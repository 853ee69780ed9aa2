"""Markdown's opaque spans: fenced code, code spans and formulas, whose brackets and stops are not prose.

Code spans are paired as CommonMark pairs them: a run of backticks ends at the next run of the same length in its
paragraph, item or cell.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from weiwo.text.patterns import lazy

QUOTED: Final = r"(?: {0,3}> ?){0,8}"
"""What stands before a line of a block quotation."""
FENCE: Final = lazy(rf"({QUOTED} {{0,12}}(?:(?:[-*+]|\d{{1,3}}[.)]) {{1,4}})?)(`{{3,}}(?=[^`\n]*(?:\n|\Z))|~{{3,}})")
_BOUNDARY: Final = lazy(r"[ \t]*(?:\n|\Z)|[ \t>]*(?:[-*+•]|\d{1,3}[.)、])[ \t]|[ \t>]*#{1,6}[ \t]|[ \t>]*\|")
"""Lines that do not go on with the paragraph before them."""
_FORMULA: Final = lazy(
    r"\$\$[^$]{1,2000}\$\$|\\\((?!\d[\d, ]*\\)[^\n]{1,400}?\\\)|\\\[(?!\d[\d, ]*\\)(?s:.){1,500}?\\\]"
    r"|\$(?=[^\s$][^$\n]{0,300}\$)(?=[^$\n]*[\\_^{}=])[^$\n]{0,300}[^\s$]\$(?!\d)"
)
CELL: Final = lazy(r"(?<!\\)\|")
"""What ends a cell of a table."""
_RUN: Final = lazy(r"`+")


class Opaque(NamedTuple):
    """A span whose characters are no prose: `code` or a formula."""

    start: int
    end: int
    code: bool


def find_opaque(text: str) -> list[Opaque]:
    """The fenced code, code spans and formulas of a text, in order, none overlapping another."""
    if not any(sign in text for sign in ("`", "~~~", "$", "\\[", "\\(")):
        return []
    return sorted(_scan(text))


def _scan(text: str) -> Iterator[Opaque]:
    position = begun = opened = 0
    fence, quoted = "", False
    while position < len(text):
        end = text.find("\n", position) + 1 or len(text)
        found = FENCE.match(text, position, end)
        if fence and quoted and ">" not in text[position : position + 4]:
            yield Opaque(opened, position, code=True)
            fence, begun = "", position
        if fence:
            if found and found[2].startswith(fence) and not text[found.end() : end].strip():
                yield Opaque(opened, end, code=True)
                fence, begun = "", end
        elif found:
            yield from _inline(text, begun, position)
            fence, opened, quoted = found[2], position, ">" in found[1]
        elif _BOUNDARY.match(text, position, end):
            yield from _inline(text, begun, position)
            begun = position
            if text[position:end].lstrip(" \t>").startswith("|"):
                bounds = [position, *(bar.end() for bar in CELL.finditer(text, position, end)), end]
                for left, right in pairwise(bounds):
                    yield from _inline(text, left, right)
                begun = end
        position = end
    if fence:
        yield Opaque(opened, len(text), code=True)
    else:
        yield from _inline(text, begun, len(text))


def _inline(text: str, start: int, end: int) -> Iterator[Opaque]:
    """The code spans of a paragraph, and the formulas between them."""
    position = start
    for left, right in code_spans(text, start, end)[0]:
        yield from (Opaque(*found.span(), code=False) for found in _FORMULA.finditer(text, position, left))
        yield Opaque(left, right, code=True)
        position = right
    yield from (Opaque(*found.span(), code=False) for found in _FORMULA.finditer(text, position, end))


def code_spans(text: str, start: int, end: int) -> tuple[list[tuple[int, int]], bool]:
    """The code spans of a paragraph, and whether a run of backticks in it is still open."""
    runs = list(_RUN.finditer(text, start, end))
    by_length: dict[int, list[int]] = {}
    for index, run in enumerate(runs):
        by_length.setdefault(len(run[0]), []).append(index)
    spans: list[tuple[int, int]] = []
    unpaired = False
    index = 0
    while index < len(runs):
        left, right = runs[index].span()
        left += _escaped(text, left)
        same = by_length.get(right - left, [])
        behind = bisect_right(same, index)
        if right > left and behind < len(same):
            spans.append((left, runs[same[behind]].end()))
            index = same[behind]
        else:
            unpaired = unpaired or right > left
        index += 1
    return spans, unpaired


def _escaped(text: str, position: int) -> bool:
    before = position
    while before and text[before - 1] == "\\":
        before -= 1
    return (position - before) % 2 == 1
