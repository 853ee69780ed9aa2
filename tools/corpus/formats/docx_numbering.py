"""Automatic numbers of Word paragraphs: clauses and lists as displayed.

The rules are ECMA-376, part 1, 17.9.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.list_numbers import write_letter, write_roman
from weiwo.tools.corpus.formats.ooxml import Element, Package, is_on, read_value

_PLACE: Final = lazy(r"%([1-9])")
_LEVELS: Final = 9
_MOST: Final = 10_000
_UNSHOWN: Final = frozenset({"bullet", "none"})


def _write_chinese(number: int) -> str:
    """Write a number below a hundred in Chinese characters, and a larger number in digits."""
    digits = "〇一二三四五六七八九"
    if not 0 < number < 100:
        return str(number)
    tens, items = divmod(number, 10)
    head = ("" if tens == 1 else digits[tens]) + "十" if tens else ""
    return head + (digits[items] if items else "")


_WRITERS: Final[dict[str, Callable[[int], str]]] = {
    "lowerLetter": write_letter,
    "upperLetter": lambda number: write_letter(number).upper(),
    "lowerRoman": write_roman,
    "upperRoman": lambda number: write_roman(number).upper(),
    "decimalZero": lambda number: f"{number:02d}",
    **dict.fromkeys(
        ("chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCountingThousand"), _write_chinese
    ),
}
"""Functions that write a number in a given `numFmt`. Other formats are written in digits."""


class Numbering:
    """Counter that returns the automatic number before each paragraph: "3.2", "(b)"."""

    def __init__(self, package: Package) -> None:
        root = package.read_related(package.main, "numbering")
        self._lists = {item.get("abstractNumId", ""): item for item in root.iterfind("abstractNum")}
        self._list_of = {item.get("numId", ""): read_value(item, "abstractNumId") for item in root.iterfind("num")}
        self._restarts = {item.get("numId", ""): [*item.iterfind("lvlOverride")] for item in root.iterfind("num")}
        self._counts: dict[str, list[int]] = {}

    def write_number(self, paragraph: Element, style: str, styles: Mapping[str, Element]) -> str:
        """Return the number displayed before a paragraph, or an empty string. Call it once for each, in order.

        `style` is the paragraph's style id, and `styles` has all styles by id.
        """
        stated, level = "", ""
        for source in (paragraph.find("pPr/numPr"), *(base.find("pPr/numPr") for base in list_bases(style, styles))):
            if source is not None:
                stated, level = stated or read_value(source, "numId"), level or read_value(source, "ilvl")
        listed = self._list_of.get(stated, "")
        if listed not in self._lists:
            return ""
        levels = {item.get("ilvl", ""): item for item in self._lists[listed].iterfind("lvl")}
        level = level or next((key for key, item in levels.items() if read_value(item, "pStyle") == style), "0")
        if level not in levels or not level.isdecimal() or int(level) >= _LEVELS:
            return ""
        for entry in self._restarts.pop(stated, ()):
            # The first paragraph of a new list instance restarts the levels that the instance states.
            restarted, start = entry.get("ilvl", ""), read_value(entry, "startOverride")
            if restarted in {*map(str, range(_LEVELS))} and start.isdecimal():
                counts = self._counts.setdefault(listed, [0] * _LEVELS)
                before = max(0, min(int(start), _MOST) - 1)
                counts[int(restarted) :] = [before, *[0] * (_LEVELS - 1 - int(restarted))]
        return self._count(listed, int(level), levels)

    def _count(self, listed: str, at: int, levels: Mapping[str, Element]) -> str:
        counts = self._counts.setdefault(listed, [0] * _LEVELS)
        for level in range(at + 1):
            if level == at and counts[level]:
                counts[level] += 1
            elif not counts[level]:
                start = read_value(levels[str(level)], "start") if str(level) in levels else ""
                counts[level] = min(int(start), _MOST) if start.isdecimal() else 1
        counts[at + 1 :] = [0] * (_LEVELS - at - 1)
        if read_value(levels[str(at)], "numFmt") in _UNSHOWN:
            return ""

        in_digits = is_on(levels[str(at)].find("isLgl"))

        def write(level: int) -> str:
            kind = read_value(levels[str(level)], "numFmt") if str(level) in levels else "decimal"
            return str(counts[level]) if in_digits else _WRITERS.get(kind, str)(counts[level])

        return _PLACE.sub(lambda found: write(int(found[1]) - 1), read_value(levels[str(at)], "lvlText")).strip()


def list_bases(style: str, styles: Mapping[str, Element]) -> Iterator[Element]:
    """Yield the element of a style, then the elements of the styles that it is based on, nearest first."""
    seen: set[str] = set()
    while style in styles and style not in seen:
        seen.add(style)
        yield styles[style]
        style = read_value(styles[style], "basedOn")
