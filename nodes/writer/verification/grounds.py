"""What a set of sources carries: the values, names and clauses that the particulars of a claim are looked up in."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from weiwo.nodes.writer.verification.clauses import Clause, source_clauses
from weiwo.nodes.writer.verification.particulars import (
    find_centuries,
    find_days,
    find_decades,
    find_months,
    is_han,
    name_words,
)
from weiwo.state import Evidence, JsonValue, Outcome
from weiwo.text.dates import PartialDate, find_dates
from weiwo.text.demonyms import find_countries
from weiwo.text.language import Language, detect_language, fold
from weiwo.text.numbers import NumberSpan, find_numbers, to_base
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms

_DIGITS: Final = lazy(r"(?:(?<![A-Za-z])[A-Za-z]+)?-?[0-9][A-Za-z0-9]*")
_DOTTED: Final = lazy(r"(?<![\w.])v?(\d{1,4}(?:\.\d{1,4}){0,4})(?![\d]|\.\d)")
_FULL_WIDTH: Final = {0xFF10 + d: 0x30 + d for d in range(10)}
_ORDINALS: Final = {
    word: number
    for number, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
            "thirteenth",
            "fourteenth",
            "fifteenth",
            "sixteenth",
            "seventeenth",
            "eighteenth",
            "nineteenth",
            "twentieth",
        ],
        1,
    )
}
_ORDINAL_WORD: Final = lazy(r"(?i)\b(?:" + "|".join(_ORDINALS) + r")\b")
_MONTH_DAY: Final = lazy(r"(?P<m>\d{1,2})月(?P<d>\d{1,2})日")
_COUNTED: Final = lazy(
    r"\s?[个名位]?(?=[\u4e00-\u9fff])(?![，。和与或至到万亿])|\s(?!(?:at|in|on|of|for|by|per|and|or|to|from|with|as|is|was|were|are|a|an|the|million|billion|thousand|hundred|trillion)\b)[a-z]{3,}"
)
_MEASURES: Final = frozenset(["m", "km", "cm", "mm", "ft", "inch", "yd", "mi", "nmi", "kg", "g", "mg", "t", "lb", "oz", "m²", "km²", "mi²", "ft²", "ha", "acre", "hour", "minute", "second", "week", "day", "month", "USD", "EUR", "GBP", "JPY", "HKD", "元"])  # fmt: skip
_CAPITALS: Final = lazy(r"\b[A-Z][\w'’-]*(?:\s(?:(?:of|the|and|for|in|de|du)\s){0,2}[A-Z][\w'’-]*){1,8}")
_ONE_IN: Final = lazy(r"(?i)\bone in (two|three|four|five|six|seven|eight|nine|ten|\d{1,4})\b")
_FRACTION: Final = lazy(r"(?i)\b(half|a third|two[- ]thirds|a quarter|three[- ]quarters|a fifth|a tenth)\b")
_SHARES: Final = {"half": 50, "a third": 100 / 3, "two thirds": 200 / 3, "a quarter": 25, "three quarters": 75, "a fifth": 20, "a tenth": 10}  # fmt: skip
_SECONDS: Final = {"second": 1.0, "minute": 60.0, "hour": 3_600.0, "day": 86_400.0, "week": 604_800.0}
_MONTHS: Final = {"month": 1.0, "year": 12.0}
_ABOUT: Final = lazy(
    r"(?i)(?:\b(?:about|around|roughly|approximately|nearly|almost|over|some|more than|just under|just over|up to|circa|ca\.?)\s|[~≈]|[约近超]过?|大约|将近)\s?$"
)


@dataclass(frozen=True)
class Source:
    """One passage, parsed.

    Attributes:
        title: Its title.
        text: Title and text, folded.
        language: Its language.
        terms: Its content terms.
        words: Its words, folded.
        dates: Its dates.
        numbers: Its numbers.
        counts: Those of them that count things of no known unit.
        codes: Its digit groups as written, folded.
        dotted: Its dotted figures and whole numbers as written.
        whole: Integers in any form, ordinals too.
        days: Days of a month, without their year.
        months: Months it names.
        countries: Countries it names.
        initials: First letters of its runs of capitalised words.
        sentences: Its sentences and table rows.
        clauses: Their parts.
    """

    title: str
    text: str
    language: Language
    terms: frozenset[str]
    words: frozenset[str]
    dates: tuple[PartialDate, ...]
    numbers: tuple[NumberSpan, ...]
    counts: frozenset[NumberSpan]
    codes: frozenset[str]
    dotted: frozenset[str]
    whole: frozenset[int]
    days: frozenset[tuple[int, int]]
    months: frozenset[int]
    countries: frozenset[str]
    initials: frozenset[str]
    sentences: tuple[Clause, ...]
    clauses: tuple[Clause, ...]


@lru_cache(maxsize=256)
def _parse(title: str, text: str, published: str | None) -> Source:
    both = f"{title}\n{text}"
    spans = find_dates(both)
    dates = [d for span in spans for d in (span.date, span.until) if d is not None]
    dates += [PartialDate(year) for year in find_decades(both)]
    days = find_days(both)
    dates += _days_of_known_years(days, dates, published)
    found = find_numbers(both)
    inside = [(span.start, span.end) for span in spans]
    free = tuple(n for n in found if n.unit is not None or not any(a < n.end and n.start < b for a, b in inside))
    sentences, clauses = source_clauses(text)
    folded = fold(both).replace("’", "'")
    return Source(
        title=title,
        text=folded,
        language=detect_language(text[:4_000]),
        terms=frozenset(terms(both)),
        words=frozenset(re.findall(r"\w+", folded)),
        dates=tuple(dates),
        numbers=(*free, *_shares(both)),
        counts=frozenset(n for n in free if n.unit is None and _COUNTED.match(both, n.end)),
        codes=frozenset(m.group().lstrip("-").casefold() for m in _DIGITS.finditer(both.translate(_FULL_WIDTH))),
        dotted=frozenset(m[1] for m in _DOTTED.finditer(both)),
        whole=frozenset({*(int(n.value) for n in found if n.value == int(n.value)), *_ordinals(both), *(abs(d.year) for d in dates)}),
        days=frozenset((month, day) for month, day, _ in days) | {(d.month, d.day) for d in dates if d.month and d.day},
        months=frozenset({*find_months(both), *(d.month for d in dates if d.month)}),
        countries=frozenset(key for _, _, key in find_countries(both)),
        initials=frozenset(
            "".join(word[0] for word in re.findall(r"[A-Z][\w'’-]*", run[0])) for run in _CAPITALS.finditer(both)
        ),
        sentences=sentences,
        clauses=clauses,
    )  # fmt: skip


def _days_of_known_years(
    days: Sequence[tuple[int, int, tuple[int, int]]], dates: Sequence[PartialDate], published: str | None
) -> list[PartialDate]:
    """Days written without a year, for each year the passage names or was published in."""
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


def _shares(text: str) -> list[NumberSpan]:
    """Fractions in words as percentages: "one in eight" is 12.5 %."""
    found = []
    for match in _ONE_IN.finditer(text):
        spans = find_numbers(f"{match[1]} days")
        if spans and spans[0].value:
            found.append(NumberSpan(match.start(), match.end(), 100 / spans[0].value, percent=True))
    for match in _FRACTION.finditer(text):
        share = _SHARES[match[1].lower().replace("-", " ")]
        found.append(NumberSpan(match.start(), match.end(), share, percent=True))
    return found


def _ordinals(text: str) -> set[int]:
    found = {_ORDINALS[m.group().lower()] for m in _ORDINAL_WORD.finditer(text)}
    found |= {int(m[1]) for m in re.finditer(r"\b(\d{1,6})(?:st|nd|rd|th)\b", text)}
    found |= {int(m[1]) for m in re.finditer(r"第\s?(\d{1,6})", text)}
    for written in re.findall(r"第([一二三四五六七八九十百]{1,5})", text):
        found |= {int(span.value) for span in find_numbers(f"{written}个") if span.value == int(span.value)}
    return found


@dataclass(frozen=True)
class Grounds:
    """What passages and calculations carry together.

    Attributes:
        sources: The passages.
        computed_numbers: Results and inputs of cited calculations.
        computed_dates: Their dates.
        computed_text: Their words.
        values: Their results alone, where these are numbers.
        said: Their results in words, folded.
    """

    sources: tuple[Source, ...]
    computed_numbers: tuple[float, ...] = ()
    computed_dates: tuple[PartialDate, ...] = ()
    computed_text: str = ""
    values: tuple[float, ...] = ()
    said: tuple[str, ...] = ()

    @property
    def calculates(self) -> bool:
        """Whether a calculation is among them."""
        return bool(self.computed_numbers or self.computed_dates)

    def date(self, date: PartialDate) -> str:
        """How the sources carry a date: "passage", "computed" or ""."""
        if any(date.contains(known) for source in self.sources for known in source.dates):
            return "passage"
        return "computed" if any(date.contains(known) for known in self.computed_dates) else ""

    def century(self, number: int) -> bool:
        """Whether the sources name a century or a year of it."""
        years = [date.year for source in self.sources for date in source.dates]
        named = any(number in find_centuries(source.text) for source in self.sources)
        return named or any((abs(year) - 1) // 100 + 1 == number for year in years)

    def number(self, number: NumberSpan, statement: str) -> str:
        """How the sources carry a number: "passage", "computed" or ""."""
        about = bool(_ABOUT.search(statement[: number.start]))
        measured = number.unit in _MEASURES
        for source in self.sources:
            for known in source.numbers:
                if same_number(number, known, about=about) and not (measured and known in source.counts):
                    return "passage"
        if any(_close(abs(float(number.value)), abs(value)) for value in self.computed_numbers):
            return "computed"
        whole = number.value == int(number.value)
        written = statement[number.start : number.end].strip().rstrip("%")
        letters = (
            re.compile(rf"(?<![\w.]){re.escape(written)}(?:[a-zA-Zµ]{{1,3}}(?!\w)|-[a-z])")
            if re.fullmatch(r"[\d.,]{1,20}", written)
            else None
        )
        if letters is not None and number.unit is None and any(letters.search(source.text) for source in self.sources):
            return "passage"
        if number.unit is None and not number.percent and whole:
            years = any(date.year == number.value for source in self.sources for date in source.dates)
            days = any(int(number.value) == day for source in self.sources for _, day in source.days)
            return "passage" if years or days else ""
        return ""

    def version(self, version: str) -> bool:
        """Whether a version occurs, part by part: 3 is carried by 3.10, and 3.1 is not."""
        parts = version.split(".")
        return any(known.split(".")[: len(parts)] == parts for source in self.sources for known in source.dotted)

    def code(self, code: str, *, same_language: bool) -> bool:
        """Whether "5th", "1960s" or "A4" occurs, or its number where the languages differ."""
        if any(code in source.codes for source in self.sources):
            return True
        digits = re.search(r"\d+", code)
        ordinal = bool(re.fullmatch(r"\d+(?:st|nd|rd|th)?", code))
        whole = digits is not None and any(int(digits[0]) in source.whole for source in self.sources)
        return whole and (ordinal or not same_language)

    def name(self, name: str, question: str, *, same: bool = False) -> bool:
        """Whether the sources name what a statement names, in this or in a fuller form.

        Names cannot be compared across scripts: a passage in another language lets those pass that it would write
        in another script. A name of the question is content with another form of itself.
        """
        folded = fold(name).replace("’", "'")
        words, han = name_words(name), is_han(folded)
        pairs = [term for term in terms(name) if len(term) == 2] if han else []
        for source in self.sources:
            if folded in source.text or (han and _mostly(pairs, source.terms)) or is_acronym_of(name, source.initials):
                return True
        known = frozenset().union(*(source.words for source in self.sources)) | frozenset(
            re.findall(r"\w+", self.computed_text)
        )
        countries = frozenset().union(*(source.countries for source in self.sources))
        lands = {key for _, _, key in find_countries(name)}
        if (
            not han
            and words
            and all(
                any(form in known for form in _forms(word)) or _inflected(word, known)
                for word in words
                if not (lands & countries and find_countries(word.capitalize()))
            )
        ):
            return True
        if folded in self.computed_text:
            return True
        if folded in fold(question):
            forms = pairs if han else [word for word in words if len(word) >= 3]
            if any(form in source.terms or form in source.words for form in forms for source in self.sources):
                return True
        foreign = [source for source in self.sources if (source.language == "en") == han]
        return bool(foreign) and (han or not same or folded in fold(question))


def _mostly(pairs: Sequence[str], known: frozenset[str]) -> bool:
    """Whether the pairs of a Chinese name occur, but for one in a name long enough to have been put together."""
    missing = sum(pair not in known for pair in pairs)
    return bool(pairs) and (missing == 0 or (missing == 1 and len(pairs) >= 5 and pairs[0] in known))


def is_acronym_of(name: str, initials: frozenset[str]) -> bool:
    """Whether a name is the initials of one that the sources write out, or the plural of a short abbreviation."""
    letters = name.replace(".", "").removesuffix("s")
    return (
        letters.isupper() and letters.isascii() and 2 <= len(letters) <= 6 and any(letters in run for run in initials)
    )


def _inflected(word: str, known: frozenset[str]) -> bool:
    """Whether the sources have another inflection of a name's word: Democrat and Democratic, Fame and Famer."""
    if len(word) < 5:
        return False
    root = word[: max(4, len(word) - 3)]
    return any(
        other.startswith(root)
        and abs(len(other) - len(word)) <= 3
        and other[:4] == word[:4]
        and min(len(other), len(word)) >= 4
        and (other.startswith(word) or word.startswith(other))
        for other in known
    )


def _forms(word: str) -> tuple[str, ...]:
    """A name's word, its singular and plural and what "'s" leaves."""
    return word, word.removesuffix("s"), f"{word}s"


def same_number(one: NumberSpan, other: NumberSpan, *, about: bool = False) -> bool:
    """Whether two numbers are one quantity; of converted or rounded figures as many digits as are written agree."""
    if one.percent != other.percent:
        return False
    if one.unit == other.unit or not (one.unit and other.unit):
        return _close(float(one.value), float(other.value)) or (
            about and _rounds(float(one.value), 1.0, float(other.value))
        )
    a, b = _base(one), _base(other)
    if a is None or b is None or a[1] != b[1]:
        return False
    return _close(a[0], b[0]) or _rounds(float(one.value), a[0] / float(one.value) if one.value else 1.0, b[0])


def _base(span: NumberSpan) -> tuple[float, str] | None:
    if span.unit in _SECONDS:
        return span.value * _SECONDS[span.unit], "s"
    if span.unit in _MONTHS:
        return span.value * _MONTHS[span.unit], "months"
    return to_base(span)


def to_common_unit(span: NumberSpan) -> tuple[float, str]:
    """A figure in the base unit of its kind, and that unit: "%" for shares, "money" for any one currency."""
    if span.percent:
        return float(span.value), "%"
    if span.unit in {"USD", "EUR", "GBP", "JPY", "HKD", "元"}:
        return float(span.value), "money"
    return _base(span) or (float(span.value), span.unit or "")


def _close(one: float, other: float) -> bool:
    """Equal as far as prose writes numbers: six decimals."""
    return abs(one - other) <= max(5e-7, 1e-9 * max(abs(one), abs(other)))


def _rounds(written: float, scale: float, other: float) -> bool:
    """Whether a figure rounds another: they agree to the digits that are written, at least two.

    Args:
        written: The figure as written.
        scale: What one of its unit is in the unit of the other.
        other: The exact figure.
    """
    if not written or not other:
        return False
    digits = f"{abs(written):.12g}"
    decimals = len(digits.partition(".")[2]) if "e" not in digits else 0
    zeros = len(digits) - len(digits.rstrip("0")) if not decimals and "e" not in digits else 0
    step = max(10.0 ** (zeros - decimals), 0.0) * scale
    return abs(written * scale - other) <= min(0.51 * step, 0.05 * abs(other))


def collect_grounds(passages: Iterable[Evidence], outcomes: Iterable[Outcome] = ()) -> Grounds:
    """What passages and calculations carry together.

    Args:
        passages: The cited passages; their titles count as their words.
        outcomes: The cited calculations.
    """
    numbers: list[float] = []
    dates: list[PartialDate] = []
    said: list[str] = []
    values: list[float] = []
    results: list[str] = []
    for outcome in outcomes:
        _take(outcome.value, values, dates, results)
        _take(outcome.value, numbers, dates, said)
        _take(outcome.detail.computation, numbers, dates, said)
    sources = tuple(_parse(passage.title, passage.text, passage.date) for passage in passages)
    words = tuple(fold(result) for result in results if len(result) > 1)
    return Grounds(sources, tuple(numbers), tuple(dates), fold(" ".join(said)), tuple(values), words)


def _take(value: JsonValue, numbers: list[float], dates: list[PartialDate], said: list[str]) -> None:
    """The numbers, dates and words in a calculation's value or details."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        numbers.append(float(value))
    elif isinstance(value, str):
        said.append(value[:2_000])
        try:
            dates.append(PartialDate.from_iso(value))
        except ValueError:
            numbers.extend(float(span.value) for span in find_numbers(value[:2_000]))
            dates.extend(span.date for span in find_dates(value[:2_000]))
    elif isinstance(value, list | dict):
        for item in list(value.values() if isinstance(value, dict) else value)[:200]:
            _take(item, numbers, dates, said)
