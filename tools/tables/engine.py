"""The engine: tables held in an in-memory DuckDB, and typed requests run on them as parameterized statements.

DuckDB is chosen before polars: one wheel without dependencies, a memory limit and a switch that forbids files and
network for good, and joins and medians that are checked by many. Names from outside never stand in a statement. It
runs in a process of its own (`main`), so that a hostile table costs an answer and no more.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath
from typing import Any, BinaryIO, Final, TypeVar

from pydantic import ValidationError

from weiwo.text.localization import localized_section
from weiwo.text.patterns import HAN_RANGES, lazy
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.parts import import_parser
from weiwo.tools.printable import one_line
from weiwo.tools.tables.columns import Column, fold_value, parse_amount, read_column
from weiwo.tools.tables.documents import Row, Table, TablePassage, read_tables
from weiwo.tools.tables.request import Filter, Measure, RequestError, TableRequest, find_name, unknown_value
from weiwo.tools.worker_process import limit_resources, read_frame, serve_requests, write_frame

_EXPRESSED: Final = localized_section("tables.engine")
_HAN: Final = lazy(f"[{HAN_RANGES}]")
_MOST_CITED: Final = 20
_MOST_TIED: Final = 20
_KNOWN_VALUES: Final = 2_000
_MOST_MEMORY: Final = "1GB"
_FUNCTIONS: Final = {
    "sum": "kahan_sum({0})", "mean": "kahan_sum({0}) / count({0})", "min": "min({0})", "max": "max({0})",
    "median": "median({0})", "distinct": "count(DISTINCT {0})", "count": "count({0})",
}  # fmt: skip
_ARITHMETIC: Final = frozenset({"sum", "mean", "median"})
_R = TypeVar("_R", bound=Sequence[Any])


@dataclass
class _Held:
    """A table that is held: its rows as they stand, its columns, and what it is called in the database."""

    table: Table
    columns: list[Column]
    id: str
    shown: dict[tuple[int, str], str]  # of a folded text, how it is written first


@dataclass(frozen=True)
class _Field:
    """A column as a statement names it."""

    sql: str
    column: Column
    held: _Held
    at: int

    def show(self, value: Any) -> Any:
        """A value as a cell writes it."""
        return self.held.shown.get((self.at, value), value) if isinstance(value, str) else _tidy(value)


def _tidy(value: Any) -> Any:
    """A number without the noise of binary fractions; anything else as it is."""
    if not isinstance(value, float):
        return value
    rounded = float(f"{value:.14g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


class Engine:
    """Tables by the key of their document."""

    def __init__(self) -> None:
        """Open the database.

        Raises:
            RequestError: DuckDB is not installed.
        """
        try:
            duckdb = import_parser("duckdb")
        except UnreadableError:
            raise RequestError("tables need DuckDB: pip install 'weiwo[tables]'") from None
        self._database = duckdb.connect(":memory:", config={"threads": 2, "memory_limit": _MOST_MEMORY})
        for statement in (
            "SET enable_external_access = false",
            "SET autoinstall_known_extensions = false",
            "SET lock_configuration = true",
        ):
            self._database.execute(statement)
        self._held: dict[str, list[_Held]] = {}
        self._made = 0

    def drop(self, key: str) -> None:
        """Let the tables of a document go."""
        for held in self._held.pop(key, ()):
            self._database.execute(f"DROP TABLE IF EXISTS {held.id}")

    def load(self, key: str, kind: str, source: str, passages: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
        """Take the tables of a document in; returns what is known of each."""
        rows = [TablePassage(one[0], tuple(one[1]), *one[2:]) for one in passages]
        self._held[key] = [self._hold(table) for table in read_tables(kind, source, rows)]
        return [_describe(held) for held in self._held[key]]

    def run(self, request: TableRequest, keys: Iterable[str]) -> dict[str, Any]:
        """Run a request over the tables of some documents.

        Raises:
            RequestError: It names what there is not, or asks of a column what its type does not give.
        """
        return _Query(request, [held for key in keys for held in self._held.get(key, ())]).run(self._database)

    def _hold(self, table: Table) -> _Held:
        self._made += 1
        cells = list(zip(*(row.cells for row in table.rows), strict=True))
        columns = [read_column(name, column) for name, column in zip(table.header, cells, strict=True)]
        shown: dict[tuple[int, str], str] = {}
        for at, column in enumerate(columns):
            if column.type == "text":
                for raw in dict.fromkeys(cells[at]):
                    shown.setdefault((at, fold_value(raw)), raw.strip())
        held = _Held(table, columns, f"t{self._made}", shown)
        if columns:
            values = [*(list(column.values) for column in columns), list(range(len(table.rows)))]
            types = [*("DOUBLE[]" if column.type == "number" else "VARCHAR[]" for column in columns), "INTEGER[]"]
            names = [*(f"c{at}" for at in range(len(columns))), "rid"]
            parts = (f"unnest(?::{kind}) AS {name}" for kind, name in zip(types, names, strict=True))
            self._database.execute(f"CREATE TABLE {held.id} AS SELECT {', '.join(parts)}", values)  # ours
        return held


def _describe(held: _Held) -> dict[str, Any]:
    """A table for whoever asks about it: its columns with types and values, its rows, what was left out."""
    table = held.table
    columns = []
    for at, column in enumerate(held.columns):
        known = dict.fromkeys(value for value in column.values if value is not None)
        values = [held.shown.get((at, str(one)), str(one)) for one in known] if column.type == "text" else []
        columns.append(
            {
                "name": column.name,
                "type": column.type,
                "unit": column.unit,
                "distinct": len(known),
                "values": values[:_KNOWN_VALUES],
                "samples": [row.cells[at] for row in table.rows[:3]],
                "empty": column.empty,
                "unread": column.unread,
                "mixed": list(column.mixed),
            }
        )
    return {
        "name": table.name,
        "source": table.source,
        "rows": len(table.rows) if held.columns else 0,
        "columns": columns,
        "notes": table.notes[:10],
        "torn": table.torn,
    }


class _Query:
    """One request: checked, then run."""

    def __init__(self, request: TableRequest, tables: Sequence[_Held]) -> None:
        self._request = request
        self._main = _find_table(request.table, tables)
        self._joined = _find_table(request.join.table, tables) if request.join else None
        self._parameters: list[Any] = []
        self._notes = list(self._main.table.notes[:3])
        self._fields = self._list_fields()
        self._conditions = [self._condition(one) for one in request.filters]
        self._groups = [self.field(name) for name in request.group_by]
        self._measures = [self._measure(one) for one in request.measures]
        if self._groups and not self._measures:
            self._measures = [("count(*)", "count", "number", "")]

    def run(self, database: Any) -> dict[str, Any]:
        where = f" WHERE {' AND '.join(self._conditions)}" if self._conditions else ""
        source = f"{self._main.id} AS a{self._join()}{where}"
        counted = database.execute(f"SELECT count(*) FROM {source}", self._parameters).fetchone()[0]  # noqa: S608
        header, types, units, rows, rids = self._read_result(database, source)
        if rids is None:
            found = database.execute(
                f"SELECT a.rid FROM {source} ORDER BY a.rid LIMIT {_MOST_CITED}",  # noqa: S608  # ours
                self._parameters,
            ).fetchall()
            rids = [rid for (rid,) in found]
        table = self._main.table
        return {
            "table": table.name,
            "source": table.source,
            "expression": self._express(),
            "header": header,
            "types": types,
            "units": units,
            "rows": rows,
            "counted": counted,
            "of": len(table.rows),
            "cited": [_cite(table.rows[rid], table.header) for rid in dict.fromkeys(rids)][:_MOST_CITED],
            "notes": list(dict.fromkeys(self._notes)),
        }

    def _read_result(
        self, database: Any, source: str
    ) -> tuple[list[str], list[str], list[str], list[list[Any]], list[int] | None]:
        """The header, types, units and rows of the result; and the rows it shows, where it shows rows."""
        top = self._request.top
        if self._measures:
            named = [*(one.column.name for one in self._groups), *(name for _, name, _, _ in self._measures)]
            picked = [*(one.sql for one in self._groups), *(sql for sql, *_ in self._measures)]
            group = f" GROUP BY {', '.join(one.sql for one in self._groups)}" if self._groups else ""
            order = f" ORDER BY {self._order(named, picked)}" if self._groups else ""
            statement = f"SELECT {', '.join(picked)} FROM {source}{group}{order}"  # noqa: S608  # ours
            found = self._fetch(database, f"{statement} LIMIT {top + _MOST_TIED}")
            places = dict(enumerate(self._groups))
            rows = [[places[at].show(v) if at in places else _tidy(v) for at, v in enumerate(row)] for row in found]
            rows = self._with_ties(rows, top, self._ordered_at(named))
            types = [*(one.column.type for one in self._groups), *(kind for _, _, kind, _ in self._measures)]
            units = [*(one.column.unit for one in self._groups), *(unit for *_, unit in self._measures)]
            return named, types, units, rows, None
        shown = [self.field(name) for name in self._request.columns] or self._fields[:20]
        sorted_by = self.field(self._request.order_by) if self._request.order_by else None
        if sorted_by is not None:
            self._require_ordered(sorted_by)
        way = "DESC" if self._request.descending else "ASC"
        order = f"{sorted_by.sql} {way} NULLS LAST, a.rid" if sorted_by else "a.rid"
        only = [one.sql for one in shown] + ["a.rid", sorted_by.sql if sorted_by else "NULL"]
        statement = f"SELECT {', '.join(only)} FROM {source} ORDER BY {order}"  # noqa: S608  # ours
        found = self._fetch(database, f"{statement} LIMIT {top + _MOST_TIED}")
        found = self._with_ties(found, top, -1) if sorted_by is not None else found[:top]
        rows = [[one.show(v) for one, v in zip(shown, row, strict=False)] for row in found]
        names = [one.column.name for one in shown]
        kinds: list[str] = [one.column.type for one in shown]
        return names, kinds, [one.column.unit for one in shown], rows, [row[-2] for row in found]

    def _fetch(self, database: Any, statement: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = database.execute(statement, self._parameters).fetchall()
        return found

    def _with_ties(self, rows: list[_R], top: int, at: int) -> list[_R]:
        """The first rows, and those that are equal to the last of them in what they are ordered by."""
        kept = rows[:top]
        tied = [row for row in rows[top:] if row[at] == kept[-1][at]]
        if tied:
            self._notes.append(f"{len(tied)} more have the same value as the last of the first {top}")
        elif len(rows) > top >= 20:
            self._notes.append(f"only the first {top} are given")
        return [*kept, *tied]

    def _ordered_at(self, named: Sequence[str]) -> int:
        wanted = self._request.order_by
        return find_name(wanted, named, "result") if wanted else len(self._groups)

    def _order(self, named: Sequence[str], picked: Sequence[str]) -> str:
        way = "DESC" if self._request.descending else "ASC"
        return f"{picked[self._ordered_at(named)]} {way} NULLS LAST, {picked[0]}"

    def _list_fields(self) -> list[_Field]:
        found = [_Field(f"a.c{at}", column, self._main, at) for at, column in enumerate(self._main.columns)]
        if self._joined is not None:
            other = self._joined
            found += [_Field(f"b.c{at}", column, other, at) for at, column in enumerate(other.columns)]
        return found

    def field(self, name: str) -> _Field:
        """The column of a name; of two tables with a column of that name, the first one's."""
        own = self._fields[: len(self._main.columns)]
        try:
            return own[find_name(name, [one.column.name for one in own], "column")]
        except RequestError:
            if self._joined is None:
                raise
            return self._fields[find_name(name, [one.column.name for one in self._fields], "column")]

    def _join(self) -> str:
        if self._request.join is None or self._joined is None:
            return ""
        left = self.field(self._request.join.left)
        names = [column.name for column in self._joined.columns]
        at = find_name(self._request.join.right, names, "column")
        right = self._joined.columns[at]
        if left.column.type != right.type:
            raise RequestError(f"`{left.column.name}` is {left.column.type}, `{right.name}` {right.type}: no join")
        known = [value for value in right.values if value is not None]
        if len(set(known)) < len(known):
            self._notes.append(f"`{right.name}` is not unique in {self._joined.table.name}: rows may count twice")
        return f" JOIN {self._joined.id} AS b ON {left.sql} = b.c{at}"

    def _measure(self, measure: Measure) -> tuple[str, str, str, str]:
        """A measure as a statement, its name, type and unit."""
        if not measure.column:
            if measure.function != "count":
                raise RequestError(f"{measure.function} needs a column")
            return "count(*)", "count", "number", ""
        one = self.field(measure.column)
        column, function = one.column, measure.function
        if function in _ARITHMETIC:
            self._require_number(one, function)
        elif function in {"min", "max"}:
            self._require_ordered(one)
        if column.empty:
            self._notes.append(f"{column.empty} empty cells of `{column.name}` do not count")
        kind, unit = (column.type, column.unit) if function in {"min", "max"} else ("number", "")
        unit = column.unit if function in _ARITHMETIC else unit
        return _FUNCTIONS[function].format(one.sql), f"{function}({column.name})", kind, unit

    def _require_number(self, one: _Field, function: str) -> None:
        column = one.column
        if column.type != "number":
            examples = ", ".join(repr(row.cells[one.at]) for row in one.held.table.rows[:3])
            raise RequestError(f"`{column.name}` is {column.type}, no number ({examples}): no {function}")
        self._require_read(column)

    def _require_ordered(self, one: _Field) -> None:
        if one.column.type == "text":
            raise RequestError(f"`{one.column.name}` is text: it has no highest or lowest; name a number or a date")
        self._require_read(one.column)

    def _require_read(self, column: Column) -> None:
        if column.mixed:
            known = ", ".join(unit or "none" for unit in column.mixed[:6])
            raise RequestError(f"`{column.name}` has several units ({known}); filter or ask of one")
        if column.unread:
            examples = ", ".join(map(repr, column.examples))
            self._notes.append(f"{column.unread} cells of `{column.name}` are no {column.type}: {examples}")

    def _condition(self, one: Filter) -> str:
        target = self.field(one.column)
        values = one.value if isinstance(one.value, list) else [one.value]
        if not values or (one.op == "between" and len(values) != 2):
            raise RequestError(
                f"`{target.column.name}` {one.op}: a list of {'two' if one.op == 'between' else 'values'}"
            )
        if one.op not in {"in", "between"} and len(values) > 1:
            raise RequestError(f"`{target.column.name}` {one.op}: one value; for several there is `in`")
        if one.op == "contains":
            self._parameters.append(fold_value(str(values[0])))
            return f"contains(CAST({target.sql} AS VARCHAR), ?)"
        if target.column.type == "number":
            return self._number_condition(target, one.op, values)
        if target.column.type == "date":
            return self._date_condition(target, one.op, values)
        return self._text_condition(target, one.op, values)

    def _number_condition(self, target: _Field, op: str, values: Sequence[float | str]) -> str:
        column = target.column
        self._require_read(column)
        for value in values:
            amount = (value, "") if isinstance(value, int | float) else parse_amount(fold_value(value))
            if amount is None or (amount[1] and amount[1] != column.unit):
                unit = f" in {column.unit}" if column.unit else ""
                raise RequestError(f"`{column.name}` is a number{unit}, {value!r} is none")
            self._parameters.append(float(amount[0]))
        if op == "between":
            return f"{target.sql} BETWEEN ? AND ?"
        return f"{target.sql} IN ({', '.join('?' * len(values))})" if op == "in" else f"{target.sql} {op} ?"

    def _date_condition(self, target: _Field, op: str, values: Sequence[float | str]) -> str:
        """Dates as ISO text: a year or a month stands for all days in it."""
        self._require_read(target.column)
        days = []
        for value in values:
            text = str(int(value)) if isinstance(value, int | float) else str(value)
            day = text.strip() if text.strip().isdecimal() else read_column("", [text]).values[0]
            if not isinstance(day, str) or read_column("", [text]).type == "text" or not day[:4].isdecimal():
                raise RequestError(f"`{target.column.name}` is a date, {text!r} is none; write 2024-03-01")
            days.append(day)
        until = [f"{day}~" for day in days]
        if op == "between":
            self._parameters += [days[0], until[1]]
            return f"{target.sql} BETWEEN ? AND ?"
        if op in {"=", "in", "!="}:
            self._parameters += days
            either = " OR ".join(f"starts_with({target.sql}, ?)" for _ in days)
            return f"NOT ({either})" if op == "!=" else f"({either})"
        self._parameters.append(days[0] if op in {"<", ">="} else until[0])
        return f"{target.sql} {op} ?"

    def _text_condition(self, target: _Field, op: str, values: Sequence[float | str]) -> str:
        column = target.column
        if op not in {"=", "!=", "in"}:
            raise RequestError(f"`{column.name}` is text: it can be =, !=, in or contains, not {op}")
        known = dict.fromkeys(value for value in column.values if value is not None)
        for value in values:
            folded = fold_value(str(_tidy(value)))
            if folded not in known:
                shown = [target.held.shown.get((target.at, str(one)), str(one)) for one in known]
                raise unknown_value(column.name, str(value), shown)
            self._parameters.append(folded)
        return f"{target.sql} {'NOT ' if op == '!=' else ''}IN ({', '.join('?' * len(values))})"

    def _express(self) -> str:
        """The request in one line, as a person checks it."""
        request = self._request
        what = ", ".join(name for _, name, _, _ in self._measures) or ", ".join(request.columns) or "rows"
        words = _EXPRESSED["zh" if _HAN.search(f"{what}{self._main.table.name}") else "en"]
        parts = [words["of"].format(what=what, table=self._main.table.name)]
        if request.filters:
            parts.append(words["where"].format(words["and"].join(_express_filter(one) for one in request.filters)))
        if request.group_by:
            parts.append(words["by"].format(", ".join(request.group_by)))
        if request.order_by:
            parts.append(words["highest" if request.descending else "lowest"].format(request.order_by))
        return words["between"].join(parts)


def _express_filter(one: Filter) -> str:
    values = one.value if isinstance(one.value, list) else [one.value]
    return f"{one.column} {one.op} {', '.join(str(_tidy(value)) for value in values)}"


def _find_table(wanted: str, tables: Sequence[_Held]) -> _Held:
    """The table of a name, or of a file with one table.

    Raises:
        RequestError: There is none, or it has no columns to ask about.
    """
    files = [(held, PurePath(held.table.source)) for held in tables]
    by_source = [held for held, file in files if wanted in {held.table.source, file.name, file.stem}]
    if len(by_source) == 1:
        held = by_source[0]
    else:
        known = by_source or tables
        held = known[find_name(wanted, [one.table.name for one in known], "table")]
    if not held.columns:
        raise RequestError(f"{held.table.name} {held.table.notes[0]}")
    return held


def _cite(row: Row, header: Sequence[str]) -> dict[str, str]:
    """A row as a passage: its cells below their names, and its place."""
    said = "; ".join(f"{name}: {cell.strip()}" for name, cell in zip(header, row.cells, strict=True) if cell.strip())
    return {"text": said[:2_000], "source": row.source, "place": row.place}


_MEMORY_BYTES: Final = 4_000_000_000
"""Address space, of which DuckDB reserves far more than it uses."""


def main() -> None:
    """Serve requests from standard input until it ends."""
    serve_requests(_answer)


def _answer(requests: BinaryIO, replies: BinaryIO) -> None:
    asked: dict[str, Any] = json.loads(read_frame(requests))
    limit_resources(_MEMORY_BYTES, asked["seconds"])
    try:
        reply = _serve(_open_engine(), asked)
    except RequestError as error:
        reply = {"error": str(error)}
    except ValidationError as error:
        reply = {"error": one_line("; ".join(f"{one['loc']}: {one['msg']}" for one in error.errors()), 300)}
    except MemoryError:
        reply = {"error": "the table takes too much memory"}
    except Exception as error:  # noqa: BLE001 - the engine raises anything over a strange table
        reply = {"error": one_line(f"the table cannot be worked with: {error}", 200)}
    write_frame(replies, json.dumps(reply).encode("ascii"))


@cache
def _open_engine() -> Engine:
    return Engine()


def _serve(engine: Engine, asked: dict[str, Any]) -> dict[str, Any]:
    if asked["op"] == "load":
        return {"tables": engine.load(asked["key"], asked["kind"], asked["source"], asked["passages"])}
    if asked["op"] == "drop":
        engine.drop(asked["key"])
        return {}
    return {"result": engine.run(TableRequest.model_validate(asked["request"]), asked["keys"])}
