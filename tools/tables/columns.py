"""Column types: the cells of a column read as numbers with one unit, as dates, or as text.

A column is of a type where nearly all of its cells are; those that are not are counted and named. What may be read two
ways is not read: day and month that may be changed about, units that differ, numbers that are names.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from weiwo.text.dates import parse_date
from weiwo.text.patterns import lazy

_ColumnType = Literal["number", "date", "text"]

_EMPTY: Final = frozenset(
    {"", "-", "--", "—", "–", "/", "n/a", "na", "n.a.", "null", "none", "nil", "nan", "无", "暂无", "空", "未填", "?"}
)
_SHARE: Final = 0.8
"""Of the cells of a column, how many must be of a type."""
_NUMBER: Final = lazy(
    r"(?P<open>\()?(?P<sign>[-−+])?(?P<before>us\$|[$€£¥￥]|usd|cny|rmb|eur|gbp|人民币)?\s?(?P<inner>[-−])?"
    r"(?P<figure>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s?(?P<scale>百万|千万|万|亿|千|thousand|million|billion|k|m|bn)?"
    r"\s?(?P<unit>[^\W\d_]{0,12}|%|‰|[$€£]|°[cf]|[a-z]{1,6}[/²³][a-z²³]{0,6})(?P<close>\))?"
)
_COMMA: Final = lazy(r"\d{1,3}(?:\.\d{3})*,\d{1,2}|\d{1,3}(?:\.\d{3}){2,}")
_SCALES: Final = {
    "千": 1e3, "万": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8,
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "k": 1e3, "m": 1e6, "bn": 1e9,
}  # fmt: skip
_UNITS: Final = {
    "us$": "$", "usd": "$", "美元": "$", "￥": "¥", "cny": "¥", "rmb": "¥", "人民币": "¥", "元": "¥", "eur": "€",
    "欧元": "€", "gbp": "£", "英镑": "£", "块": "¥",
}  # fmt: skip
_MONEY: Final = frozenset("$¥€£")
_DAY: Final = lazy(
    r"(?P<y>\d{4})\s?[-/.年]\s?(?P<m>\d{1,2})(?:\s?[-/.月]\s?(?P<d>\d{1,2})日?|月)?"
    r"(?P<time>[ T]\d{1,2}:\d{2}(?::\d{2})?)?(?:\.\d+)?(?:z|[+-]\d\d:?\d\d)?",
    re.IGNORECASE,
)
_TURNED: Final = lazy(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})")
_NAMED_NUMBER: Final = lazy(r"0\d+|\d{12,}")


@dataclass
class Column:
    """A column: its name, its type, its cells as values (None where a cell is empty or not of the type)."""

    name: str
    type: _ColumnType = "text"
    unit: str = ""
    values: Sequence[float | str | None] = ()
    empty: int = 0
    unread: int = 0  # cells that are not of the type
    examples: list[str] = field(default_factory=list)  # of those
    mixed: tuple[str, ...] = ()  # units, where there are several


def fold_value(text: str) -> str:
    """A text as values are compared: without case, full width and spare blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def read_column(name: str, cells: Sequence[str]) -> Column:
    """Read a column: as numbers, else as dates, else as text."""
    folded = {cell: fold_value(cell) for cell in set(cells)}
    filled = {cell: plain for cell, plain in folded.items() if plain not in _EMPTY}
    empty = sum(folded[cell] in _EMPTY for cell in cells)
    readers: tuple[Callable[[str, dict[str, str], Sequence[str]], Column | None], ...] = (_read_numbers, _read_dates)
    for read in readers:
        if filled and (column := read(name, filled, cells)) is not None:
            column.empty = empty
            return column
    return Column(name, values=[filled.get(cell) for cell in cells], empty=empty)


def _read_numbers(name: str, filled: dict[str, str], cells: Sequence[str]) -> Column | None:
    if any(_NAMED_NUMBER.fullmatch(plain) for plain in filled.values()):
        return None
    comma = [plain for plain in filled.values() if _COMMA.fullmatch(plain.strip("€$£ "))]
    european = bool(comma) and not any(re.search(r"\d\.\d{1,2}$|,\d{3}\b", plain) for plain in filled.values())
    found = {cell: parse_amount(plain, european=european) for cell, plain in filled.items()}
    good = {cell: amount for cell, amount in found.items() if amount is not None}
    units = tuple(sorted({unit for _, unit in good.values()}))
    column = _typed(name, "number", {cell: amount for cell, (amount, _) in good.items()}, filled, cells)
    if column is not None and len(units) > 1:
        if len(units) > 6:  # figures that begin names, not amounts: "3 Elm Street"
            return None
        column.mixed = units
    elif column is not None:
        column.unit = units[0]
    return column


def parse_amount(plain: str, *, european: bool = False) -> tuple[float, str] | None:
    """A number and its unit, as a folded cell writes them; None of anything else."""
    if european:
        plain = plain.replace(".", "").replace(",", ".")
    found = _NUMBER.fullmatch(plain) if len(plain) <= 60 else None
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    unit = found["before"] or found["unit"] or ""
    unit = _UNITS.get(unit, unit)
    scale = found["scale"] or ""
    if scale in {"k", "m", "bn"} and unit not in _MONEY:
        if found["unit"]:
            return None
        unit, scale = scale, ""
    amount = float(found["figure"].replace(",", "")) * _SCALES.get(scale, 1.0)
    negative = found["open"] or found["sign"] in {"-", "−"} or found["inner"]
    return float(f"{-amount if negative else amount:.15g}"), unit


def _read_dates(name: str, filled: dict[str, str], cells: Sequence[str]) -> Column | None:
    turned = [found for plain in filled.values() if (found := _TURNED.fullmatch(plain))]
    day_first = any(int(one[1]) > 12 for one in turned)
    month_first = any(int(one[2]) > 12 for one in turned)
    if day_first and month_first:
        return None
    order = "dm" if day_first else "md" if month_first else ""
    days = {cell: day for cell, plain in filled.items() if (day := _read_date(plain, order)) is not None}
    return _typed(name, "date", days, filled, cells)


def _read_date(plain: str, order: str) -> str | None:
    """A date in ISO form; one in figures whose first is the day or the month only where the column tells which."""
    if found := _DAY.fullmatch(plain):
        month, day = int(found["m"]), int(found["d"] or 1)
        if not (1 <= month <= 12 and 1 <= day <= 31):
            return None
        tail = f"-{day:02d}{(found['time'] or '').upper().replace(' ', 'T')}" if found["d"] else ""
        return f"{found['y']}-{month:02d}{tail}"
    if found := _TURNED.fullmatch(plain):
        if not order or len(found[3]) == 2:
            return None
        day, month = (int(found[1]), int(found[2])) if order == "dm" else (int(found[2]), int(found[1]))
        return f"{found[3]}-{month:02d}-{day:02d}" if 1 <= month <= 12 else None
    if len(plain) > 40 or not re.search(r"\d{4}", plain) or not re.search(r"[a-z年]", plain):
        return None
    try:
        date = parse_date(plain)
    except ValueError:
        return None
    return date.iso() if date.year > 0 and date.month is not None else None


def _typed(
    name: str, kind: _ColumnType, good: dict[str, float] | dict[str, str], filled: dict[str, str], cells: Sequence[str]
) -> Column | None:
    """A column of a type, where enough of its cells are."""
    known: dict[str, float | str] = {**good}
    values = [known.get(cell) for cell in cells]
    wrong = [cell for cell in cells if cell in filled and cell not in known]
    if not known or len(wrong) > (1 - _SHARE) * (len(cells) - sum(cell not in filled for cell in cells)):
        return None
    return Column(name, kind, values=values, unread=len(wrong), examples=list(dict.fromkeys(wrong))[:3])
