"""Citation marks in prose: [1], [1][2], [1, 2], [1-3], 【1】. Found, renumbered, and removed where they lead nowhere.

Brackets in code, in formulas, in addresses and after an identifier ("a[0]") are no marks.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from weiwo.text.markdown import Opaque, find_opaque, mask
from weiwo.text.patterns import lazy

_NUMBERS: Final = r"\^?\d{1,4}(?:\s?[,，、;；–—-]\s?\^?\d{1,4}){0,30}"
_MARK: Final = lazy(
    rf"\[(?P<a>{_NUMBERS})\](?:\(https?://[^()\s]{{1,500}}\))?|【(?P<b>{_NUMBERS})(?:†[^【】\n]{{0,80}})?】|［(?P<c>{_NUMBERS})］"
)
_IDENTIFIER: Final = lazy(
    r"(?:^|[^\w])(?:[a-z]|[A-Za-z]\w{0,60}_\w{0,60}|[A-Za-z]\w*\(\)|argv|arr|array|list|args|items)$"
)
_MEASURED: Final = lazy(r"\d\s[a-z]$")
_ON: Final = lazy(r"\s?(?:[-+*/%]?=[^=]|[-+*/]\s?\w|\.\w|\(|\[\w*[A-Za-z])")
_RANGE: Final = lazy(r"(\d+)\s?[–—-]\s?\^?(\d+)")
_WIDEST_RANGE: Final = 30
_PASSES: Final = 8


@dataclass(frozen=True, slots=True)
class CitationMark:
    """One mark: where it stands, and the source numbers it gives, in order."""

    start: int
    end: int
    numbers: tuple[int, ...]


def find_marks(text: str) -> list[CitationMark]:
    """The citation marks of a text, in order."""
    return list(_outside(text, find_opaque(text))) if _MARK.search(text) else []


def _outside(text: str, code: Sequence[Opaque]) -> Iterator[CitationMark]:
    position = 0
    for found in _MARK.finditer(text):
        while position < len(code) and code[position].end <= found.start():
            position += 1
        if position < len(code) and code[position].start <= found.start():
            continue
        if not _is_index(text, found):
            yield CitationMark(found.start(), found.end(), _numbers(found["a"] or found["b"] or found["c"]))


def _is_index(text: str, found: re.Match[str]) -> bool:
    """Whether the bracket belongs to an expression or an address rather than to prose."""
    before = text[max(0, found.start() - 60) : found.start()]
    word = before.split()[-1] if before and not before[-1].isspace() else ""
    behind = text[found.end() : found.end() + 3]
    if "://" in word and re.match(r"[\w/&=?#%]", behind):
        return True
    if not word:
        return False
    return bool(_IDENTIFIER.search(word) and not _MEASURED.search(before)) or (
        word[-1].isascii() and word[-1].isalnum() and bool(_ON.match(behind)) and not behind.startswith("(h")
    )


def _numbers(written: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for part in re.split(r"\s?[,，、;；]\s?", written.replace("^", "")):
        bounds = _RANGE.fullmatch(part)
        if bounds:
            first, last = int(bounds[1]), int(bounds[2])
            numbers += range(first, last + 1) if 0 <= last - first <= _WIDEST_RANGE else (first, last)
        else:
            numbers += map(int, re.findall(r"\d+", part))
    return tuple(dict.fromkeys(numbers))


def list_cited_numbers(text: str) -> list[int]:
    """The source numbers that a text cites, in the order of first citation."""
    return list(dict.fromkeys(n for mark in find_marks(text) for n in mark.numbers))


def clean_marks(text: str, valid: Collection[int]) -> str:
    """Take out every citation of a source that doesn't exist; what is left is written [1][2].

    Returns:
        The text; no mark in it has a number outside `valid`.
    """
    known = frozenset(valid)
    return _rewritten(text, lambda n: n if n in known else None, known)


def renumber_marks(text: str, mapping: Mapping[int, int]) -> str:
    """Give citations new numbers, all at once; one without a new number is taken out.

    Returns:
        The text; no mark in it has a number outside the mapping's values.
    """
    return _rewritten(text, mapping.get, frozenset(mapping.values()))


def _rewritten(text: str, number: Callable[[int], int | None], known: frozenset[int]) -> str:
    text = _once(text, number)
    # What is taken out can bring together a new mark: "[[9]1]". A few rounds, then brackets go altogether.
    for _ in range(_PASSES):
        if all(n in known for mark in find_marks(text) for n in mark.numbers):
            return text
        text = _once(text, lambda n: n if n in known else None)
    return re.sub(r"[\[\]【】［］]", "", text)


def _once(text: str, number: Callable[[int], int | None]) -> str:
    marks = find_marks(text)
    kept = [dict.fromkeys(new for old in mark.numbers if (new := number(old)) is not None) for mark in marks]
    ends = [mark.end for mark in marks]  # where what is taken out from a mark on ends: "[8][9]" goes as one
    for n in range(len(marks) - 2, -1, -1):
        if marks[n + 1].start == marks[n].end and not kept[n + 1]:
            ends[n] = ends[n + 1]
    parts: list[str] = []
    position = 0
    for mark, numbers, end in zip(marks, kept, ends, strict=True):
        before = text[position : mark.start]
        # "Rome [9]." loses its blank too; at the start of a line it stays.
        if not numbers and text[end : end + 1] in {"", " ", ".", ",", ";", "。", "，", "\n"}:
            before = before.rstrip(" ")
        parts += [before, "".join(f"[{n}]" for n in numbers)]
        position = mark.end
    return "".join([*parts, text[position:]])


def blank_marks(text: str) -> tuple[str, list[CitationMark]]:
    """The text with every mark written over with blanks, so that offsets stay; and the marks."""
    marks = find_marks(text)
    return mask(text, 0, [(mark.start, mark.end, " ") for mark in marks]), marks
