"""Numbers of the list items and headings of an OpenDocument text (ODF 1.3, part 3, 5.3, 5.1.2, 16.30 and 16.34)."""

from itertools import chain
from typing import Final

from weiwo.tools.corpus.formats.list_numbers import WRITERS
from weiwo.tools.corpus.formats.ooxml import Element

_LEVELS: Final = 10
_MOST: Final = 10_000
_OUTLINE: Final = "\0outline"
"""Key of the numbering of headings among the list styles."""


class OpenLists:
    """Counter of the list items and headings of a document, which must be visited in order."""

    def __init__(self, *roots: Element) -> None:
        self._styles = {style.get("name", ""): style for root in roots for style in root.iter("list-style")}
        outline = next((style for root in roots for style in root.iter("outline-style")), None)
        if outline is not None:
            self._styles[_OUTLINE] = outline
        # By list: the last number of each level, 0 before the first.
        self._counts: dict[str, list[int]] = {_OUTLINE: [0] * _LEVELS}
        self._last: dict[str, str] = {}  # key of the last list of each style
        self._around: list[tuple[str, str]] = []  # style and key of each open list, innermost last

    @property
    def is_inside(self) -> bool:
        """Report whether a list is open."""
        return bool(self._around)

    def enter(self, element: Element) -> None:
        """Open a list, continuing the numbers of an earlier list if the element says so."""
        style = element.get("style-name") or (self._around[-1][0] if self._around else "")
        level = len(self._around)
        if level and style == self._around[-1][0]:
            key = self._around[-1][1]
            for at in range(level, _LEVELS):
                self._counts[key][at] = 0
        else:
            goes_on = element.get("continue-list") or (
                self._last.get(style, "") if element.get("continue-numbering") == "true" else ""
            )
            key = element.get("id") or f"{len(self._counts)}"
            self._counts[key] = list(self._counts.get(goes_on, [0] * _LEVELS))
            self._last[style] = key
        self._around.append((style, key))

    def leave(self) -> None:
        """Leave the innermost open list."""
        self._around.pop()

    def take(self, item: Element) -> str:
        """Return the number of an item of the innermost open list, followed by a blank.

        The result is empty for a list without numbers.
        """
        level = len(self._around) - 1
        if not 0 <= level < _LEVELS:
            return ""
        return self._count(*self._around[-1], level, item)

    def number_heading(self, heading: Element) -> str:
        """Return the number of a heading, followed by a blank, or an empty string for no number."""
        level = heading.get("outline-level", "1")
        if heading.get("is-list-header") == "true" or not level.isdecimal() or not 0 < int(level) <= _LEVELS:
            return ""
        if heading.get("restart-numbering") == "true":
            self._counts[_OUTLINE][int(level) - 1] = 0
        return self._count(_OUTLINE, _OUTLINE, int(level) - 1, heading)

    def _count(self, style: str, key: str, level: int, item: Element) -> str:
        form = self._find_level(style, level)
        counts = self._counts[key]
        stated = item.get("start-value", "")
        if stated.isdecimal():
            counts[level] = int(stated)
        else:
            start = form.get("start-value", "1") if form is not None else "1"
            counts[level] = (counts[level] or (int(start) if start.isdecimal() else 1) - 1) + 1
        for at in range(level + 1, _LEVELS):
            counts[at] = 0
        if form is None or not form.get("num-format"):
            return ""
        shown = form.get("display-levels", "1")
        first = max(0, level + 1 - (int(shown) if shown.isdecimal() else 1))
        numbers = ".".join(self._write(style, at, counts[at]) for at in range(first, level + 1))
        return f"{form.get('num-prefix', '')}{numbers}{form.get('num-suffix', '')} "

    def _write(self, style: str, level: int, number: int) -> str:
        form = self._find_level(style, level)
        write = WRITERS.get(form.get("num-format", "1") if form is not None else "1", str)
        return write(number) if 0 < number < _MOST else str(number)

    def _find_level(self, style: str, level: int) -> Element | None:
        found = self._styles.get(style)
        if found is None:
            return None
        levels = chain(found.iterfind("list-level-style-number"), found.iterfind("outline-level-style"))
        return next((item for item in levels if item.get("level") == str(level + 1)), None)
