"""Check of the names in a request against tables and columns.

Resolves a name to a table, and reports all arguments that name no table or column, not only the first.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

from weiwo.text.printable import one_line
from weiwo.tools.tables.columns import fold_value
from weiwo.tools.tables.request import TableRequest, TableRequestError, find_name, find_nearest

_LONGEST: Final = 400


def find_table(wanted: str, tables: Sequence[Mapping[str, Any]]) -> int:
    """Return the index of the table that a request names, by table name, file, sheet or unique title.

    The table's name may differ in case, width, blanks and punctuation.

    Args:
        wanted: The name.
        tables: Description of each table by the catalog: `name`, `source`, `sheet`, `titles`, `parts`.

    Raises:
        TableRequestError: No table matches, or several do.
    """
    title = fold_value(wanted)
    by_file = [at for at, table in enumerate(tables) if names_file(wanted, str(table["source"]))]
    for found in (
        [at for at, table in enumerate(tables) if table["name"] == wanted],
        by_file,
        [at for at in by_file if tables[at]["parts"]],
        [at for at, table in enumerate(tables) if table["sheet"] == wanted],
        [at for at, table in enumerate(tables) if title in table["titles"]],
    ):
        if len(found) == 1:
            return found[0]
    known = by_file or range(len(tables))
    return known[find_name(wanted, [str(tables[at]["name"]) for at in known], "table")]


def names_file(wanted: str, source: str) -> bool:
    """Report whether a name is that of a file: its path, its name, or its name without the ending.

    "sales" names "a/sales.csv".
    """
    file = PurePath(source)
    return wanted in {source, file.name, file.stem}


def find_wrong_names(request: TableRequest, tables: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each argument of a request that names no table or column, with the nearest name that exists.

    Empty if all names exist. If a table is missing, columns are looked up in the table with the nearest name.
    """
    wrong: list[str] = []

    def describe(wanted: str, argument: str) -> Mapping[str, Any] | None:
        try:
            return tables[find_table(wanted, tables)]
        except TableRequestError as error:
            wrong.append(f"{argument}: {error}")
            return tables[find_nearest(wanted, [str(item["name"]) for item in tables])] if tables else None

    table = describe(request.table, "table")
    joined = describe(request.join.table, "join.table") if request.join else None
    own = [str(column["name"]) for column in table["columns"]] if table else []
    others = [str(column["name"]) for column in joined["columns"]] if joined else []
    derived = [item.name for item in request.computed]
    lines = []
    for argument, name in _list_names(request):
        groups = {"join.left": (own,), "join.right": (others,)}.get(argument, (own, others, derived))
        known = [item for group in groups for item in group]
        if known and not any(_has_name(group, name) for group in groups):
            lines.append(f"{argument}: no column `{name}`; the nearest is `{known[find_nearest(name, known)]}`")
    if lines:
        lines.append(f"There are: {', '.join(dict.fromkeys([*own, *others]))}")
    return [one_line(line, _LONGEST) for line in (*wrong, *lines)]


def _has_name(names: Sequence[str], name: str) -> bool:
    """Report whether a name matches exactly one of the names, ignoring case, width, blanks and punctuation."""
    try:
        find_name(name, names, "column")
    except TableRequestError:
        return False
    return True


def _list_names(request: TableRequest) -> Iterator[tuple[str, str]]:
    """Yield the columns that a request names, each as argument and column: ("filters[0].column", "price")."""
    for at, item in enumerate(request.computed):
        yield f"computed[{at}].left", item.left
        yield f"computed[{at}].right", item.right
    for at, condition in enumerate(request.filters):
        yield f"filters[{at}].column", condition.column
    for at, measure in enumerate(request.measures):
        if measure.column:
            yield f"measures[{at}].column", measure.column
    for field in ("columns", "group_by"):
        for at, name in enumerate(getattr(request, field)):
            yield f"{field}[{at}]", name
    if request.order_by and not (request.measures or request.group_by):  # else it may name a measure
        yield "order_by", request.order_by
    if request.join:
        yield "join.left", request.join.left
        yield "join.right", request.join.right
