"""Whether a text says a gold answer: in its words, or a date or a number in another form."""

import re
import sys
import unicodedata
from contextlib import suppress
from functools import cached_property

from weiwo.text.dates import DateSpan, find_dates, parse_date
from weiwo.text.language import HAN
from weiwo.text.numbers import find_numbers

YES_NO = frozenset({"yes", "no", "是", "否", "不是", "是的", "对", "不对", "true", "false"})
"""Answers that are not looked for in passages."""
_PUNCTUATION = re.compile(r"[^\w%‰$€£¥+./]|(?<!\d)[./]|[./](?!\d)|(?<=[^\W\d])[./]")
_LATIN_OR_DIGIT = re.compile(rf"[^\W{HAN}]")


def folded(text: str) -> str:
    """Text in NFKC without case and punctuation; the marks inside numbers stay."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_PUNCTUATION.sub(" ", re.sub(r"(?<=\d),(?=\d{3})", "", text)).split())


class Text:
    """A text in which answers are looked for.

    Attributes:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self._folded = folded(text)
        self.text = text

    @cached_property
    def _found_dates(self) -> list[DateSpan]:
        return find_dates(self.text)

    @cached_property
    def _found_numbers(self) -> set[tuple[float, bool, str | None]]:
        found = {(span.value, span.percent, span.unit) for span in find_numbers(self.text)}
        return found | {(value, percent, None) for value, percent, _ in found}

    def says(self, gold: str) -> bool:
        """Whether it says an answer: in its words, or a date or number in another form."""
        wanted = folded(gold)
        if not wanted:
            return False
        before = rf"(?<![^\W{HAN}])" if _LATIN_OR_DIGIT.match(wanted[0]) else ""
        after = rf"(?![^\W{HAN}])" if _LATIN_OR_DIGIT.match(wanted[-1]) else ""
        if re.search(before + re.escape(wanted) + after, self._folded):
            return True
        return self._dates(gold) or self._numbers(gold)

    def _dates(self, gold: str) -> bool:
        with suppress(ValueError):
            wanted = parse_date(gold)
            if wanted.month is not None:
                return any(wanted.contains(span.date) for span in self._found_dates)
        return False

    def _numbers(self, gold: str) -> bool:
        spans = find_numbers(gold)
        if len(spans) != 1 or spans[0].end - spans[0].start < len(gold.strip().removeprefix("about ")):
            return False
        return (spans[0].value, spans[0].percent, spans[0].unit) in self._found_numbers

    def first(self, gold: str) -> int:
        """Where it says an answer in its words, as an offset; the greatest there is where it does not."""
        at = self._folded.find(folded(gold))
        return at if at >= 0 else sys.maxsize
