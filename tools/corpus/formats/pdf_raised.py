"""Superscripts of a PDF page: PDFium's text glues an exponent to its base, 10⁶ as 106, or breaks the line at it.

The characters of a superscript may occur elsewhere on the page without being raised. Superscripts are therefore found
by the geometry of the text runs first. Only these few runs are then located in the text, because PDFium reads all
characters of the page to locate a single run.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from weiwo.text.typeset import raise_figures
from weiwo.tools.corpus.formats.pdf_tables import Box

_FIGURE: Final = re.compile(r"[-−+]?\d{1,4}|[*†‡§a-zA-Z]{1,2}")
_SMALLER: Final = 0.9
"""Maximum height of a superscript, relative to the height of its base."""
_LIFT: Final = 0.3
"""Minimum rise of a superscript above the foot of its base, relative to the height of the base."""
_NEAR: Final = 0.4
"""Maximum gap between the base and its superscript, relative to the height of the base."""
_BLANK: Final = 0.3
"""Minimum gap between a superscript and the next word, relative to the higher of base and word."""
_LONGEST_BASE: Final = 40
_MOST: Final = 500
"""Maximum number of superscripts marked on a page."""

Locate = Callable[[Box], tuple[int, int] | None]
"""Function that returns the start and the end of a text run in the text of its page, or None if it is not found."""


class _RaisedRuns(NamedTuple):
    """Neighbouring text runs that form a superscript.

    Attributes:
        runs: The runs of the superscript.
        blank: What separates the superscript from the next run on the line: a blank or nothing. None if the superscript
            ends its line.
    """

    runs: list[Box]
    blank: str | None


class _RaisedWord(NamedTuple):
    """A word with superscripts in the text of a page.

    Attributes:
        start: Position of the word.
        figures: Start and end of each superscript.
        blank: What replaces the line break that PDFium adds behind the last superscript. None if the line ends there.
    """

    start: int
    figures: list[tuple[int, int]]
    blank: str | None

    @property
    def end(self) -> int:
        """Position behind the last superscript."""
        return self.figures[-1][1]

    def skip_break(self, written: str) -> int:
        """Return the position behind the last superscript and a line break that PDFium adds within the word."""
        return self.end + (self.blank == "" and written.startswith("\n", self.end))


def mark_raised(text: str, written: str, boxes: Sequence[Box], locate: Locate, *, ordered: bool) -> str:
    """Return the text with superscripts in superscript characters: 10⁶ instead of 106.

    Args:
        text: The text to change, in which tables may be marked.
        written: The text of the page in the order of the boxes.
        boxes: The text runs of the page.
        locate: Function that locates a run in `written`.
        ordered: Whether `text` has the order of `written`. Otherwise a word is only changed if all equal words have the
            same superscripts.
    """
    by_text: dict[str, list[_RaisedWord]] = {}
    for word in _find_words(written, boxes, locate):
        by_text.setdefault(written[word.start : word.end], []).append(word)
    edits: list[tuple[int, int, str]] = []
    for key, words in by_text.items():
        # PDFium may break the line before and behind a superscript. In a table the break has become a blank.
        pattern = re.compile(r"(?<![^\s|])" + r"[ \n]?".join(map(re.escape, key.split("\n"))))
        starts = [found.start() for found in pattern.finditer(written)]
        places = list(pattern.finditer(text))
        if len(starts) != len(places) or not (ordered or len(words) == len(starts)):
            continue
        at = dict(zip(starts, places, strict=True))
        edits += [_edit_word(text, at[word.start], word, written) for word in words if word.start in at]
    pieces, at_end = [], 0
    for start, end, marked in sorted(edits):
        if start >= at_end:
            pieces += [text[at_end:start], marked]
            at_end = end
    return "".join((*pieces, text[at_end:]))


def _edit_word(text: str, place: re.Match[str], word: _RaisedWord, written: str) -> tuple[int, int, str]:
    """Return the range of a word in a text, with the line break behind the word, and the marked word."""
    marked, at = "", word.start
    for start, end in word.figures:
        marked += written[at:start].replace("\n", "") + raise_figures(_join(written[start:end]))
        at = end
    end = place.end()
    if word.blank is not None and text.startswith("\n", end):
        end += 1
        marked += "" if text[end : end + 1].isspace() else word.blank
    return place.start(), end, marked


def _find_words(written: str, boxes: Sequence[Box], locate: Locate) -> list[_RaisedWord]:
    """Return the words with superscripts in the order of the text. A word may have several."""
    words: list[_RaisedWord] = []
    for raised in islice(_find_raised(boxes), _MOST):
        places = [place for run in raised.runs if (place := locate(run)) is not None]
        if len(places) < len(raised.runs) or places != sorted(places):
            continue
        start, end = places[0][0], places[-1][1]
        base = _find_base(written, start)
        if base is None or not _FIGURE.fullmatch(_join(written[start:end])):
            continue
        if words and words[-1].start <= base <= words[-1].skip_break(written):
            words[-1] = _RaisedWord(words[-1].start, [*words[-1].figures, (start, end)], raised.blank)
        else:
            words.append(_RaisedWord(base, [(start, end)], raised.blank))
    return words


def _find_base(written: str, end: int) -> int | None:
    """Return the start of the word to which a superscript belongs, or None if the superscript belongs to no word.

    Args:
        written: The text of the page.
        end: Start of the superscript. A letter, a digit or a closing bracket must stand before it.
    """
    before = written[max(0, end - _LONGEST_BASE) : end].removesuffix("\n")
    if not before or not (before[-1].isalnum() or before[-1] in ")]"):
        return None
    broken = written[end - 1] == "\n"
    return end - broken - len(before.split()[-1])


def _find_raised(boxes: Sequence[Box]) -> Iterator[_RaisedRuns]:
    """Yield the superscripts among the text runs of a page.

    Several neighbouring runs may be one superscript ("−" and "1"). All of them are compared with the run before the
    first. A sign is tried together with its digits, because a flat sign does not show its height.
    """
    at = 1
    while at < len(boxes):
        base, right, first = boxes[at - 1], boxes[at - 1].right, at
        while at < len(boxes):
            size = next((n for n in (1, 2) if _is_raised(base, right, _join_runs(boxes[at : at + n]))), 0)
            if not size:
                break
            at += size
            right = boxes[at - 1].right
        if at > first:
            after = boxes[at] if at < len(boxes) else None
            yield _RaisedRuns(list(boxes[first:at]), _find_blank(base, right, after))
        at += 1


def _join_runs(runs: Sequence[Box]) -> Box:
    """Return the box around the runs, or around the first if the second is not directly behind."""
    first, last = runs[0], runs[-1]
    if last.left - first.right > first.right - first.left:
        return first
    return Box(first.left, min(first.bottom, last.bottom), last.right, max(first.top, last.top))


def _is_raised(base: Box, right: float, box: Box) -> bool:
    """Report whether a run is a superscript of `base`: smaller, higher up, and directly behind the edge `right`."""
    height = base.top - base.bottom
    return (
        box.top > base.top > box.bottom
        and box.bottom - base.bottom >= _LIFT * height
        and box.top - box.bottom <= _SMALLER * height
        and -1 <= box.left - right <= _NEAR * height
    )


def _find_blank(base: Box, right: float, after: Box | None) -> str | None:
    """Return what stands between a superscript that ends at `right` and the run `after`: a blank or nothing.

    None if the run is not on the line of the base, or not near.
    """
    if after is None or not (after.bottom < base.top and after.top > base.bottom):
        return None
    height = max(base.top - base.bottom, after.top - after.bottom)
    gap = after.left - right
    return None if not -1 <= gap <= height else " " if gap >= _BLANK * height else ""


def _join(text: str) -> str:
    return "".join(text.split())
