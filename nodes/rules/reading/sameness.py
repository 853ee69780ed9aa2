"""Whether two sources that state a value state one value, or contradict each other, or neither.

Between the two lies most of what differs: a year and a day in it, a figure and its rounding, the population of one
year and of another, two of several authors, a name in another script. Those neither support nor contradict.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nodes.rules.reading.asked import Asked
from nodes.rules.reading.requests import converted
from nodes.rules.reading.wants import asks_year
from state import JsonValue
from text.dates import PartialDate, find_dates
from text.language import HAN, fold
from text.numbers import find_numbers
from text.patterns import lazy
from text.units import to_si

ABOUT_YEARS: Final = 2
"""Years by which two dates may differ where one is said to be approximate."""

ABOUT: Final = 0.05
"""Share by which two figures may differ where one is said to be approximate."""

MEASURED: Final = 0.005
"""Share by which two measurements of a length, mass or area may differ."""

_CALENDARS: Final = (range(1582, 1924), frozenset(range(10, 14)))
"""Years in which countries counted days differently, and by how many (Julian and Gregorian calendar)."""

_EXCLUSIVE: Final = frozenset({"father", "mother", "grandfather", "capital", "successor", "predecessor"})
"""Relations of which a thing has one value: others may have several, each source telling of one."""

_CHANGING: Final = frozenset({"people", "age", "money"})
_HEADS: Final = frozenset({"", "person"})
"""Units of a count of people: "a population of 5,200" counts what "5,200 inhabitants" does."""

_OF_MONEY_OR_PEOPLE: Final = lazy(
    r"(?i)\b(?:population|inhabitants|people|revenue|budget|profit|price|cost|gdp|members|staff|employees|students|visitors)\b"
    r"|人口|人数|多少人|营收|收入|利润|价格|售价|票房|产值|员工|会员|游客"
)
_WORD: Final = lazy(r"\w+")
_HAN: Final = lazy(f"[{HAN}]")
_SMALL: Final = lazy(r"the|of|and|de|la|le|du|von|van|der|den|di|da|[js]r")


@dataclass(frozen=True)
class Stated:
    """A value as a source states it.

    Attributes:
        value: The value in its data form.
        sentence: The sentence that carries it.
        unit: Its unit, where it is known.
        approximate: Whether it is given roughly.
        published: The date of the passage, where it is known.
    """

    value: JsonValue
    sentence: str = ""
    unit: str = ""
    approximate: bool = False
    published: str = ""

    def in_unit(self, unit: str) -> JsonValue:
        """The value in another unit; None where that cannot be."""
        if not isinstance(self.value, int | float) or isinstance(self.value, bool) or unit == self.unit or not unit:
            return self.value
        if {unit, self.unit} <= _HEADS:
            return self.value
        return converted(self.value, self.unit, unit) if self.unit else None

    @property
    def figure(self) -> float:
        """A number, in the base unit of what it measures where that is known."""
        figure = float(self.value) if isinstance(self.value, int | float) else math.nan
        base = to_si(figure, self.unit) if self.unit else None
        return base[0] if base else figure


def unit_in(sentence: str, value: JsonValue) -> str:
    """The unit that a number has in a sentence; "" where it has none there."""
    return next((span.unit or "" for span in find_numbers(sentence) if span.value == value), "")


def same(asked: Asked, one: Stated, other: Stated) -> bool:
    """Whether two statements give one value, to different precision or in different words at most.

    Args:
        asked: What was asked.
        one: A statement.
        other: Another.
    """
    about = one.approximate or other.approximate
    a, b = one.value, other.value
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        if asks_year(asked.text):
            return a == b or (about and abs(a - b) <= ABOUT_YEARS)
        return _same_figure(one, other, about=about)
    dates = _date(a, asked), _date(b, asked)
    if dates[0] and dates[1]:
        return _same_date(dates[0], dates[1], about=about)
    return _same_text(str(a), str(b))


def contradicts(asked: Asked, value: Stated, other: Stated) -> bool:
    """Whether another statement cannot be true where the value is.

    Args:
        asked: What was asked.
        value: The value.
        other: A statement of another source.
    """
    a, b = value.value, other.value
    if isinstance(a, bool) or isinstance(b, bool) or same(asked, value, other) or carries(other.sentence, value):
        return False
    if isinstance(a, int | float) and isinstance(b, int | float):
        units = {value.unit, other.unit}
        if "" in units and not units <= _HEADS and not asks_year(asked.text):
            return False
        return asks_year(asked.text) or _of_one_time(asked, value, other)
    if _date(a, asked) and _date(b, asked):
        return True
    one_script = bool(_HAN.search(str(a))) == bool(_HAN.search(str(b)))
    return one_script and asked.relation is not None and asked.relation.name in _EXCLUSIVE


def carries(sentence: str, value: Stated) -> bool:
    """Whether a sentence states a value, beside whatever else it states.

    Args:
        sentence: The sentence.
        value: The value.
    """
    data = value.value
    if isinstance(data, bool):
        return False
    if isinstance(data, int | float):
        years = [float(span.date.year) for span in find_dates(sentence)]
        return any(math.isclose(data, number) for number in (*years, *(s.value for s in find_numbers(sentence))))
    date = _iso(data)
    if date is not None:
        return any(_same_date(date, span.date, about=False) for span in find_dates(sentence))
    return fold(str(data)) in fold(sentence)


def _iso(value: JsonValue) -> PartialDate | None:
    try:
        return PartialDate.from_iso(str(value))
    except ValueError:
        return None


def _date(value: JsonValue, asked: Asked) -> PartialDate | None:
    """The date that a value is; a text is read as one only where a date was asked for."""
    if found := _iso(value):
        return found
    spans = find_dates(str(value)) if asked.kind == "date" else []
    return spans[0].date if len(spans) == 1 and spans[0].until is None else None


def _same_date(one: PartialDate, other: PartialDate, *, about: bool) -> bool:
    if one.contains(other) or other.contains(one):
        return True
    if about and abs(one.astronomical - other.astronomical) <= ABOUT_YEARS:
        return True
    days = one.ordinal(), other.ordinal()
    years, apart = _CALENDARS
    return days[0] is not None and days[1] is not None and one.year in years and abs(days[0] - days[1]) in apart


def _same_figure(one: Stated, other: Stated, *, about: bool) -> bool:
    x, y = one.figure, other.figure
    if math.isclose(x, y, rel_tol=1e-9) or _rounds(x, y) or _rounds(y, x):
        return True
    largest = max(abs(x), abs(y))
    measured = all(stated.unit and to_si(1, stated.unit) for stated in (one, other))
    return (about and abs(x - y) <= ABOUT * largest) or (measured and abs(x - y) <= MEASURED * largest)


def _rounds(exact: float, coarse: float) -> bool:
    """Whether a figure of at least two digits is another, rounded."""
    digits = len(f"{coarse:.12g}".replace(".", "").replace("-", "").strip("0"))
    return digits >= 2 and math.isclose(float(f"{exact:.{digits}g}"), coarse, rel_tol=1e-9)


def _same_text(one: str, other: str) -> bool:
    """Whether two names are one: equal when folded, one within the other, or one with initials for given names."""
    a, b = fold(one).strip("《》“”\"'"), fold(other).strip("《》“”\"'")
    if a == b:
        return True
    if _HAN.search(a) and _HAN.search(b):
        short, long_ = sorted((a, b), key=len)
        return len(short) >= 2 and short in long_
    return _names_one(_name_words(a), _name_words(b))


def _name_words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if not _SMALL.fullmatch(word)]


def _names_one(one: Sequence[str], other: Sequence[str]) -> bool:
    few, many = sorted((one, other), key=len)
    if not few or (len("".join(few)) < 3):
        return False
    if set(few) <= set(many):
        return True
    rest = iter(many)
    return few[-1] == many[-1] and all(any(_initial(word, full) for full in rest) for word in few)


def _initial(word: str, full: str) -> bool:
    return word == full or (1 in {len(word), len(full)} and word[0] == full[0])


def _of_one_time(asked: Asked, one: Stated, other: Stated) -> bool:
    """Whether two figures may be of one year: what grows and shrinks is not contradicted by last year's figure.

    A figure without a year is not of the year that another names; but that a page has a date and the other has none
    says nothing of the figures.
    """
    said = [{span.date.year for span in find_dates(stated.sentence)} for stated in (one, other)]
    changing = (asked.relation is not None and asked.relation.measure in _CHANGING) or bool(
        _OF_MONEY_OR_PEOPLE.search(asked.text)
    )
    if changing:
        years = [named or _published(stated) for named, stated in zip(said, (one, other), strict=True)]
        if all(years):
            return bool(years[0] & years[1])
    return bool(said[0] & said[1]) or not (said[0] or said[1])


def _published(stated: Stated) -> set[int]:
    return {int(stated.published[:4])} if re.match(r"\d{4}", stated.published) else set()
