"""Raised figures of a PDF page: PDFium's text glues an exponent to its base, 10⁶ as 106."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import Final, NamedTuple

from weiwo.text.typeset import raise_figures
from weiwo.tools.corpus.formats.pdf_tables import Box

_RAISED: Final = re.compile(r"[-−+]?\d{1,4}|[*†‡§a-zA-Z]{1,2}")
_SMALLER: Final = 0.9
"""Maximum height of a raised figure, relative to the height of the text before it."""
_LIFT: Final = 0.3
"""Minimum rise of a raised figure above the foot of the text before it, relative to that text's height."""
_NEAR: Final = 0.4
"""Maximum gap between the text and the raised figure, relative to the text's height."""
_REACH: Final = 20_000
"""Characters of a page searched for the next text run."""
_MOST: Final = 500
"""Maximum number of raised figures marked on a page."""


class _Place(NamedTuple):
    """A raised figure in the text of a page as PDFium gives it.

    Attributes:
        base: The word before the figure, from the last blank on.
        figure: The raised text.
        start: Position of the base.
        breaks: Whether PDFium adds a line break after the figure although the line goes on.
    """

    base: str
    figure: str
    start: int
    breaks: bool


def mark_raised(text: str, written: str, boxes: Sequence[Box], read: Callable[[Box], str], *, ordered: bool) -> str:
    """Return the text with raised figures written as superscripts: 10⁶ instead of 106.

    The same characters may occur elsewhere on the page without being raised. The figures are therefore found among the
    text runs first, and then located in `text` by counting equal words.

    Args:
        text: The text to change, in which tables may be marked.
        written: The text of the page in the order of the boxes.
        boxes: The text runs of the page.
        read: Function that returns the text of a run.
        ordered: Whether `text` has the order of `written`. Otherwise a word is only changed if all equal words have a
            raised figure.
    """
    places = list(islice(_find_places(written, boxes, read), _MOST))
    edits: list[tuple[int, _Place]] = []
    for key in dict.fromkeys(place.base + place.figure for place in places):
        raised = {place.start: place for place in places if place.base + place.figure == key}
        before, now = _find_words(written, key), _find_words(text, key)
        if len(before) == len(now) and (ordered or len(raised) == len(before)):
            edits += [(at, raised[start]) for start, at in zip(before, now, strict=True) if start in raised]
    pieces, at = [], 0
    for start, place in sorted(edits):
        end = start + len(place.base)
        if start < at:
            continue
        pieces += [text[at:end], raise_figures(place.figure)]
        at = end + len(place.figure)
        at += place.breaks and text.startswith("\n", at)
    return "".join((*pieces, text[at:]))


def _find_places(written: str, boxes: Sequence[Box], read: Callable[[Box], str]) -> Iterator[_Place]:
    """Yield the raised figures of a page in the order of the text runs."""
    if not any(map(_is_raised, boxes, boxes[1:])):
        return
    at, before = 0, None
    for box, after in zip_longest(boxes, boxes[1:]):
        run = read(box).strip()
        place = written.find(run, at, at + _REACH) if run else -1
        if place >= 0:
            base = _word_before(written, place)
            if before is not None and _is_raised(before, box) and _RAISED.fullmatch(run) and _carries(base):
                breaks = after is not None and _is_beside(box, after, before)
                yield _Place(base, run, place - len(base), breaks)
            at = place + len(run)
        before = box


def _word_before(text: str, end: int) -> str:
    """Return the characters before a position, back to the last blank."""
    words = text[max(0, end - 40) : end].split()
    return words[-1] if words and text[end - 1 : end].strip() else ""


def _carries(base: str) -> bool:
    """Report whether a word may be followed by a raised figure: it ends in a letter, digit or closing bracket."""
    return bool(base) and (base[-1].isalnum() or base[-1] in ")]")


def _find_words(text: str, key: str) -> list[int]:
    """Return the positions of a key in a text at which a word begins."""
    found, at = [], text.find(key)
    while at >= 0:
        if not at or text[at - 1].isspace() or text[at - 1] == "|":
            found.append(at)
        at = text.find(key, at + len(key))
    return found


def _is_raised(before: Box, box: Box) -> bool:
    """Report whether a text run directly follows the run `before` as a superscript: smaller, and higher up."""
    height = before.top - before.bottom
    return (
        box.top > before.top
        and box.bottom - before.bottom >= _LIFT * height
        and box.top - box.bottom <= _SMALLER * height
        and -1 <= box.left - before.right <= _NEAR * height
    )


def _is_beside(box: Box, after: Box, before: Box) -> bool:
    """Report whether the run `after` continues the line directly behind the raised figure `box`."""
    return -1 <= after.left - box.right <= before.top - before.bottom and after.bottom < box.bottom
