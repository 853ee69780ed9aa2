"""Spreadsheet number formats: a stored number as the cell shows it (ECMA-376, part 1, 18.8.30)."""

from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from re import Match
from typing import Final

from weiwo.text.patterns import lazy

BUILT_IN: Final = {
    **dict(enumerate(("0", "0.00", "#,##0", "#,##0.00"), 1)),
    **dict(enumerate(("0%", "0.00%", "0.00E+00", "# ?/?", "# ??/??"), 9)),
    **dict.fromkeys((14, 15, 16, 17, *range(27, 32), 34, 35, 36, *range(50, 59)), "yyyy-mm-dd"),
    **dict.fromkeys((18, 19, 20, 21, 32, 33, 45, 46, 47), "h:mm:ss"),
    **dict(enumerate(("#,##0", "#,##0", "#,##0.00", "#,##0.00"), 37)),
    22: "yyyy-mm-dd h:mm",
    48: "##0.0E+0",
}
"""The formats that have a number and need not be written out."""

_LITERAL: Final = lazy(r'"([^"]*)"|\\(.)|_.|\*.|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]')
_DIGITS: Final = lazy(r"[0#?][0#?,.]*(?:[0#?]|(?<=[0#?])[,.])*")
_DATE_LETTERS: Final = frozenset("ymdhsYMDHSeEgG年月日时分秒")
_TIME_LETTERS: Final = frozenset("hsHS时分秒")
_LAST_DAY: Final = 2_958_466
_GENERAL: Final = frozenset({"", "general", "@"})


def format_number(text: str, code: str, *, from_1904: bool = False) -> str:
    """A stored number as shown; as it is where it is no number or the format says nothing.

    Args:
        text: The number, as the file writes it.
        code: The format.
        from_1904: Whether days are counted from 1904.
    """
    try:
        value = float(text)
    except ValueError:
        return text
    plain = _format_plain(value, text)
    if code.lower() in _GENERAL or not abs(value) < 1e15:
        return plain
    sections = _split_sections(code)
    section = sections[1] if value < 0 and len(sections) > 1 else sections[0]
    if value == 0 and len(sections) > 2:
        section = sections[2]
    if _is_date(section):
        return _format_date(value, section, from_1904=from_1904) or plain
    return _format_digits(abs(value) if value < 0 and len(sections) > 1 else value, section) or plain


def _format_plain(value: float, text: str) -> str:
    """A number without a format: eleven digits at most, as a cell shows it, so that 0.1 + 0.2 is 0.3 and 13.0 is 13."""
    if not text.strip("-").replace(".", "", 1).isdigit() or len(text) > 11:
        short = f"{value:.12g}"
        return text if "e" in short and "e" not in text.lower() else short
    return text.rstrip("0").rstrip(".") if "." in text else text


@lru_cache(maxsize=1_000)
def _split_sections(code: str) -> list[str]:
    sections, start, quoted = [], 0, False
    for at, letter in enumerate(code):
        quoted ^= letter == '"'
        if letter == ";" and not quoted:
            sections.append(code[start:at])
            start = at + 1
    return [*sections, code[start:]]


@lru_cache(maxsize=1_000)
def _is_date(section: str) -> bool:
    bare = _LITERAL.sub("", section)
    elapsed = any(mark in section.lower() for mark in ("[h", "[m]", "[s"))
    letters = bare.replace("E+", "").replace("E-", "")
    return elapsed or (bool(_DATE_LETTERS & set(letters)) and not set("#?") & set(letters) and "General" not in bare)


def _format_date(value: float, section: str, *, from_1904: bool) -> str:
    """An ISO date, with the time where the format shows one; a time alone where it shows no date."""
    bare = _LITERAL.sub("", section)
    if "[h" in section.lower():
        minutes = round(value * 1_440)
        return f"{minutes // 60}:{minutes % 60:02d}"
    if not 0 <= value < _LAST_DAY:
        return ""
    days = value + 1 if not from_1904 and value < 60 else value  # 1900 was no leap year, but is one to Excel
    moment = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30)  # noqa: DTZ001 - of no zone
    moment += timedelta(seconds=round(days * 86_400))
    timed, dated = bool(_TIME_LETTERS & set(bare)), bool(set("ydYDeE年月日") & set(bare))
    clock = f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"
    if not dated:
        return clock if timed else _format_day(moment, bare)
    return f"{_format_day(moment, bare)} {clock}" if timed else _format_day(moment, bare)


def _format_day(moment: date, bare: str) -> str:
    if not set("dD日") & set(bare) and set("mM月") & set(bare):
        return f"{moment.year}-{moment.month:02d}" if set("yYeE年") & set(bare) else f"{moment:%B}"
    return f"{moment.year}-{moment.month:02d}-{moment.day:02d}" if set("dDmM月日") & set(bare) else f"{moment.year}"


def _format_digits(value: float, section: str) -> str:
    """A number by the digits of a format, its currency, percent and words around it."""
    literal: list[str] = []

    def keep(found: Match[str]) -> str:
        literal.append(next((group for group in found.groups() if group), ""))
        return "\x00"

    bare = _LITERAL.sub(keep, section)
    found = _DIGITS.search(bare)
    if found is None:
        return ""
    digits, before, after = found[0], bare[: found.start()], bare[found.end() :]
    if after[:1] in {"E", "e"} or "/" in after:
        return ""
    number = Decimal(repr(value)) * 100 ** bare.count("%")
    scale = len(digits) - len(digits.rstrip(","))
    whole, _, part = digits.rstrip(",").partition(".")
    number = (number / 1_000**scale).quantize(Decimal(1).scaleb(-len(part)), ROUND_HALF_UP)
    least = part.count("0")
    shown = f"{number:,f}" if "," in whole else f"{number:f}"
    if part and least < len(part):
        kept = shown.rstrip("0")
        point = len(shown) - len(part)
        shown = shown[: max(len(kept), point + least)].rstrip(".")
    sign = "-" if shown.startswith("-") and any(c in "123456789" for c in shown) else ""
    words = iter(literal)
    left = "".join(next(words, "") if letter == "\x00" else letter for letter in before)
    right = "".join(next(words, "") if letter == "\x00" else letter for letter in after)
    return f"{sign}{left}{shown.lstrip('-')}{right}".strip()
