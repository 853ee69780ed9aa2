"""Normalize quarters and fiscal years: "third quarter", 第三季度 and Q3 become equal.

The same holds for "fiscal 2025" and FY25.
"""

import re
from typing import Final

from weiwo.text.patterns import lazy

_HINTS: Final = ("quarter", "季", "fy", "fiscal", "financial year", "财")
_QUARTER: Final = lazy(
    r"\b(?:(?P<word>first|second|third|fourth|1st|2nd|3rd|4th) quarter|quarter (?P<number>[1-4]))\b"
    r"|第(?P<ordinal>[一二三四1-4])季度?|(?P<short>[一二三四1-4])季度"
)
_FISCAL: Final = lazy(
    r"\b(?:fy|fiscal(?: year)?|financial year) ?['’]?(?P<latin>\d{4}|\d{2})\b|(?P<han>\d{4}|\d{2})(?:财年|财政年度)"
)
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "一": 1, "二": 2, "三": 3, "四": 4}
_NAMES: Final = {
    "q1": ("first quarter", "第一季度"),
    "q2": ("second quarter", "第二季度"),
    "q3": ("third quarter", "第三季度"),
    "q4": ("fourth quarter", "第四季度"),
}
_SHORT: Final = lazy(r"\bq[1-4](?![0-9a-z])|fy\d{4}")


def normalize_periods(folded: str) -> str:
    """Return a text with quarters written as q3 and fiscal years as fy2025.

    "third quarter" becomes "q3", and "fiscal 2025" becomes "fy2025", each with blanks around it. Text without periods
    is returned unchanged.

    Args:
        folded: Text from `text.language.fold`.
    """
    if not any(hint in folded for hint in _HINTS):
        return folded
    return _FISCAL.sub(_write_year, _QUARTER.sub(_write_quarter, folded))


def list_other_names(folded: str) -> list[str]:
    """Return other ways to write the periods in a text, for a keyword search.

    "q3 revenue" → "third quarter", 第三季度. Empty if the text has no quarter or fiscal year.
    """
    normal = normalize_periods(folded)
    found: list[str] = []
    for period in dict.fromkeys(_SHORT.findall(normal)):
        names = (period, *_NAMES[period]) if period in _NAMES else (period, f"fy{period[-2:]}", f"{period[2:]}财年")
        found += [name for name in names if name not in folded]
    return found


def _write_quarter(found: re.Match[str]) -> str:
    said = found[found.lastgroup or 0]
    return f" q{_ORDINALS.get(said) or said[0]} "


def _write_year(found: re.Match[str]) -> str:
    said = found[found.lastgroup or 0]
    return f" fy{said if len(said) > 2 else f'20{said}'} "
