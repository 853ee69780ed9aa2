"""Totals of a table, found by arithmetic.

A total holds the sum or the mean of rows above, below or beside it. A row is a total if two signs agree: the arithmetic
holds within rounding, and its name, bold type, an empty key, a rule or a blank row says so. A formula that sums cells
of its own column is enough alone. A row is in doubt if the arithmetic alone holds, over several rows, or if its name
may also be the name of a thing: figures are then given with it and without.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from weiwo.text.data_files import data_pattern
from weiwo.text.patterns import lazy

_NAMED: Final = data_pattern("tables", "totals", "names")
_FORMULA: Final = lazy(
    r"(?is)\s*\+?(?:SUM|SUBTOTAL|AVERAGE|AGGREGATE)\s*\((?:\s*\d{1,3}\s*[,;]){0,2}\s*\$?([A-Z]{1,3})\$?(\d{1,7})\s*:"
    r"\s*\$?([A-Z]{1,3})\$?(\d{1,7})\s*\)\s*"
)
_MOST_CANDIDATES: Final = 2_000
_LONGEST_RUN: Final = 2_000
_FEWEST_ALONE: Final = 3
"""Minimum number of rows whose sum stands in the last row for that row to be doubtful without another sign of a total.
"""

Standing = Literal["total", "doubtful"]


@dataclass(frozen=True, slots=True)
class BodyRow:
    """Row of a table body with the signs of a total.

    Attributes:
        key: Texts of the cells that contain a word for a total, joined. Empty if no cell does.
        number: Number of the row in its sheet, as formulas count.
        bold: All filled cells are bold.
        ruled: A rule or a blank row sets the row apart.
        empty_key: A cell of a text column is empty, which at least three quarters of the rows fill.
        formulas: Formulas of the cells.
    """

    key: str
    number: int
    bold: bool = False
    ruled: bool = False
    empty_key: bool = False
    formulas: tuple[str, ...] = ()


@dataclass(slots=True)
class _Walk:
    """Rows passed on a walk through a table, downwards or upwards."""

    base: list[int] = field(default_factory=list)  # indexes of the rows passed that are not totals
    since: int = 0  # length of `base` at the last total


def is_total_name(text: str) -> bool:
    """Report whether a text contains a word for a total or a mean."""
    return not text.startswith("=") and bool(_NAMED.search(text[:200]))


def find_totals(
    size: int, candidates: Mapping[int, BodyRow], columns: Sequence[Sequence[float | None]]
) -> dict[int, Standing]:
    """Find the totals among the rows of a table.

    Args:
        size: Number of rows.
        candidates: Rows that may be totals, by index: those with a sign, and the last.
        columns: Numbers of each number column, None where a cell has none.

    Returns:
        "total" or "doubtful" for each total and possible total, by index. Ordinary rows are missing.
    """
    bold_rows = sum(row.bold for row in candidates.values())
    plain_bold = bold_rows * 2 > size  # type that most rows have says nothing
    found: dict[int, Standing] = {}
    few = dict(sorted(candidates.items())[:_MOST_CANDIDATES])
    summed = {at for at, row in few.items() if _sums_column(row)}
    for down in (True, False):
        walk = _Walk()
        passed = -1 if down else size
        for at in sorted(few, reverse=not down):
            walk.base += range(passed + 1, at) if down else range(passed - 1, at, -1)
            passed = at
            if at in summed or found.get(at) == "total":
                found[at] = "total"
                walk.since = len(walk.base)
                continue
            row = few[at]
            span = _match(at, row, walk, columns)
            if span:
                last = at == (size - 1 if down else 0)
                standing = _judge(row, span, last=last, bold=row.bold and not plain_bold, whole=span == len(walk.base))
                if standing is not None and (down or not found.get(at)):
                    found[at] = standing
                    if standing == "total":
                        walk.since = len(walk.base)
                        continue
            walk.base.append(at)
    return _settle(found, few, size)


def _judge(row: BodyRow, span: int, *, last: bool, bold: bool, whole: bool) -> Standing | None:
    """Judge a row with figures equal to the sum or mean of `span` adjacent rows.

    Args:
        row: The row and its signs.
        span: Number of the rows that add up to the row.
        last: Whether the row is the last in walking order.
        bold: Whether bold type is a sign in this table and the row has it.
        whole: Whether the span covers all rows passed so far.

    Returns:
        "total", "doubtful", or None if the row counts as an ordinary row.
    """
    named = is_total_name(row.key)
    if named or bold or (row.ruled and last) or row.empty_key:
        return "total" if span > 1 or named else None
    return "doubtful" if last and whole and span >= _FEWEST_ALONE else None


def _settle(found: dict[int, Standing], rows: Mapping[int, BodyRow], size: int) -> dict[int, Standing]:
    """Return `found` with a total that may be accidental made doubtful.

    It may be if it is the only total of the table, has rows above and below, and nothing but its name says total. A
    company called Total may earn what the two above it earn together.
    """
    totals = [at for at, standing in found.items() if standing == "total"]
    settled = dict(found)
    for at in totals:
        row = rows[at]
        signs = bool(row.formulas and _sums_column(row)) + row.bold + row.empty_key + row.ruled
        lone = len(totals) == 1 and 0 < at < size - 1
        if lone and not signs and is_bare_name(row.key):
            settled[at] = "doubtful"
    return settled


def is_bare_name(key: str) -> bool:
    """Report whether a text is nothing but a word for a total: "Total", but not "Total Energies".

    Such a text may also be a name, as of the company Total.
    """
    return not re.sub(r"[\W_]+", "", _NAMED.sub("", key))


def _sums_column(row: BodyRow) -> bool:
    """Report whether a formula of a row sums cells of other rows in the same column."""
    for formula in row.formulas:
        match = _FORMULA.fullmatch(formula[:200])
        if match is None or match[1].upper() != match[3].upper():
            continue
        first, last = sorted((int(match[2]), int(match[4])))
        if last > first and not first <= row.number <= last:
            return True
    return False


def _match(at: int, row: BodyRow, walk: _Walk, columns: Sequence[Sequence[float | None]]) -> int:
    """Return the number of rows directly before a row (in walking order) that add up to the row, or 0.

    The rows add up if their sums or means equal at least half of the row's figures.
    """
    base = walk.base
    if not base:
        return 0
    figures = [(column, value) for column in columns if (value := column[at]) is not None]
    if not any(value for _, value in figures):
        return 0
    means = is_total_name(row.key) or row.bold  # rows alike are each other's mean
    spans: list[int] = [len(base) - walk.since, len(base), *range(2, min(len(base), _LONGEST_RUN))]
    sums: dict[int, list[bool]] = {}
    for column, value in figures:
        for span in _find_spans(column, value, base, means=means):
            sums.setdefault(span, []).append(value != 0)
    for span in spans:
        agreeing = sums.get(span, [])
        if span > 0 and any(agreeing) and len(agreeing) * 2 >= len(figures):
            return span
    return 0


def _find_spans(column: Sequence[float | None], value: float, base: Sequence[int], *, means: bool) -> list[int]:
    """Return the numbers of rows at the end of `base` that add up to `value` in a column: `[2]` if the last two do.

    With `means`, numbers of rows with a mean equal to `value` count too. Empty if none fit.

    Args:
        column: The numbers of the column, by row. None where a cell has none.
        value: The figure to explain.
        base: Indexes of the rows that may add up, in walking order.
        means: Whether means count.
    """
    found: list[int] = []
    total, count, decimals = 0.0, 0, _count_decimals(value)
    rough = False
    for span, row in enumerate(reversed(base[-_LONGEST_RUN:]), 1):
        addend = column[row]
        if addend is not None:
            total += addend
            count += 1
            rough = rough or _count_decimals(addend) > decimals
        slack = max(1e-9 * max(abs(value), abs(total)), 0.51 * 10.0**-decimals if rough else 0.0)
        if count and (
            abs(total - value) <= slack or (means and count > 1 and _is_mean(total / count, value, decimals))
        ):
            found.append(span)
    if len(base) > _LONGEST_RUN:
        numbers = [number for row in base if (number := column[row]) is not None]
        total = math.fsum(numbers)
        slack = max(1e-9 * abs(total), 0.51 * 10.0**-decimals)
        if abs(total - value) <= slack or (means and numbers and _is_mean(total / len(numbers), value, decimals)):
            found.append(len(base))
    return found


def _is_mean(mean: float, value: float, decimals: int) -> bool:
    """Report whether a value equals a mean rounded to the value's decimals."""
    return abs(mean - value) <= max(1e-9 * abs(value), 0.51 * 10.0**-decimals if decimals else 1e-9)


def _count_decimals(value: float) -> int:
    text = f"{value:.10g}"
    return len(text.partition(".")[2]) if "e" not in text else 10
