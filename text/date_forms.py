"""Written forms of a date, English and Chinese, not yet interpreted."""

import re
from typing import Final, NamedTuple

from weiwo.text.data_files import data_pattern
from weiwo.text.numerals import chinese_integer
from weiwo.text.patterns import lazy
from weiwo.text.units import unit_after

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_MONTH_NUMBERS: Final = {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)}
FIRST_BARE_YEAR: Final = 1000
LAST_BARE_YEAR: Final = 2100
"""A bare number from `FIRST_BARE_YEAR` to this can be a year. Outside this range a year needs its era (AD 14)."""


class DateForm(NamedTuple):
    """Text written like a date.

    Attributes:
        start: Offset of the first character.
        end: Offset behind the last character.
        year: The year as written, at least 0, in whatever era.
        month: 1 to 12, if written, not yet checked.
        day: Day of the month, if written, not yet checked.
        first_day: First day of a range of days ("12–14 July 1969").
        era: -1 for BC, 1 for AD, 0 if no era is written.
        certain: Whether the form is a date by itself. If not, only a range can make it one.
        bare: Whether the form is a number and nothing else.
        open: Whether the form is an era and a number without 年, as in 公元前156—前87年.
        han: Whether the form is written the Chinese way.
    """

    start: int
    end: int
    year: int
    month: int | None = None
    day: int | None = None
    first_day: int | None = None
    era: int = 0
    certain: bool = True
    bare: bool = False
    open: bool = False
    han: bool = False


_BEFORE_ERA: Final = r"(?:B\.\s?C\.(?:\s?E\.)?|BCE?|bce?)"
_ERA: Final = rf"(?:{_BEFORE_ERA}|A\.\s?D\.|AD|C\.\s?E\.|CE)(?![A-Za-z])"
_MONTH: Final = (
    r"(?P<month>(?i:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?))\b\.?"
)
_ORDINAL: Final = r"(?:st|nd|rd|th)?"
_DAY: Final = rf"(?P<day>[0-9]{{1,2}}){_ORDINAL}"
_FIRST: Final = rf"(?:(?P<first>[0-9]{{1,2}}){_ORDINAL}\s?[-–—]\s?)?"
_YEAR: Final = (
    rf"(?:(?P<pre>{_ERA})\s{{0,2}})?(?P<year>[0-9]{{1,3}},[0-9]{{3}}|[0-9]{{1,6}})(?![0-9])"
    rf"(?:\s{{0,2}}(?P<post>{_ERA}))?(?![0-9A-Za-z_])(?!\.[0-9])(?!,[0-9]{{3}}(?![0-9]))(?!(?<=0)['’]s\b)"
)
_OF: Final = r"\s{1,3}(?:of\s{1,3})?"
_REGNAL_YEARS: Final = {"民": 1911, "昭": 1925, "平": 1988, "令": 2018, "大": 1911, "明": 1867}
"""The year before the first year of each regnal era, by the first character of the name of the era."""
_REGNAL: Final = "(?:中[华華])?民[国國]|昭和|平成|令和|大正|明治"
_MOST_REGNAL: Final = 200
_NUMERAL: Final = "〇零○一二三四五六七八九十百千"

_ENGLISH: Final = (
    lazy(rf"(?<![0-9]){_FIRST}{_DAY}{_OF}{_MONTH},?\s{{1,3}}{_YEAR}"),
    lazy(rf"(?<![A-Za-z]){_MONTH}\s{{1,3}}{_FIRST}{_DAY}(?:,\s{{1,3}}|,(?=[0-9]{{4}}(?![0-9]))|\s{{1,3}}){_YEAR}"),
    lazy(rf"(?<![A-Za-z]){_MONTH},?{_OF}{_YEAR}"),
    lazy(rf"(?<![0-9A-Za-z_.$€£¥￥#№])(?<![0-9][,:/]){_YEAR}"),
)
_ISO: Final = lazy(
    r"(?<![0-9A-Za-z.-])(?P<year>[0-9]{4})(?:(?P<mark>[-/.])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})"
    r"|-(?P<only>0[1-9]|1[0-2]))(?![0-9]|[-/.][0-9])"
)
_CHINESE: Final = lazy(
    rf"(?<![0-9.,{_NUMERAL}])(?P<pre>(?:公元|西元|纪元|紀元)前?\s?|(?:{_REGNAL})\s?"
    rf"|(?<![以之年月日天目从從当當生空提事战戰午])前\s?)?"
    rf"(?P<year>[0-9]{{1,6}}|[{_NUMERAL}]{{1,9}}|元)\s{{0,2}}(?:(?P<mark>年)(?![代级度份])|(?=\s?[-–—~〜至到]))"
    rf"(?:\s?(?P<month>[0-9]{{1,2}}|[{_NUMERAL}]{{1,3}})\s?月(?![初廿])"
    rf"(?:\s?(?P<day>[0-9]{{1,2}}|[{_NUMERAL}]{{1,3}})\s?[日号號])?)?"
)
_NO_YEAR_AFTER: Final = data_pattern("dates", "no_year_after")
_NO_YEAR_BEFORE: Final = data_pattern("dates", "no_year_before")
_SPAN_AFTER: Final = lazy(r"\s?(?:后|後|前(?![后後])|来|來|间|間|以来|以來|之|历史|歷史|的|里|內|内|多|以上|左右)")
_CLAUSE_BEFORE: Final = lazy(r"(?:^|[，。；：！？\n])\s?$")
_CLAUSE_AFTER: Final = lazy(r"[，在底初末春夏秋冬起]")
_YEAR_MARKED_BEFORE: Final = lazy(r"[于於在自从從至到生卒(（]\s?$")


def date_forms(text: str) -> list[DateForm]:
    """Find all date-like and year-like expressions in a text.

    Args:
        text: Text with ASCII digits.

    Returns:
        The forms in order, including uncertain forms. Where forms overlap, the first is kept, and of several with the
        same start the longest.
    """
    forms = [form for pattern in _ENGLISH for found in pattern.finditer(text) if (form := _english(text, found))]
    forms += [form for found in _ISO.finditer(text) if (form := _iso(found))]
    forms += [form for found in _CHINESE.finditer(text) if (form := _chinese(text, found))]
    forms.sort(key=lambda form: (form.start, -form.end))
    kept: list[DateForm] = []
    for form in forms:
        if not kept or form.start >= kept[-1].end:
            kept.append(form)
    return kept


def _english(text: str, found: re.Match[str]) -> DateForm | None:
    groups = found.groupdict()
    month = groups.get("month")
    if month in {"may", "march"} and not groups.get("day"):
        return None
    era = -1 if (written := groups["pre"] or groups["post"] or "")[:1] in {"B", "b"} else int(bool(written))
    year = int(groups["year"].replace(",", ""))
    bare = not month and not era
    return DateForm(
        start=found.start(),
        end=found.end(),
        year=year,
        month=_MONTH_NUMBERS[month[:3].lower()] if month else None,
        day=_number(groups.get("day")),
        first_day=_number(groups.get("first")),
        era=era,
        certain=bool(era) or _plausible(text, found, year, with_month=bool(month)),
        bare=bare,
    )


def _number(written: str | None) -> int | None:
    if written is None:
        return None
    return int(written) if written.isascii() else chinese_integer(written)


def _plausible(text: str, found: re.Match[str], year: int, *, with_month: bool) -> bool:
    """Report whether a number without an era can be a year at its position: "in 1969", but not "1500 metres"."""
    if "," in found["year"] or not (100 if with_month else FIRST_BARE_YEAR) <= year <= LAST_BARE_YEAR:
        return False
    if with_month and year >= FIRST_BARE_YEAR:
        return True
    if _NO_YEAR_AFTER.match(text, found.end()) or unit_after(text, found.end()):
        return False
    return with_month or not _NO_YEAR_BEFORE.search(text, max(0, found.start() - 16), found.start())


def _iso(found: re.Match[str]) -> DateForm | None:
    year = int(found["year"])
    month = int(found["month"] or found["only"])
    if not FIRST_BARE_YEAR <= year <= LAST_BARE_YEAR or month > 12:
        return None
    return DateForm(found.start(), found.end(), year, month, _number(found["day"]))


def _chinese(text: str, found: re.Match[str]) -> DateForm | None:
    pre = (found["pre"] or "").strip()
    if not found["mark"] and not pre:
        return None
    written = found["year"]
    try:
        year = 1 if written == "元" else _number(written) or 0
        month, day = _number(found["month"]), _number(found["day"])
    except ValueError:
        return None
    if (begun := _REGNAL_YEARS.get(pre.removeprefix("中华").removeprefix("中華")[:1])) is not None:
        # Regnal years: 民國七十八年 is 1989.
        if not found["mark"] or not 0 < year <= _MOST_REGNAL:
            return None
        return DateForm(found.start(), found.end(), begun + year, month, day, certain=True, han=True)
    if not pre and not written.isascii() and (len(written) != 4 or written == "元" or set(written) & set("十百千")):
        return None
    era = (-1 if pre.endswith("前") else 1) if pre else 0
    if not found["mark"]:
        certain = False
    elif pre == "前":
        # 前10年 is more often "the first ten years".
        certain = month is not None or (year >= 10 and (year % 10 != 0 or year >= 100))
    else:
        certain = bool(pre) or _plausible_chinese(text, found, year, with_month=month is not None)
    return DateForm(
        found.start(), found.end(), year, month, day, era=era, certain=certain, open=not found["mark"], han=True
    )


def _plausible_chinese(text: str, found: re.Match[str], year: int, *, with_month: bool) -> bool:
    """Report whether a number before 年 can be a year (1969年), and not a number of years (300年)."""
    if with_month:
        return 100 <= year <= LAST_BARE_YEAR
    if FIRST_BARE_YEAR <= year <= LAST_BARE_YEAR:
        return bool(year % 100) or not _SPAN_AFTER.match(text, found.end())
    if not 100 <= year < FIRST_BARE_YEAR or _SPAN_AFTER.match(text, found.end()):
        return False
    before = max(0, found.start() - 2), found.start()
    opens_clause = year % 100 and _CLAUSE_BEFORE.search(text, *before) and _CLAUSE_AFTER.match(text, found.end())
    return bool(_YEAR_MARKED_BEFORE.search(text, *before) or opens_clause)
