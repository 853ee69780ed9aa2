"""Dates of spreadsheets: serial numbers of days, rendered by a section of a format code or in ISO format."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final

from weiwo.text.numerals import write_chinese_integer
from weiwo.tools.tables.format_code import NATIVE_DIGITS, FormatSection, FormatToken

_LAST_DAY: Final = 2_958_466
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ERAS: Final = (
    (date(2019, 5, 1), "令和", "R"),
    (date(1989, 1, 8), "平成", "H"),
    (date(1926, 12, 25), "昭和", "S"),
    (date(1912, 7, 30), "大正", "T"),
    (date(1868, 1, 25), "明治", "M"),
)
_LANGUAGES: Final = {0x00: "en", 0x09: "en", 0x04: "zh", 0x11: "ja", 0x12: "ko"}
"""Languages whose names of months and days this module knows, by Windows' primary language identifier."""
_TAIWAN: Final = 0x0404


def read_serial(value: float | Decimal, *, date_1904: bool = False) -> datetime | None:
    """Convert a spreadsheet's serial number of days to a datetime: 45352 → 1 March 2024.

    Returns None for a number that is no date. The result is rounded to the millisecond. 29 February 1900, which Excel
    counts as a day although it did not exist, gives None.

    Args:
        value: Days since the start of 1900, or of 1904.
        date_1904: Whether days are counted from 1904.
    """
    days = float(value)
    if not 0 <= days < _LAST_DAY - (1_462 if date_1904 else 0) or (not date_1904 and 60 <= days < 61):
        return None
    start = datetime(1904, 1, 1) if date_1904 else datetime(1899, 12, 30 + (days < 60))  # noqa: DTZ001 - of no zone
    # Serial numbers are exact to about a microsecond, and dates are meant in milliseconds: so round.
    return start + timedelta(milliseconds=round(days * 86_400_000))


class DateText:
    """Renderer of serial numbers of days in the form of a format code's section, like "d. mmmm yyyy"."""

    def __init__(self, section: FormatSection) -> None:
        self._section = section
        self._language = _LANGUAGES.get(section.language & 0x3FF, "")

    def render(self, days: float, *, date_1904: bool) -> str | None:
        """Render a number of days as date text.

        Returns None if the number is not a date, or if the names of the language are not known.
        """
        tokens = self._section.tokens
        letters = {token.text for token in tokens if token.kind == "letter"}
        named = any(set(text) <= {"a"} or (text[0] in "dm" and len(text) > 2) for text in letters)
        timed = letters <= {"h", "hh", "n", "nn", "s", "ss"}
        elapsed = "elapsed" in self._section.kinds
        if named and not self._language:
            return None
        if (days < 0 and not (elapsed and timed)) or abs(days) > 1e9:
            return None
        places = max((len(token.text) for token in tokens if token.kind == "parts"), default=0)
        seconds = letters & {"s", "ss"} or any(token.text[0] == "s" for token in tokens if token.kind == "elapsed")
        # A time without seconds is cut off, not rounded up to the next minute.
        ticks = round(abs(days) * 86_400 * 10**places) if seconds else round(abs(days) * 86_400_000) // 1_000
        self._seconds, self._parts = ticks // 10**places, str(ticks % 10**places).zfill(places)
        serial = self._seconds / 86_400
        self._lotus = not date_1904 and 60 <= serial < 61
        moment = read_serial(serial, date_1904=date_1904)
        if moment is None and not timed and not self._lotus:
            return None
        self._moment = moment or datetime(1900, 2, 28)  # noqa: DTZ001 - of no zone
        self._twelve = any(token.kind == "half" for token in tokens)
        shown = "".join(map(self._show, tokens))
        return f"-{shown}" if days < 0 and self._seconds else shown

    def _show(self, token: FormatToken) -> str:
        if token.kind == "elapsed":
            unit = {"h": 3_600, "m": 60, "s": 1}[token.text[0]]
            return str(self._seconds // unit).zfill(len(token.text))
        if token.kind == "half":
            late = self._seconds % 86_400 >= 43_200
            return ("上午", "下午")[late] if self._language == "zh" else token.text.split("/")[late]
        if token.kind == "parts":
            return f".{self._parts}"
        if token.kind == "letter":
            return self._show_letter(token.text)
        return token.text

    def _show_letter(self, text: str) -> str:
        moment, clock, letter = self._moment, self._seconds % 86_400, text[0]
        hour = clock // 3_600
        counts = {"h": (hour % 12 or 12) if self._twelve else hour, "n": clock % 3_600 // 60, "s": clock % 60}
        if len(text) < 3:
            counts |= {"d": 29 if self._lotus else moment.day, "m": moment.month}
        if letter in counts:
            return self._count(counts[letter], min(len(text), 2))
        match letter:
            case "d" | "a":
                return self._name_day(moment.weekday(), short=len(text) == 3)
            case "m":
                return self._name_month(moment.month, len(text))
            case "g":
                return self._name_era(len(text))
        return self._show_year(text)

    def _count(self, number: int, width: int) -> str:
        native = self._section.native
        if native == 1:
            return write_chinese_integer(number) if number else "〇"
        shown = str(number).zfill(width)
        return "".join(NATIVE_DIGITS[native][int(c)] for c in shown) if native else shown

    def _show_year(self, text: str) -> str:
        year = self._moment.year
        if text[0] == "e" and self._section.language == _TAIWAN:
            year -= 1911
        elif text[0] == "e" and any(token.text.startswith("g") for token in self._section.tokens):
            year -= self._find_era()[0].year - 1
        elif text[0] == "b":
            year += 543
        shown = f"{year % 100:02d}" if text[0] in "yb" and len(text) <= 2 else str(year)
        native = self._section.native
        return "".join(NATIVE_DIGITS[native][int(c)] for c in shown) if native else shown

    def _find_era(self) -> tuple[date, str, str]:
        day = self._moment.date()
        return next((era for era in _ERAS if era[0] <= day), _ERAS[-1])

    def _name_era(self, width: int) -> str:
        if self._language != "ja":
            return {"zh": "公元"}.get(self._language, "AD")
        _, name, letter = self._find_era()
        return letter if width == 1 else name[0] if width == 2 else name

    def _name_day(self, day: int, *, short: bool) -> str:
        match self._language:
            case "zh":
                return f"{'周' if short else '星期'}{'一二三四五六日'[day]}"
            case "ja":
                return "月火水木金土日"[day] + "曜日" * (not short)
            case "ko":
                return "월화수목금토일"[day] + "요일" * (not short)
        return _DAYS[day][:3] if short else _DAYS[day]

    def _name_month(self, month: int, width: int) -> str:
        if self._language == "zh":
            return f"{month}月" if width == 3 else f"{write_chinese_integer(month)}月"
        if self._language in {"ja", "ko"}:
            return f"{month}{'月' if self._language == 'ja' else '월'}"
        name = _MONTHS[month - 1]
        return name[:3] if width == 3 else name[:1] if width == 5 else name


class IsoDate:
    """Renderer of serial numbers of days in ISO format: 2024-03-01, 2024-03, 09:05.

    Only those of year, month, day and time are written that the section of the format code shows.
    """

    def __init__(self, section: FormatSection) -> None:
        self._section = section

    def parts(self) -> tuple[str, bool]:
        """Return the date letters shown by the section, e.g. "ym", and whether a time of day is shown."""
        letters = {token.text[0] for token in self._section.tokens if token.kind == "letter"}
        letters = {{"e": "y", "b": "y", "a": "d"}.get(letter, letter) for letter in letters}
        clock = bool(letters & {"h", "n", "s"})
        return "".join(letter for letter in "ymd" if letter in letters), clock

    def render(self, days: float, *, date_1904: bool) -> str | None:
        """Render a serial number of days.

        Returns None if the number is not a date.
        """
        shown, clock = self.parts()
        moment = read_serial(round(days * 86_400) / 86_400 if clock else days, date_1904=date_1904)
        if moment is None:
            return None
        time = (f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}") if clock else ""
        if shown == "m":
            return f"{_MONTHS[moment.month - 1]} {time}".strip()
        day = "" if not shown else moment.date().isoformat()
        day = day[:4] if shown == "y" else day[:7] if shown == "ym" else day
        return f"{day} {time}".strip()
