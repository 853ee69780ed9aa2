"""Wording of a table request: the request with the names of the tables, as a line to read, and values as shown."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Final

from weiwo.text.localization import localized_section
from weiwo.text.patterns import HAN_RANGES, lazy
from weiwo.tools.tables.relation import Field
from weiwo.tools.tables.request import TableRequest

_WORDS: Final = localized_section("tables.engine")
_HAN: Final = lazy(f"[{HAN_RANGES}]")


def spell_out(request: TableRequest, find_field: Callable[[str], Field]) -> dict[str, Any]:
    """Return a request's measures, conditions, groups, columns and order, with column names as in the tables.

    A request for "price" names the column "Price" if the table does.

    Args:
        request: The request.
        find_field: Function that returns the column of a name.
    """
    conditions = []
    for item in request.filters:
        target = find_field(item.column)
        conditions.append([target.name, item.op, [str(tidy(value)) for value in item.values], target.type])
    ranked = request.order_by and not request.measures and not request.group_by
    order = find_field(request.order_by) if ranked else None
    return {
        "measures": [
            [measure.function, find_field(measure.column).name if measure.column else ""]
            for measure in request.measures
        ],
        "conditions": conditions,
        "groups": [find_field(name).name for name in request.group_by],
        "columns": [find_field(name).name for name in request.columns],
        "order": [order.name, order.type, request.descending, request.top] if order is not None else [],
    }


def express_request(request: TableRequest, table: str, figures: Sequence[str]) -> str:
    """Describe a request in a line for a person to check, in Chinese if its names are.

    Args:
        request: The request.
        table: Name of the table.
        figures: Names of the computed figures. Empty if rows are shown.
    """
    what = ", ".join(figures) or ", ".join(request.columns) or "rows"
    words = _WORDS["zh" if _HAN.search(f"{what}{table}") else "en"]
    parts = [words["of"].format(what=what, table=table)]
    parts += [f"{item.name} = {item.left} {item.op} {item.right}" for item in request.computed]
    conditions = [
        f"{item.column} {item.op} {', '.join(str(tidy(value)) for value in item.values)}" for item in request.filters
    ]
    if conditions:
        parts.append(words["where"].format(words["and"].join(conditions)))
    if request.group_by:
        parts.append(words["by"].format(", ".join(request.group_by)))
    if request.order_by:
        parts.append(words["highest" if request.descending else "lowest"].format(request.order_by))
    return str(words["between"].join(parts))


def tidy(value: Any, kind: str = "") -> Any:
    """Return a value as a result shows it: 3.0 → 3, 0.1 + 0.2 → 0.3, 5025.0 of the type "duration" → "1:23:45".

    Args:
        value: The value. Anything but a number is returned unchanged.
        kind: Type of the column.
    """
    if kind == "duration" and isinstance(value, int | float):
        return _write_duration(value)
    if not isinstance(value, float):
        return value
    rounded = float(f"{value:.14g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


def _write_duration(seconds: float) -> str:
    whole = timedelta(seconds=round(abs(seconds)))
    minutes, second = divmod(int(whole.total_seconds()), 60)
    hours, minute = divmod(minutes, 60)
    return f"{'-' if seconds < 0 else ''}{hours}:{minute:02d}:{second:02d}"
