"""Parsed sources with dates, figures, names and clauses for looking up claims."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from weiwo.nodes.writer.verification.clauses import Clause, source_clauses
from weiwo.nodes.writer.verification.particulars import (
    Period,
    find_days,
    find_months,
    find_periods,
    fold_letters,
    join_codes,
)
from weiwo.nodes.writer.verification.quantities import Quantity, find_quantities
from weiwo.nodes.writer.verification.windows import Window, source_windows
from weiwo.state.cached_property import cached_property
from weiwo.state.kinds import has_rules
from weiwo.text.data_files import data_pattern
from weiwo.text.dates import PartialDate, find_dates
from weiwo.text.foreign_values import plain_values
from weiwo.text.language import HAN
from weiwo.text.language_detection import detect_language
from weiwo.text.lexicon import find_countries
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms

_DIGITS: Final = lazy(r"(?:(?<![A-Za-z])[A-Za-z]+)?-?[0-9][A-Za-z0-9]*")
_DOTTED: Final = lazy(r"(?<![A-Za-z0-9_.])[vV]?(\d{1,4}(?:\.\d{1,4}){0,4})(?![\d]|\.\d)")
_JOINED: Final = lazy(r"(?<![a-z0-9])[a-z]+\d[a-z0-9]*")
_CAPITALS: Final = lazy(r"\b[A-Z]{2,8}\b")
_CAPITALISED: Final = lazy(r"\b[A-Z]\w{0,30}(?:\s(?:(?:of|for|and|the|de|in)\s){0,2}[A-Z]\w{0,30}){1,7}")
_FULL_WIDTH: Final = {0xFF10 + d: 0x30 + d for d in range(10)}
_COUNTED: Final = data_pattern("claims", "source", "counted")
_LETTER: Final = lazy(r"[^\W\d_]")
_READ: Final = lazy(rf"[a-z\u00c0-\u024f{HAN}]")
_ENGLISH: Final = lazy(r"(?i)\b(?:the|of|and|in|is|was|are|to|by|for|with|it|has|an?)\b")


@dataclass(frozen=True)
class ParsedSource:
    """A parsed passage. "Folded" is without case and accents.

    Attributes:
        title: Its title.
        text: Title and text, folded.
        language: Its language, or "other" if the language is not known.
        terms: Its content terms.
        words: Its words, folded.
        dates: Its dates. A day without a year is combined with each year that the passage names or was published in.
        periods: Centuries and decades that it names.
        numbers: Its quantities, without bare numbers that are part of a date.
        counts: Those of the quantities without a known unit that count things: 330 in "330 steps".
        codes: Its words with digits as written, folded: "a4", "vlx-500", "330".
        joined: Its codes with letters and digits joined, folded: "vlx500".
        dotted: Its dotted figures and whole numbers as written: "3.10", "1900".
        whole: Whole numbers in any form, and the years of its dates.
        days: Days as (month, day), without their year.
        months: Months that it names, 1 to 12.
        countries: Keys of the countries that it names.
        sentences: Its sentences and table rows.
        clauses: The clauses of the sentences, and the table rows.
    """

    title: str
    text: str
    language: str
    terms: frozenset[str]
    words: frozenset[str]
    dates: tuple[PartialDate, ...]
    periods: tuple[Period, ...]
    numbers: tuple[Quantity, ...]
    counts: frozenset[Quantity]
    codes: frozenset[str]
    joined: frozenset[str]
    dotted: frozenset[str]
    whole: frozenset[int]
    days: frozenset[tuple[int, int]]
    months: frozenset[int]
    countries: frozenset[str]
    sentences: tuple[Clause, ...]
    clauses: tuple[Clause, ...]

    @cached_property
    def unread(self) -> bool:
        """Report whether most letters of the passage are of a script that is not compared, like Cyrillic or kana."""
        letters = _LETTER.findall(self.text[:4_000])
        return not has_rules(self.language) and sum(not _READ.match(letter) for letter in letters) > len(letters) / 2

    @cached_property
    def capitals(self) -> frozenset[str]:
        """Words of two to eight capital letters in the sentences, like "UN"."""
        return frozenset(word for clause in self.sentences for word in _CAPITALS.findall(clause.text))

    @cached_property
    def initials(self) -> frozenset[str]:
        """Initials of each run of capitalised words, without small words: "UNO" for "United Nations Organization"."""
        texts = (self.title, *(clause.text for clause in self.sentences))
        runs = (run.group() for text in texts for run in _CAPITALISED.finditer(text))
        return frozenset("".join(word[0] for word in run.split() if word[0].isupper()) for run in runs)

    @cached_property
    def windows(self) -> dict[str, tuple[Window, ...]]:
        """Windows (`windows.Window`) of the values in the passage, by the kind of value."""
        return source_windows(self.sentences)


@lru_cache(maxsize=256)
def parse_source(title: str, text: str, published: str | None) -> ParsedSource:
    """Parse a passage. The result is cached, since many claims cite the same passage.

    Args:
        title: Its title.
        text: Its text.
        published: Its date in ISO form, or None if not known.
    """
    language = _language(text[:4_000])
    text = plain_values(text, language)
    both = f"{title}\n{text}"
    spans = find_dates(both)
    dates = [d for span in spans for d in (span.date, span.until) if d is not None]
    days = find_days(both)
    dates += _days_of_known_years(days, dates, published)
    found = find_quantities(both)
    inside = [(span.start, span.end) for span in spans]
    free = tuple(n for n in found if n.unit or not any(a < n.end and n.start < b for a, b in inside))
    sentences, clauses = source_clauses(text)
    folded = fold_letters(both)
    return ParsedSource(
        title=title,
        text=folded,
        language=language,
        terms=frozenset(terms(both)),
        words=frozenset(re.findall(r"\w+", folded)),
        dates=tuple(dates),
        periods=tuple(find_periods(both)),
        numbers=tuple(dict.fromkeys(free)),
        counts=frozenset(n for n in free if not n.unit and _COUNTED.match(both, n.end)),
        codes=frozenset(m.group().lstrip("-").casefold() for m in _DIGITS.finditer(both.translate(_FULL_WIDTH))),
        joined=frozenset(_JOINED.findall(join_codes(folded))),
        dotted=frozenset(m[1] for m in _DOTTED.finditer(both)),
        whole=frozenset({*(int(n.value) for n in found if n.value == int(n.value)), *(abs(d.year) for d in dates)}),
        days=frozenset((month, day) for month, day, _ in days) | {(d.month, d.day) for d in dates if d.month and d.day},
        months=frozenset({*find_months(both), *(d.month for d in dates if d.month)}),
        countries=frozenset(key for _, _, key in find_countries(both)),
        sentences=sentences,
        clauses=clauses,
    )  # fmt: skip


def _language(text: str) -> str:
    """Detect the language of a passage. Return "other" if the language is not known.

    A text of six words or more counts as English only with enough of the commonest English words.
    """
    if (told := detect_language(text)) != "en":
        return told
    prose = re.sub(r"(?m)^[^\S\n]*\|.*$", "", text)  # the rows of a table hold few words of any language
    words = len(re.findall(r"[^\W\d_]+", prose))
    return "other" if words >= 6 and len(_ENGLISH.findall(prose)) < 0.04 * words else "en"


def _days_of_known_years(
    days: Sequence[tuple[int, int, tuple[int, int]]], dates: Sequence[PartialDate], published: str | None
) -> list[PartialDate]:
    """Return the days written without a year as dates, in each year that the passage names or was published in.

    "3 May" in a passage that names 1900 and was published in 1950 gives 3 May 1900 and 3 May 1950.

    Args:
        days: Month, day and span of each day.
        dates: The dates with a year in the passage.
        published: The date of the passage in ISO form, or None.
    """
    years = {d.year for d in dates}
    if published and re.match(r"\d{4}", published):
        years.add(int(published[:4]))
    found: list[PartialDate] = []
    for month, day, _ in days[:50]:
        for year in sorted(years)[:20]:
            try:
                found.append(PartialDate(year, month, day))
            except ValueError:
                continue
    return found
