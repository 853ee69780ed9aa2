"""Raised figures of a PDF page: PDFium's text glues an exponent to its base, 10⁶ as 106."""

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Final

from weiwo.text.typeset import raise_figures
from weiwo.tools.corpus.formats.pdf_tables import Box

_RAISED: Final = re.compile(r"[-−+]?\d{1,4}|[*†‡§a-zA-Z]{1,2}")
_BASE: Final = re.compile(r"[^\s|]{1,30}$")
_SMALLER: Final = 0.9
"""Heights of the text before that a raised figure may have at most."""
_LIFT: Final = 0.3
"""Heights of the text before that a raised figure stands above its foot at least."""
_NEAR: Final = 0.4
"""Heights of the text before that may lie between the two."""
_REACH: Final = 20_000
"""Characters searched for the next place; tables may have moved it."""


def mark_raised(text: str, boxes: Sequence[Box], read: Callable[[Box], str]) -> str:
    """Write raised figures apart from the text before them: 10 raised by 6 is 10⁶ and not 106.

    A line break set by PDFium behind a raised figure is removed.

    Args:
        text: The text of the page, in the order of the boxes.
        boxes: The text runs of the page.
        read: Reads the text of a run.
    """
    pieces, at = [], 0
    for before, box, after in zip_longest(boxes, boxes[1:], boxes[2:]):
        if box is None or not _is_raised(before, box):
            continue
        figure, base = read(box).strip(), _BASE.search(read(before))
        if base is None or not _RAISED.fullmatch(figure) or not (base[0][-1].isalnum() or base[0][-1] in ")]"):
            continue
        place = text.find(base[0] + figure, at, at + _REACH)
        if place < 0:
            continue
        end = place + len(base[0])
        pieces += [text[at:end], raise_figures(figure)]
        at = end + len(figure)
        if after is not None and text.startswith("\n", at) and _is_beside(box, after, before):
            at += 1
    return "".join((*pieces, text[at:]))


def _is_raised(before: Box, box: Box) -> bool:
    """Report whether a text run follows another directly, smaller and above its foot and top."""
    height = before.top - before.bottom
    return (
        box.top > before.top
        and box.bottom - before.bottom >= _LIFT * height
        and box.top - box.bottom <= _SMALLER * height
        and -1 <= box.left - before.right <= _NEAR * height
    )


def _is_beside(box: Box, after: Box, before: Box) -> bool:
    """Report whether the line goes on directly behind a raised figure."""
    return -1 <= after.left - box.right <= before.top - before.bottom and after.bottom < box.bottom
