"""The particulars of a statement that a source has to carry: its numbers, dates and names.

Values are compared, not spellings: 156 BC is 公元前156年, 1.4万 is 14,000, a year is carried by any of its days.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from weiwo.state import Evidence, JsonValue, Outcome
from weiwo.text.dates import DateSpan, PartialDate, find_dates
from weiwo.text.language import HAN, Language, detect_language, fold
from weiwo.text.names import names
from weiwo.text.numbers import NumberSpan, find_numbers, to_base
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms

_DIGITS: Final = lazy(r"[A-Za-z]*-?[0-9]+(?:[A-Za-z0-9]*)")
_FULL_WIDTH: Final = {0xFF10 + d: 0x30 + d for d in range(10)}
_COMMON_START: Final = lazy(
    r"(?i)^(?:.{3,}(?:tion|tions|ment|ments|ness|ings?|ly|ers|ists|ians|ors|ities|ances|ences)|work|construction|sources?|estimates?|"
    r"reports?|accounts?|records?|critics|born|named|known|built|written|founded|visitors|both|since|yes|no|answer|note|"
    r"calculation|result|total|height|length|population|author|director|difference|age)$"
)
_ENGLISH_ORDINALS: Final = {
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
_ORDINAL_WORD: Final = lazy(r"(?i)\b(?:" + "|".join(_ENGLISH_ORDINALS) + r")\b")
_DAY: Final = lazy(r"(?P<m>\d{1,2})月(?P<d>\d{1,2})日")
_MONTHS: Final = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]


@dataclass(frozen=True)
class Grounds:
    """What a set of sources carries.

    Attributes:
        text: All their words, folded.
        passages: Each passage with its language.
        terms: Their content terms.
        dates: Their dates.
        numbers: Their numbers.
        codes: Their digit groups as written, folded.
        whole: Integers they mention in any form, ordinals too.
        computed_numbers: Results of cited calculations.
        computed_dates: Their dates.
    """

    text: str
    passages: tuple[tuple[Evidence, Language], ...]
    terms: frozenset[str]
    dates: tuple[PartialDate, ...]
    numbers: tuple[NumberSpan, ...]
    codes: frozenset[str]
    whole: frozenset[int]
    computed_numbers: tuple[float, ...] = ()
    computed_dates: tuple[PartialDate, ...] = ()
    words: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True)
class _Parts:
    text: str
    language: Language
    terms: frozenset[str]
    dates: tuple[PartialDate, ...]
    numbers: tuple[NumberSpan, ...]
    codes: frozenset[str]
    whole: frozenset[int]


@lru_cache(maxsize=256)
def _parts(title: str, text: str, date: str | None) -> _Parts:
    both = f"{title}\n{text}"
    spans = find_dates(both)
    dates = [d for span in spans for d in (span.date, span.until) if d is not None]
    dates += _days_of_known_year(both, dates, date)
    found = find_numbers(both)
    inside = [(span.start, span.end) for span in spans]
    free = tuple(n for n in found if not _inside(n.start, n.end, inside) or n.unit is not None)
    return _Parts(
        fold(both),
        detect_language(text[:4_000]),
        frozenset(terms(both)),
        tuple(dates),
        free,
        frozenset(_codes(both)),
        frozenset(
            {*(int(n.value) for n in found if n.value == int(n.value)), *_ordinals(both), *(abs(d.year) for d in dates)}
        ),
    )


def _days_of_known_year(text: str, dates: Sequence[PartialDate], published: str | None) -> list[PartialDate]:
    """Days written without a year, for each year the passage names or was published in."""
    years = {d.year for d in dates}
    if published and re.match(r"\d{4}", published):
        years.add(int(published[:4]))
    found: list[PartialDate] = []
    for day in list(_DAY.finditer(text))[:50]:
        for year in sorted(years)[:20]:
            try:
                found.append(PartialDate(year, int(day["m"]), int(day["d"])))
            except ValueError:
                continue
    return found


def collect_grounds(passages: Iterable[Evidence], outcomes: Iterable[Outcome] = ()) -> Grounds:
    """What passages and calculations carry together.

    Args:
        passages: The cited passages; their titles count as their words.
        outcomes: The cited calculations.
    """
    given = list(passages)
    parts = [_parts(p.title, p.text, p.date) for p in given]
    numbers, dates = _of_outcomes(outcomes)
    return Grounds(
        text="\n".join(p.text for p in parts),
        passages=tuple((e, p.language) for e, p in zip(given, parts, strict=True)),
        terms=frozenset().union(*(p.terms for p in parts)),
        dates=tuple(d for p in parts for d in p.dates),
        numbers=tuple(n for p in parts for n in p.numbers),
        codes=frozenset().union(*(p.codes for p in parts)),
        whole=frozenset().union(*(p.whole for p in parts)),
        computed_numbers=tuple(numbers),
        computed_dates=tuple(dates),
        words=frozenset(w for p in parts for w in re.findall(r"\w+", p.text)),
    )


def _of_outcomes(outcomes: Iterable[Outcome]) -> tuple[list[float], list[PartialDate]]:
    """Results and inputs of calculations: their values, and what their details name."""
    numbers: list[float] = []
    dates: list[PartialDate] = []

    def take(value: JsonValue) -> None:
        if isinstance(value, bool) or value is None:
            return
        if isinstance(value, int | float):
            numbers.append(float(value))
        elif isinstance(value, str):
            try:
                dates.append(PartialDate.from_iso(value))
            except ValueError:
                numbers.extend(float(span.value) for span in find_numbers(value[:2_000]))
                dates.extend(span.date for span in find_dates(value[:2_000]))
        elif isinstance(value, list):
            for item in value[:200]:
                take(item)
        elif isinstance(value, dict):
            for item in list(value.values())[:200]:
                take(item)

    for outcome in outcomes:
        take(outcome.value)
        take(outcome.detail.computation)
    return numbers, dates


def _inside(start: int, end: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(a < end and start < b for a, b in spans)


def _codes(text: str) -> Iterable[str]:
    return (found.group().lstrip("-").casefold() for found in _DIGITS.finditer(text.translate(_FULL_WIDTH)))


def _ordinals(text: str) -> set[int]:
    found = {_ENGLISH_ORDINALS[m.group().lower()] for m in _ORDINAL_WORD.finditer(text)}
    found |= {int(m[1]) for m in re.finditer(r"\b(\d{1,6})(?:st|nd|rd|th)\b", text)}
    found |= {int(m[1]) for m in re.finditer(r"第\s?(\d{1,6})", text)}
    for written in re.findall(r"第([一二三四五六七八九十百]{1,5})", text):
        found |= {int(span.value) for span in find_numbers(f"{written}个") if span.value == int(span.value)}
    return found


# --- the statement's side ---


@dataclass(frozen=True)
class Particulars:
    """What a statement states that a source must carry."""

    dates: tuple[DateSpan, ...]
    numbers: tuple[NumberSpan, ...]
    codes: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def empty(self) -> bool:
        """Whether there is nothing of the kind."""
        return not (self.dates or self.numbers or self.codes or self.names)


def find_particulars(statement: str) -> Particulars:
    """The dates, numbers, other digit groups and names of a statement.

    Args:
        statement: One sentence, without citation marks.
    """
    dates = find_dates(statement)
    dated = [(span.start, span.end) for span in dates]
    numbers = [n for n in find_numbers(statement) if not _inside(n.start, n.end, dated)]
    taken = [*dated, *((n.start, n.end) for n in numbers)]
    codes = [
        found.group().lstrip("-").casefold()
        for found in _DIGITS.finditer(statement.translate(_FULL_WIDTH))
        if not _inside(found.start(), found.end(), taken)
    ]
    named = []
    for name in names(statement):
        if _inside(name.start, name.end, dated):
            continue
        alone = name.start <= 2 and " " not in name.text and name.text.isascii()
        if alone and _COMMON_START.match(name.text):
            continue
        named.append(name.text)
    return Particulars(tuple(dates), tuple(numbers), tuple(codes), tuple(named))


def carries_date(ground: Grounds, date: PartialDate) -> str:
    """How the sources carry a date: "passage", "computed" or ""."""
    if any(date.contains(known) for known in ground.dates):
        return "passage"
    if any(date.contains(known) for known in ground.computed_dates):
        return "computed"
    return ""


def carries_number(ground: Grounds, number: NumberSpan) -> str:
    """How the sources carry a number: "passage", "computed" or ""."""
    if any(_equal(number, known) for known in ground.numbers):
        return "passage"
    if any(_close(abs(float(number.value)), abs(value)) for value in ground.computed_numbers):
        return "computed"
    whole = number.value == int(number.value)
    if number.unit is None and not number.percent and whole and any(d.year == number.value for d in ground.dates):
        return "passage"
    return ""


def _equal(one: NumberSpan, other: NumberSpan) -> bool:
    if one.percent != other.percent:
        return False
    if one.unit and other.unit and one.unit != other.unit:
        a, b = to_base(one), to_base(other)
        return a is not None and b is not None and a[1] == b[1] and _close(a[0], b[0])
    return _close(float(one.value), float(other.value))


def _close(one: float, other: float) -> bool:
    """Equal as far as prose writes numbers: six decimals."""
    return abs(one - other) <= max(5e-7, 1e-9 * max(abs(one), abs(other)))


def carries_code(ground: Grounds, code: str, *, same_language: bool) -> bool:
    """Whether "5th", "1960s" or "A4" occurs in the sources, or its number where the languages differ."""
    if code in ground.codes:
        return True
    digits = re.search(r"\d+", code)
    ordinal = bool(re.fullmatch(r"\d+(?:st|nd|rd|th)?", code))
    return digits is not None and (ordinal or not same_language) and int(digits[0]) in ground.whole


def carries_name(ground: Grounds, name: str, question: str) -> bool:
    """Whether the sources name what a statement names, in this or in a fuller form.

    A name of the question is content with another form of itself, and where a calculation is cited with the
    calculation, which is about what the question names. Names can't be compared across scripts: a passage in
    another language lets those pass that it would write in another script.

    Args:
        ground: The sources.
        name: The name.
        question: The user's question.
    """
    folded = fold(name).replace("’", "'")
    if folded in ground.text.replace("’", "'"):
        return True
    words = [w for w in re.findall(r"\w+", folded) if w not in {"the", "of", "and", "a", "de", "von", "van"}]
    han = bool(re.search(f"[{HAN}]", folded))
    pairs = [t for t in terms(name) if len(t) == 2] if han else []
    if han and pairs and all(pair in ground.terms for pair in pairs):
        return True
    if not han and words and all(word in ground.words for word in words):
        return True
    if folded in fold(question):
        forms = pairs if han else [word for word in words if len(word) >= 3]
        calculated = bool(ground.computed_numbers or ground.computed_dates)
        if calculated or any(form in ground.terms or form in ground.words for form in forms):
            return True
    return any((language == "en") == han for _, language in ground.passages)
