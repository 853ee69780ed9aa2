"""Parse a cell as a single moment: a date, a datetime or a time of day.

A cell is parsed whole or not at all. The order of day, month and year in figures such as 05/04/2024 is an argument,
because only the whole column shows it. The words of a language are rows of `text/data/cell_values.toml`.
"""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Final, NamedTuple

from weiwo.text.cell_text import LONGEST_VALUE
from weiwo.text.data_files import data_synonyms
from weiwo.text.patterns import lazy

_MONTHS: Final = {word: int(month) for word, month in data_synonyms("cell_values", "months").items()}
_HALF_DAYS: Final = {word: int(hour) for word, hour in data_synonyms("cell_values", "half_days").items()}
_TIME: Final = lazy(
    r"(?P<half_before>[^\W\d_]{2})?\s?(?P<hour>\d{1,3})(?:[:h时時点點](?P<minute>\d{1,2})分?"
    r"(?:[:](?P<second>\d{2})(?P<parts>[.,]\d{1,9})?|(?P<second_han>\d{1,2})秒)?)?"
    r"\s?(?P<half>[AaPp]\.?[Mm]\.?|[上下][午])?\s?(?P<zone>Z|UTC|GMT|(?:UTC|GMT)?[-+]\d{1,2}(?::?\d{2})?)?"
    r"(?:\s?(?:h|Uhr|uur|hrs))?"
)
_ISO_DAY: Final = lazy(r"(?P<y>\d{4})\s?[-/.年]\s?(?P<m>\d{1,2})(?:\s?[-/.月]\s?(?P<d>\d{1,2})日?|月)?")
_FIGURES: Final = lazy(r"(?P<a>\d{1,2})(?P<mark>[-/. ])\s?(?P<b>\d{1,2})(?P=mark)\s?(?P<c>\d{4}|\d{2})\.?")
_WEEKDAY: Final = r"(?:[^\W\d_]{2,10}\.?,?\s)?"
_DAY_FIRST: Final = lazy(
    rf"{_WEEKDAY}(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.|er|º)?[-/ .,]{{0,2}}(?:de |of )?"
    r"(?P<m>[^\W\d_]{3,10})\.?(?:[-/ .,]{1,2}(?:de |del )?(?P<y>\d{4}|\d{2}))"
)
_MONTH_FIRST: Final = lazy(
    rf"{_WEEKDAY}(?P<m>[^\W\d_]{{3,10}})\.?[-/ ]?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[-/, ]{{1,2}}(?P<y>\d{{4}})"
)
_MONTH_ONLY: Final = lazy(r"(?P<m>[^\W\d_]{3,10})\.?[-/, ]{1,2}(?P<y>\d{4})")
_SPLIT_CLOCK: Final = lazy(r"(?:T|,?\s|(?<=日))(?=\D{0,3}\d{1,2}[:时時点點h]|\D{0,3}\d{1,2}\s?[AaPp]\.?[Mm])")
_PLAIN_FIGURE: Final = lazy(r"\D?\d{1,40}(?:[.,]\d{1,40})?%?")
_TIMELIKE: Final = lazy(r"[时時点點秒]|\d\s?[AaPp]\.?[Mm]\.?$|\d\s?Uhr$")
DAY_ORDERS: Final = ("dmy", "mdy", "ymd")
"""Orders of day, month and year in figures: in "dmy" order, 05/04/2024 is 5 April."""


class Moment(NamedTuple):
    """A date, a datetime or a time of day, as parsed from a cell."""

    day: str  # ISO date of a day or a month, empty for a time without a date
    clock: float | None  # seconds since midnight, None for a date alone; 24 hours or more is a duration
    zone: float | None  # offset from UTC in seconds, positive in the east; None if no zone is stated


def parse_moment(plain: str, order: str) -> Moment | None:
    """Parse a whole cell from `normalize_cell` as a moment, or return None for any other text.

    "05/04/2024 14:30 +0200" with the order "dmy" → `Moment("2024-04-05", 52200.0, 7200.0)`. `order` is one of
    `DAY_ORDERS` and matters only for dates in figures.
    """
    if len(plain) > LONGEST_VALUE or _PLAIN_FIGURE.fullmatch(plain) or not any(c.isdigit() for c in plain):
        return None
    if ":" in plain or _TIMELIKE.search(plain):
        clock = _clock_of(plain)
        if clock is not None:
            return Moment("", *clock)
    day, clock_text = plain, ""
    if cut := _SPLIT_CLOCK.search(plain):
        day, clock_text = plain[: cut.start()], plain[cut.end() :]
    iso = _day_of(day.strip(" ,"), order)
    if iso is None:
        return None
    if not clock_text:
        return Moment(iso, None, None)
    clock = _clock_of(clock_text)
    return None if clock is None or clock[0] >= 86_400 else Moment(iso, *clock)


def write_moment(moment: Moment) -> str:
    """Return a moment with a date in ISO format: "2024-05-04T12:30:00Z" in UTC if it has a zone, without "Z" if not.

    A moment without a time gives the day or month alone. A time without a date gives an empty string.
    """
    if moment.clock is None or len(moment.day) < 10:
        return moment.day
    when = datetime.fromisoformat(moment.day) + timedelta(seconds=moment.clock)
    if moment.zone is None:
        return when.isoformat()
    when = when.replace(tzinfo=timezone(timedelta(seconds=moment.zone)))
    try:
        return when.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except OverflowError:
        return when.isoformat()


def _clock_of(text: str) -> tuple[float, float | None] | None:
    """Parse a time of day into seconds since midnight and a zone offset: "14:30 +0200" → `(52200.0, 7200.0)`.

    The offset is None if no zone is written. Returns None for any other text.
    """
    found = _TIME.fullmatch(text.strip())
    if found is None or not (found["minute"] or found["half"] or found["half_before"]):
        return None
    half = (found["half"] or found["half_before"] or "").casefold()
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    second = float(found["second"] or found["second_han"] or 0)
    if half:
        if half not in _HALF_DAYS or not 0 < hour <= 12:
            return None
        hour = hour % 12 + _HALF_DAYS[half]
    if minute > 59 or second > 59:
        return None
    parts = float((found["parts"] or "0").replace(",", "."))
    return hour * 3_600 + minute * 60 + second + parts, _offset_of(found["zone"] or "")


def _offset_of(zone: str) -> float | None:
    if not zone:
        return None
    digits = zone.removeprefix("UTC").removeprefix("GMT")
    if not digits or digits == "Z":
        return 0.0
    hours, minutes = ([*digits[1:].split(":"), "0"])[:2] if ":" in digits else (digits[1:3], digits[3:] or "0")
    return (int(hours) * 3_600 + int(minutes) * 60) * (-1.0 if digits[0] == "-" else 1.0)


def _day_of(text: str, order: str) -> str | None:
    """Return the ISO form of a date, to the day or the month, or None for any other text."""
    if found := _ISO_DAY.fullmatch(text):
        return _write_day(found["y"], int(found["m"]), found["d"])
    if found := _FIGURES.fullmatch(text):
        figures = dict(zip(order, (found["a"], found["b"], found["c"]), strict=True))
        if order == "ymd" and (len(found["c"]) == 4 or len(found["a"]) != 2):
            return None
        # Figures with points are day, month and year, unless there is no such day.
        pointed = _write_day(found["c"], int(found["b"]), found["a"]) if found["mark"] in {".", " "} else None
        if pointed:
            return pointed
        return _write_day(figures["y"], int(figures["m"]), figures["d"])
    for pattern in (_DAY_FIRST, _MONTH_FIRST, _MONTH_ONLY):
        found = pattern.fullmatch(text)
        month = _MONTHS.get(found["m"].casefold()) if found else None
        if found and month:
            return _write_day(found["y"], month, found.groupdict().get("d"))
    return None


def _write_day(year: str, month: int, day: str | None) -> str | None:
    number = int(year)
    if len(year) == 2:
        number += 1900 if number >= 50 else 2000
    try:
        whole = date(number, month, int(day or 1))
    except ValueError:
        return None
    return whole.isoformat() if day else whole.isoformat()[:7]
