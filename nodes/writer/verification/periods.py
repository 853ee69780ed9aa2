"""Periods: centuries and decades that a text names, as the years that they span."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from weiwo.text.numerals import chinese_integer
from weiwo.text.patterns import lazy

_WORDS: Final = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth"
    "|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|twenty-first"
)
_ORDINAL: Final = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{_WORDS})"
_HAN: Final = r"\d{1,2}|[一二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九]"
_TENS: Final = r"[1-9]0|[一二三四五六七八九]?十"
_CENTURY: Final = lazy(
    rf"(?i)(?<![\w-])(?P<en>{_ORDINAL})(?=(?:(?:,? ?(?:and|or|to|–|-) ?|, )(?:the |early |late )?{_ORDINAL}){{0,3}}[\s-]centur)"
    rf"|(?P<zh>(?<!\d)(?:{_HAN})|上个?)(?:世纪(?:(?P<tens>{_TENS})年代)?|(?=[至到、和与~～–-](?:{_HAN})世纪))"
)
_DECADE: Final = lazy(rf"(?<![\d.,$£€¥])(\d{{3}}0)(?:['’]?s\b|年代)|(?<![\d纪一二三四五六七八九])({_TENS})年代")
_BEFORE: Final = lazy(r"[^.;\n]{0,40}?centur(?:y|ies)\s?(?:BCE?\b|B\.C\.)")
_LAST_CENTURY: Final = 20
"""上世纪, and the century of 八十年代."""


class Period(NamedTuple):
    """A century or a decade: its first and last year, where it stands, and whether it is said to lie before our era."""

    first: int
    last: int
    start: int
    end: int
    before: bool = False

    def covers(self, first: int, last: int) -> bool:
        """Whether years, by their distance from our era's beginning, are all of it."""
        return self.first <= first <= last <= self.last


def find_periods(text: str) -> Iterator[Period]:
    """The centuries and decades a text names; "the 1900s" are a century."""
    for found in _CENTURY.finditer(text):
        written = found["en"] or found["zh"]
        first = 100 * (_LAST_CENTURY if written.startswith("上") else _whole(written)) - 100
        tens = _whole(found["tens"] or "0")
        before = text[: found.start()].endswith(("公元前", "西元前")) or bool(_BEFORE.match(text, found.end()))
        yield Period(first + tens, first + (tens + 9 if tens else 100), *found.span(), before)
    for found in _DECADE.finditer(text):
        first = int(found[1]) if found[1] else 100 * _LAST_CENTURY - 100 + _whole(found[2])
        yield Period(first, first + (9 if first % 100 else 100), *found.span())


def _whole(written: str) -> int:
    digits = written.rstrip("stndrhSTNDRH")
    if digits.isdecimal():
        return int(digits)
    return _WORDS.split("|").index(written.lower()) + 1 if written.isascii() else chinese_integer(written)
