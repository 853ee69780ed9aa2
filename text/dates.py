"""Dates of any era and precision: the value, formatting for prose, and parsing from prose."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import total_ordering
from typing import Final, NamedTuple, Self

from weiwo.state.kinds import Language, has_rules
from weiwo.text.date_forms import FIRST_BARE_YEAR, LAST_BARE_YEAR, MONTHS, DateForm, date_forms
from weiwo.text.patterns import lazy
from weiwo.text.short_text_cache import cache_short_texts
from weiwo.text.units import unit_after

_LAST_YEAR: Final = 99_999
"""The largest year of a date, in either era."""

_ISO: Final = lazy(r"(-?[0-9]{1,5})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")


@total_ordering
@dataclass(frozen=True, slots=True)
class PartialDate:
    """A year, a month of a year, or a day.

    Dates are ordered in time. A year comes before its months, and a month before its days.

    Attributes:
        year: Never 0, and negative for BC: 156 BC is -156.
        month: 1 to 12, or None if only the year is known.
        day: Day of the month, or None if only the month or year is known.

    Raises:
        ValueError: There is no such date, or a day without a month. Before 1583 the leap days of the Julian calendar
            exist too.
    """

    year: int
    month: int | None = None
    day: int | None = None

    def __post_init__(self) -> None:
        if not 0 < abs(self.year) <= _LAST_YEAR:
            raise ValueError(f"there is no year {self.year} (years run from -{_LAST_YEAR} to {_LAST_YEAR}, without 0)")
        if self.month is not None and not 1 <= self.month <= 12:
            raise ValueError(f"there is no month {self.month}")
        if self.day is not None:
            if self.month is None:
                raise ValueError(f"day {self.day} has no month")
            year = self.astronomical
            # Until 1582 the leap days are those of the Julian calendar.
            leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0 or year < 1583)
            longest = 28 + leap if self.month == 2 else 30 + ((self.month + self.month // 8) % 2)
            if not 1 <= self.day <= longest:
                raise ValueError(f"there is no day {self.day} in month {self.month} of year {self.year}")

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, PartialDate):
            return NotImplemented
        return (self.year, self.month or 0, self.day or 0) < (other.year, other.month or 0, other.day or 0)

    @property
    def astronomical(self) -> int:
        """Return the astronomical year, counted with a year 0: 1 BC is 0, 156 BC is -155.

        Differences of astronomical years are numbers of years.
        """
        return self.year if self.year > 0 else self.year + 1

    def iso(self) -> str:
        """Return the data form of the date: "-156", "1969-07", "-100-07-12". Years are not padded."""
        return "-".join((str(self.year), *(f"{part:02}" for part in (self.month, self.day) if part is not None)))

    @classmethod
    def from_iso(cls, text: str) -> Self:
        """Parse the output of `iso`.

        Raises:
            ValueError: The text has another form, or names no date. The message names it.
        """
        found = _ISO.fullmatch(text)
        if found is None:
            raise ValueError(f"{text[:80]!r} is not a date like 1969-07-20, 1969-07, 1969 or -156")
        try:
            return cls(*(None if part is None else int(part) for part in found.groups()))  # type: ignore[arg-type]
        except ValueError as error:
            raise ValueError(f"{text!r} is not a date: {error}") from None

    def ordinal(self) -> int | None:
        """Return the day number in the proleptic Gregorian calendar, or None without a day.

        Day 1 is 1 January AD 1. The result agrees with `datetime.date.toordinal` where that is defined.
        """
        if self.month is None or self.day is None:
            return None
        # Years are counted from March, so that the leap day is the last of its year.
        year = self.astronomical - (self.month < 3)
        day_of_year = (153 * ((self.month + 9) % 12) + 2) // 5 + self.day
        return 365 * year + year // 4 - year // 100 + year // 400 + day_of_year - 306

    def contains(self, other: "PartialDate") -> bool:
        """Report whether `other` equals or lies within this date, as July 1969 lies within 1969."""
        return (
            self.year == other.year
            and self.month in {None, other.month}
            and (self.day is None or self.day == other.day)
        )


class DateSpan(NamedTuple):
    """A date or a range of dates, with the position in the text.

    Attributes:
        start: Offset of the first character.
        end: Offset behind the last character.
        date: The date, or the beginning of the range.
        until: The end of the range. None for a single date.
        approximate: Whether the text says "c.", "about", 约 or the like.
    """

    start: int
    end: int
    date: PartialDate
    until: PartialDate | None = None
    approximate: bool = False


_FIGURES: Final = lazy(r"([0-9]{1,2})([./])([0-9]{1,2})\2([0-9]{4})")
_ASCII: Final = {0xFF10 + digit: 0x30 + digit for digit in range(10)} | str.maketrans("－−―～", "----")
_ABOUT: Final = r"(?:\b(?:circa|ca|c|about|around|approximately|approx|roughly)\b\.?|[~约約]|大概|大约|大約)\s{0,2}"
_ABOUT_BEFORE: Final = lazy(rf"(?i){_ABOUT}$")
_ABOUT_AFTER: Final = lazy(r"\s?(?:左右|前后|前後)")
_RANGE: Final = lazy(rf"(?i)\s{{0,3}}(?:-{{1,2}}|–|——?|~|〜|to|until|till|through|至|到)\s{{0,3}}(?:{_ABOUT})?")
_COORDINATED: Final = lazy(r"(?i)\s{1,3}(?:and|or)\s{1,3}")
_LONGEST_GAP: Final = 24


@cache_short_texts
def find_dates(text: str) -> list[DateSpan]:
    """Find the dates in English, Chinese or mixed text.

    A bare number is a year only from 1000 to 2100, and only if nothing makes it an amount ("1500 metres"). Decades and
    centuries are no dates. An era at the end of a range holds for both ends ("156–87 BC"), unless the range would then
    run backwards.

    Args:
        text: Any text. Time grows linearly with its length.

    Returns:
        Dates and ranges in order, without overlap.
    """
    plain = text.translate(_ASCII)
    forms = date_forms(plain)
    spans: list[DateSpan] = []
    at = 0
    while at < len(forms):
        form = forms[at]
        following = forms[at + 1] if at + 1 < len(forms) else None
        gap = "" if following is None else plain[form.end : min(following.start, form.end + _LONGEST_GAP)]
        span = _range(plain, form, following) if following and _RANGE.fullmatch(gap) else None
        used = 2 if span else _makes_amount(form, following, gap)
        if not used:
            span, used = _single(plain, form), 1
        if span is not None:
            spans.append(span)
        at += used
    return spans


def parse_date(text: str) -> PartialDate:
    """Parse the single date stated by a text: "born in 156 BC" → the year -156.

    Args:
        text: A date in any form `find_dates` knows or `PartialDate.iso` writes, words around it allowed. Several
            mentions are one date if the most precise of them lies within all others ("July 1969, on 20 July 1969").

    Returns:
        The date, as precise as it is written.

    Raises:
        ValueError: The text holds no date, a range, or dates that differ. The message names the text.
    """
    plain = text.translate(_ASCII).strip()
    if _ISO.fullmatch(plain.rstrip(".。")):
        return PartialDate.from_iso(plain.rstrip(".。"))
    if figures := _FIGURES.fullmatch(plain):
        return _from_figures(figures, text)
    spans = find_dates(plain) or _whole(plain.rstrip(".。"))
    if not spans:
        raise ValueError(f"{text[:80]!r} is not a date")
    finest = max((span.date for span in spans), key=lambda date: (date.month is not None, date.day is not None))
    if len(spans) == 1 and spans[0].until is not None:
        raise ValueError(f"{text[:80]!r} is a range, not one date; ask for its beginning or its end")
    if any(span.until is not None or not span.date.contains(finest) for span in spans):
        raise ValueError(f"{text[:80]!r} holds more than one date")
    return finest


def _from_figures(figures: re.Match[str], text: str) -> PartialDate:
    """Parse a date written in figures only.

    With dots, the day comes first ("3.5.1984"), unless only the second figure can be a day. With slashes, "25/12/1984"
    shows which figure is the day, but "3/5/1984" is ambiguous and raises `ValueError`.
    """
    first, second, year = int(figures[1]), int(figures[3]), int(figures[4])
    if figures[2] == "/" and first != second and max(first, second) <= 12:
        raise ValueError(f"{text[:80]!r} may mean month {first} or month {second}; write {year}-{first:02}-{second:02}")
    day, month = (second, first) if second > 12 else (first, second)
    try:
        return PartialDate(year, month, day)
    except ValueError as error:
        raise ValueError(f"{text!r} is not a date: {error}") from None


def format_date(date: PartialDate, language: Language) -> str:
    """Format a date for prose. `parse_date` reads the result back.

    Args:
        date: The date.
        language: "12 July 100 BC" in English, 公元前100年7月12日 in Chinese. In others 2016-05-03, but a year alone,
            and a date before 1000 or after 2100, as in English.

    Returns:
        The date. A year that would not be read as a year by itself (14, 618) gets its era.
    """
    number = abs(date.year)
    marked = not FIRST_BARE_YEAR <= date.year <= LAST_BARE_YEAR
    if language == "zh":
        era = "公元前" if date.year < 0 else "公元" * marked
        month = "" if date.month is None else f"{date.month}月"
        return f"{era}{number}年{month}" + ("" if date.day is None else f"{date.day}日")
    if not has_rules(language) and not marked and date.month is not None:
        return date.iso()
    written = f"{number:,}" if number >= 10_000 else str(number)
    year = f"{written} BC" if date.year < 0 else "AD " * marked + written
    parts = (None if date.day is None else str(date.day), None if date.month is None else MONTHS[date.month - 1], year)
    return " ".join(part for part in parts if part)


def _date(form: DateForm, era: int, day: int | None = None) -> PartialDate | None:
    try:
        return PartialDate(-form.year if era < 0 else form.year, form.month, day or form.day)
    except ValueError:
        return None


def _single(text: str, form: DateForm) -> DateSpan | None:
    if not form.certain:
        return None
    date, until = _date(form, form.era), None
    if form.first_day is not None:
        date, until = _date(form, form.era, form.first_day), date
        if until is None or (date is not None and date > until):
            return None
    return None if date is None else DateSpan(form.start, form.end, date, until, _approximate(text, form))


def _approximate(text: str, form: DateForm) -> bool:
    before = _ABOUT_BEFORE.search(text, max(0, form.start - 16), form.start)
    return before is not None or _ABOUT_AFTER.match(text, form.end) is not None


def _makes_amount(form: DateForm, following: DateForm | None, gap: str) -> int:
    """Return how many of two neighbouring bare numbers are amounts and no years: 0, 1 or 2.

    It is 1 for "1500 to 2000 metres", where the unit of the second makes an amount of the first, and 2 for "555-1936".
    `gap` is the text between the numbers.
    """
    if following is None or not (form.bare and following.bare):
        return 0
    if not following.certain:
        return int(bool(_RANGE.fullmatch(gap) or _COORDINATED.fullmatch(gap)))
    return 0 if form.certain or gap not in {"-", "–"} else 2


def _range(text: str, first: DateForm, last: DateForm) -> DateSpan | None:
    """Return the range from `first` to `last`, or None if an end is no date or the range would run backwards.

    An era written at one end holds for both (`_shared_eras`). "1969 to 72" ends in 1972.
    """
    if first.first_day is not None or last.first_day is not None or (last.bare and unit_after(text, last.end)):
        return None
    if not first.era and not last.era and first.certain and last.month is None and 10 <= last.year < 100:
        last = last._replace(year=first.year - first.year % 100 + last.year, certain=True)
    eras = _shared_eras(first, last)
    if eras is None:
        return None
    date, until = _date(first, eras[0]), _date(last, eras[1])
    if date is None or until is None or date > until:
        return None
    return DateSpan(first.start, last.end, date, until, _approximate(text, first) or _approximate(text, last))


def _shared_eras(first: DateForm, last: DateForm) -> tuple[int, int] | None:
    """Return the eras of both ends of a range (-1 BC, 1 AD, 0 unwritten), or None if the two forms make no range.

    "156–87 BC" gives -1 for both.
    """
    if last.era:
        return first.era or last.era, last.era
    if first.era > 0:
        return 1, 1
    if first.era < 0:
        end = _era_after_bc(first, last)
        return None if end is None else (-1, end)
    written_out = last.han and (first.han or first.bare) and first.year >= 100
    years = first.certain and last.certain
    return (0, 0) if years or (written_out and (first.year % 10 or last.year % 10)) else None


def _era_after_bc(first: DateForm, last: DateForm) -> int | None:
    """Return the era of a range's end that writes none, if the start is BC: -1 BC, 1 AD, None for no range."""
    if first.open:
        return -1 if last.han else None
    if last.certain:
        return 1
    if not last.han:
        return None
    # 前63年－14年 is a life into our era; 公元前221年—207年 would be too long for anything but one before it.
    return -1 if last.year < first.year and first.year + last.year > 200 else 1


def _whole(text: str) -> list[DateSpan]:
    """Return the date that a whole text is, as a list of one, or an empty list.

    Unlike `find_dates`, this takes 618年 for the year 618 and not for a number of years, because a date is expected.
    """
    forms = date_forms(text)
    if len(forms) != 1 or (forms[0].start, forms[0].end) != (0, len(text)):
        return []
    form = forms[0]
    span = _single(text, form._replace(certain=form.han and not form.open and (form.era != 0 or form.year >= 100)))
    return [] if span is None else [span]


_AGO: Final = lazy(
    r"(?i)(?:about |over )?(?P<count>\d{1,3}|an?|one)\s{0,2}"
    r"(?P<unit>min|h(?:ou)?r|day|week|month|year|sec|分钟|小时|天|日|周|个?星期|个?月|年)[a-z]{0,6}\.?\s{0,2}(?:ago|之?前)"
)
_RELATIVE_DAYS: Final = {"today": 0, "just now": 0, "yesterday": 1, "今天": 0, "刚刚": 0, "昨天": 1, "前天": 2}
_UNIT_DAYS: Final = {"day": 1, "天": 1, "日": 1, "week": 7, "周": 7, "星期": 7, "个星期": 7}
_UNIT_MONTHS: Final = {"month": 1, "月": 1, "个月": 1, "year": 12, "年": 12}


def iso_date(text: object, today: date | None = None) -> str | None:
    """Parse a publication date as written by feeds, pages and search providers.

    Args:
        text: ISO 8601, RFC 5322, a date in words or, with `today`, a relative date ("2 days ago", 3天前).
        today: The day from which relative dates count. Without it they are not parsed.

    Returns:
        `YYYY-MM-DD`, shorter if the text states no day. None if the text holds no single date, or a date before the
        year 1000 in words.
    """
    if not isinstance(text, str) or not (text := text.strip()[:_LONGEST_DATE]):
        return None
    try:
        return datetime.fromisoformat(text).date().isoformat()
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(text).date().isoformat()
    except (ValueError, IndexError, OverflowError):
        pass
    if today is not None and (told := _relative_date(text, today)):
        return told
    try:
        found = parse_date(text)
    except ValueError:
        return None
    return found.iso() if found.year >= FIRST_BARE_YEAR else None


_LONGEST_DATE: Final = 100


def _relative_date(text: str, today: date) -> str | None:
    """Return the day of a relative date, or the month if the text counts months or years.

    "2 days ago" on 2024-05-03 → "2024-05-01", and "2 months ago" → "2024-03". None for any other text.
    """
    days = _RELATIVE_DAYS.get(text.lower())
    if days is None:
        if (ago := _AGO.search(text)) is None:
            return None
        count = int(ago["count"]) if ago["count"].isdecimal() else 1
        unit = ago["unit"].lower()
        if (months := _UNIT_MONTHS.get(unit)) is not None:
            month = today.year * 12 + today.month - 1 - months * count
            return f"{month // 12:04}-{month % 12 + 1:02}"
        days = _UNIT_DAYS.get(unit, 0) * count
    return (today - timedelta(days=days)).isoformat()
