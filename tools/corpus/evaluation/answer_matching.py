"""Answer matching: find a gold answer in a text, verbatim or as an equivalent date or number.

Normalisation is that of SQuAD (NFKC, case, punctuation) with the marks inside numbers kept, and F1 is SQuAD's, over
words and also over Han characters, if present.
"""

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from weiwo.state.cached_property import cached_property
from weiwo.text.dates import DateSpan, find_dates, parse_date
from weiwo.text.language import HAN
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy

YES_NO: Final = frozenset({"yes", "no", "是", "否", "不是", "是的", "对", "不对", "true", "false"})
"""Answers that cannot be looked for in passages."""
_PUNCTUATION: Final = lazy(r"[^\w%‰$€£¥+./]|(?<!\d)[./]|[./](?!\d)|(?<=[^\W\d])[./]")
_LATIN_OR_DIGIT: Final = lazy(rf"[^\W{HAN}]")
_TOKEN: Final = lazy(rf"[{HAN}]|[^\s{HAN}]+")
_ARTICLES: Final = frozenset({"a", "an", "the"})


def _normalize_answer(text: str) -> str:
    """Normalize an answer to NFKC, without case and punctuation. Marks inside numbers are kept."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_PUNCTUATION.sub(" ", re.sub(r"(?<=\d),(?=\d{3})", "", text)).split())


class AnswerText:
    """A text to search for answers."""

    def __init__(self, text: str) -> None:
        self._folded = _normalize_answer(text)
        self.text = text

    @cached_property
    def _found_dates(self) -> list[DateSpan]:
        return find_dates(self.text)

    @cached_property
    def _found_numbers(self) -> set[tuple[float, bool, str | None]]:
        found = {(span.value, span.percent, span.unit) for span in find_numbers(self.text)}
        return found | {(value, percent, None) for value, percent, _ in found}

    def says(self, gold: str) -> bool:
        """Report whether the text states an answer, verbatim or as an equivalent date or number.

        "It opened on 3 May 1932." states "1932-05-03". Case and punctuation do not count. False for an empty answer.
        """
        wanted = _normalize_answer(gold)
        if not wanted:
            return False
        before = rf"(?<![^\W{HAN}])" if _LATIN_OR_DIGIT.match(wanted[0]) else ""
        after = rf"(?![^\W{HAN}])" if _LATIN_OR_DIGIT.match(wanted[-1]) else ""
        if re.search(before + re.escape(wanted) + after, self._folded):
            return True
        with suppress(ValueError):
            date = parse_date(gold)
            if date.month is not None and any(date.contains(span.date) for span in self._found_dates):
                return True
        spans = find_numbers(gold)
        if len(spans) != 1 or spans[0].end - spans[0].start < len(gold.strip().removeprefix("about ")):
            return False
        return (spans[0].value, spans[0].percent, spans[0].unit) in self._found_numbers

    def first(self, gold: str) -> int:
        """Return the offset of the verbatim answer, or `sys.maxsize` if absent.

        The offset counts in the normalized text.
        """
        at = self._folded.find(_normalize_answer(gold))
        return at if at >= 0 else sys.maxsize


def token_f1(text: str, golds: Iterable[str]) -> float:
    """Return the token F1 of a text, 0 to 1, against the gold answer it matches best. Articles do not count.

    A sentence around the answer costs precision, so compare only systems that reply in the same form.
    """
    said = _count_tokens(text)
    best = 0.0
    for gold in golds:
        wanted = _count_tokens(gold)
        if same := (said & wanted).total():
            best = max(best, 2 * same / (said.total() + wanted.total()))
    return best


def _count_tokens(text: str) -> Counter[str]:
    return Counter(token for token in _TOKEN.findall(_normalize_answer(text)) if token not in _ARTICLES)
