"""Execution of a table request: checked against the columns, then run as parameterized SQL statements.

If hidden rows or possible totals match the conditions, the result is computed with and without them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from weiwo.text.cell_values import parse_amount
from weiwo.text.version_order import sort_version
from weiwo.tools.tables.columns import fold_value, read_column
from weiwo.tools.tables.notes import Note
from weiwo.tools.tables.query_wording import express_request, spell_out, tidy
from weiwo.tools.tables.relation import ARITHMETIC, FUNCTIONS, ComputedField, Field, Relation, compute_field
from weiwo.tools.tables.request import Filter, Measure, TableRequest, TableRequestError, find_name, unknown_value
from weiwo.tools.tables.table_store import DOUBTFUL, HIDDEN

_MOST_CITED: Final = 20
_MOST_TIED: Final = 20
_MOST_JOINED: Final = 20_000_000
"""Limit of the rows of a join. The rows are counted before the join runs."""
_SHOWN_COLUMNS: Final = 20
_R = TypeVar("_R", bound=Sequence[Any])


@dataclass(frozen=True)
class _Figure:
    """A measure of the request as an SQL expression, with the name, type and unit of its result."""

    sql: str
    name: str
    type: str
    unit: str  # or "?" and the SQL for the units of the cells, if the column has several


@dataclass
class _Result:
    """Rows of a result under a header."""

    header: list[str]
    types: list[str]
    units: list[str]
    rows: list[list[Any]] = field(default_factory=list)
    shown: list[tuple[int, int]] | None = None  # stored table and row number of each row; None for figures


class Query:
    """Single request over a relation, and a joined relation if given."""

    def __init__(self, request: TableRequest, main: Relation, joined: Relation | None, database: Any) -> None:
        """Check a request against the relations.

        Raises:
            TableRequestError: The request names something that does not exist, or asks something that a column's type
                does not allow.
        """
        self._request, self._main, self._joined, self._database = request, main, joined, database
        self._notes: list[Note] = []
        self._parameters: list[Any] = []
        self._computed: list[ComputedField] = []
        self._main_fields: list[Field] = main.list_fields("a")
        self._fields: list[Field] = [*self._main_fields, *(joined.list_fields("b") if joined is not None else ())]
        self._from = f"{main.write('a')}{self._write_join()}"
        self._computed = [
            compute_field(item.name, self._find_field(item.left), item.op, self._find_field(item.right))
            for item in request.computed
        ]
        self._conditions = [self._write_condition(item) for item in request.filters]
        self._groups = [self._find_field(name) for name in request.group_by]
        for group in self._groups:
            self._require_filterable(group)
        self._figures = [self._write_figure(measure) for measure in request.measures]
        if self._groups and not self._figures:
            self._figures = [_Figure("count(*)", "count", "number", "")]

    def run(self) -> dict[str, Any]:
        """Run the request.

        Returns:
            The result as JSON values. The most important: `header`, `types`, `units` and `rows` of the result,
            `counted`, the number of matching rows, `of`, the number of all rows, `cited`, up to 20 of the rows as
            passages, and `variants`, the results with hidden rows and without possible totals.

        Raises:
            TableRequestError: The matching rows of a measure have several units, or `order_by` names no result column.
        """
        counts = self._count_kinds()
        kinds = [kind for kind in (HIDDEN, DOUBTFUL) if counts.get(kind)]
        skipped = {HIDDEN} & set(kinds)
        source = self._write_source(skipped)
        counted = sum(count for kind, count in counts.items() if kind not in skipped)
        result = self._read_result(source)
        cited = self._list_cited(source) if result.shown is None else result.shown
        main, request = self._main, self._request
        return {
            "table": main.name,
            "source": main.source,
            "expression": express_request(request, main.name, [figure.name for figure in self._figures]),
            "header": result.header,
            "types": result.types,
            "units": result.units,
            "rows": result.rows,
            "counted": counted,
            "of": main.rows - (counts.get(HIDDEN, 0) if HIDDEN in skipped else 0),
            "cited": self._cite(list(dict.fromkeys(cited))[:_MOST_CITED]),
            "notes": list(dict.fromkeys([*self._list_notes(), *self._notes])),
            **spell_out(request, self._find_field),
            "joined": self._joined.name if self._joined is not None else "",
            "variants": [self._vary(kind, counts, skipped, result) for kind in kinds],
            "parts": [part.name for part in main.parts],
            "computed": [[item.name, item.left, item.op, item.right] for item in request.computed],
            "assumed": [item.model_dump() for item in request.assumed],
            "unused": list(request.unused),
        }

    def _list_notes(self) -> list[Note]:
        notes: list[Note] = [tuple(note) for part in self._main.parts for note in part.facts["notes"][:3]]
        names = [*(measure.column for measure in self._request.measures if measure.column), *self._request.columns]
        used = [self._find_field(name) for name in dict.fromkeys(names)]
        return notes[:5] + [("hidden_column", item.name) for item in used if item.column["hidden"]]

    def _count_kinds(self) -> dict[int, int]:
        """Return the number of rows that match the conditions, by kind: 0 for ordinary rows, `HIDDEN` or `DOUBTFUL`."""
        if not (self._main.has("hidden") or self._main.has("doubtful")):
            return {0: self._fetch(f"SELECT count(*) FROM {self._write_source(set())}")[0][0]}  # noqa: S608  # ours
        found = self._fetch(f"SELECT a.kind, count(*) FROM {self._write_source(set())} GROUP BY 1")  # noqa: S608  # ours
        return {int(kind or 0): count for kind, count in found}

    def _write_source(self, skipped: set[int]) -> str:
        conditions = list(self._conditions)
        if skipped:
            conditions.append(f"coalesce(a.kind, 0) NOT IN ({', '.join(map(str, sorted(skipped)))})")
        return f"{self._from}{' WHERE ' + ' AND '.join(conditions) if conditions else ''}"

    def _vary(self, kind: int, counts: dict[int, int], skipped: set[int], main: _Result) -> dict[str, Any]:
        """Compute the result again with hidden rows, or without possible totals, depending on `kind`.

        Args:
            kind: `HIDDEN` or `DOUBTFUL`.
            counts: Number of matching rows by kind.
            skipped: Kinds of rows that the main result leaves out.
            main: The main result.

        Returns:
            The kind, the number of such rows, the result's rows (empty if the same as those of `main`), and the
            locations of up to five possible totals.
        """
        other = skipped ^ {kind}
        result = self._read_result(self._write_source(other))
        same = result.rows == main.rows
        return {
            "kind": "hidden" if kind == HIDDEN else "doubtful",
            "count": counts[kind],
            "rows": [] if same else result.rows,
            "places": [
                part.locate(row)
                for part in self._main.parts
                for row in (part.facts["doubtful"] if kind == DOUBTFUL else ())
            ][:5],
        }

    # -- results --------------------------------------------------------------------------------------------------

    def _read_result(self, source: str) -> _Result:
        return self._read_figures(source) if self._figures else self._read_rows(source)

    def _read_figures(self, source: str) -> _Result:
        groups, figures = self._groups, self._figures
        header = [*(group.name for group in groups), *(figure.name for figure in figures)]
        keys = [group.label for group in groups]
        texts = [group.label if group.display == group.label else f"any_value({group.display})" for group in groups]
        picked = [*texts, *(figure.sql for figure in figures)]
        order_by = self._request.order_by
        at = find_name(order_by, header, "result") if order_by else len(groups)
        ordered = [*keys, *(figure.sql for figure in figures)][at]
        tail = f" GROUP BY {', '.join(keys)}" if groups else ""
        tail += f" ORDER BY {ordered} {self._way} NULLS LAST, {keys[0]}" if groups else ""
        top = self._request.top
        found = self._fetch(f"SELECT {', '.join(picked)} FROM {source}{tail} LIMIT {top + _MOST_TIED}")  # noqa: S608  # ours
        types = [*(group.type for group in groups), *(figure.type for figure in figures)]
        units = [
            *(str(group.column["unit"]) for group in groups),
            # A figure of a column with several units has the unit of the rows behind the figure.
            *(
                self._find_unit(figure.unit[1:], source, figure.name) if figure.unit.startswith("?") else figure.unit
                for figure in figures
            ),
        ]
        rows = [[tidy(value, kind) for value, kind in zip(row, types, strict=True)] for row in found]
        return _Result(header, types, units, self._with_ties(rows, top, at))

    def _read_rows(self, source: str) -> _Result:
        shown = [self._find_field(name) for name in self._request.columns] or self._fields[:_SHOWN_COLUMNS]
        by = self._find_field(self._request.order_by) if self._request.order_by else None
        order = "a.part, a.row"
        if by is not None:
            by.require_order()
            self._note_unread(by)
            if "u" in by.parts:
                self._find_unit(by.unit, source, by.name)  # raises if the rows have several units
            order = f"{by.label} {self._way} NULLS LAST, {order}"
        picked = [*(item.display for item in shown), "a.part", "a.row", by.label if by else "NULL"]
        top = self._request.top
        statement = f"SELECT {', '.join(picked)} FROM {source} ORDER BY {order} LIMIT {top + _MOST_TIED}"  # noqa: S608  # ours
        found = self._fetch(statement)
        found = self._with_ties(found, top, -1) if by is not None else found[:top]
        types = [item.type for item in shown]
        rows = [[tidy(value, kind) for value, kind in zip(row, types, strict=False)] for row in found]
        units = [str(item.column["unit"]) for item in shown]
        return _Result([item.name for item in shown], types, units, rows, [(row[-3], row[-2]) for row in found])

    @property
    def _way(self) -> str:
        return "DESC" if self._request.descending else "ASC"

    def _with_ties(self, rows: list[_R], top: int, at: int) -> list[_R]:
        """Return the first `top` rows, plus up to `_MOST_TIED` rows that equal the last of them in column `at`.

        Adds a note to the result if rows are tied, or if rows are left out.
        """
        kept = rows[:top]
        tied = [row for row in rows[top:] if row[at] == kept[-1][at]]
        if tied:
            self._notes.append(("tied", len(tied), top))
        elif len(rows) > top >= 20:
            self._notes.append(("first_only", top))
        return [*kept, *tied]

    def _fetch(self, statement: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._database.execute(statement, self._parameters).fetchall()
        return found

    def _list_cited(self, source: str) -> list[tuple[int, int]]:
        facts = self._main.parts[0].facts
        plain = len(self._main.parts) == 1 and self._joined is None and not facts["numbered"]
        if plain and source == self._from:  # all rows count, in order
            first = int(facts["first"])
            return [(0, first + offset) for offset in range(min(_MOST_CITED, int(facts["rows"])))]
        statement = f"SELECT a.part, a.row FROM {source} ORDER BY a.part, a.row LIMIT {_MOST_CITED}"  # noqa: S608  # ours
        return [(part, row) for part, row in self._fetch(statement)]

    def _cite(self, wanted: Sequence[tuple[int, int]]) -> list[dict[str, str]]:
        """Return rows as passages with `text`, `source` and `place`.

        The text lists the cells as "column: value", and the place is the row's location in the document.

        Args:
            wanted: Index of the stored table and row number of each row.
        """
        if not wanted:
            return []
        fields = self._main_fields
        pairs = ", ".join(f"({int(part)}, {int(row)})" for part, row in wanted)
        source, parts = self._main.write("a"), self._main.parts
        if len(parts) == 1 and not parts[0].facts["numbered"]:  # what stands behind the last row need not be read
            last = max(int(row) for _, row in wanted) - int(parts[0].facts["first"]) + 1
            source = f"(SELECT * FROM {source} LIMIT {last}) AS a"  # noqa: S608  # ours
        found = self._database.execute(
            f"SELECT a.part, a.row, {', '.join(item.text_sql for item in fields)} FROM {source}"  # noqa: S608  # ours
            f" WHERE (a.part, a.row) IN ({pairs})"
        ).fetchall()
        texts = {}
        for part, row, *cells in found:
            shown = ((item.name, item.show(cell)) for item, cell in zip(fields, cells, strict=True))
            texts[part, row] = "; ".join(f"{name}: {text}" for name, text in shown if text)[:2_000]
        return [
            {"text": texts[part, row], "source": parts[part].source, "place": parts[part].locate(row)}
            for part, row in wanted
            if (part, row) in texts
        ]

    # -- columns and figures --------------------------------------------------------------------------------------

    def _find_field(self, name: str) -> Field:
        """Find a column by name: among computed columns, then in the main table, then in the joined table.

        Raises:
            TableRequestError: No column has the name.
        """
        if computed := [item for item in self._computed if fold_value(item.name) == fold_value(name)]:
            return computed[0]
        try:
            return self._main_fields[find_name(name, [item.name for item in self._main_fields], "column")]
        except TableRequestError:
            if self._joined is None:
                raise
            return self._fields[find_name(name, [item.name for item in self._fields], "column")]

    def _write_join(self) -> str:
        wanted, joined = self._request.join, self._joined
        if wanted is None or joined is None:
            return ""
        left, right = self._find_field(wanted.left), joined.find_field(wanted.right, "b")
        for item in (left, right):
            item.require_certain()
        if left.type != right.type:
            raise TableRequestError(f"cannot join `{left.name}` ({left.type}) with `{right.name}` ({right.type})")
        keys = [
            f"(SELECT {entry.label} AS key, count(*) AS number FROM {relation.write(entry.alias)}"  # noqa: S608  # ours
            f" WHERE {entry.label} IS NOT NULL GROUP BY 1)"
            for entry, relation in ((left, self._main), (right, joined))
        ]
        size, most = self._database.execute(
            f"SELECT sum(x.number * y.number), max(y.number) FROM {keys[0]} AS x JOIN {keys[1]} AS y USING (key)"  # noqa: S608  # ours
        ).fetchone()
        if (size or 0) > _MOST_JOINED:
            raise TableRequestError(
                f"the join of {self._main.name} and {joined.name} has {int(size):,} rows, more than "
                f"{_MOST_JOINED:,}; join by a column with more distinct values"
            )
        if (most or 0) > 1:
            self._notes.append(("not_unique", right.name, joined.name))
        return f" JOIN {joined.write('b')} ON {left.label} = {right.label}"

    def _write_figure(self, measure: Measure) -> _Figure:
        if not measure.column:
            if measure.function != "count":
                raise TableRequestError(f"{measure.function} needs a column")
            return _Figure("count(*)", "count", "number", "")
        item, function = self._find_field(measure.column), measure.function
        name = f"{function}({item.name})"
        if function in ARITHMETIC:
            item.require_number(function)
        elif function in {"min", "max"}:
            item.require_order()
        if item.column["empty"]:
            self._notes.append(("empty", item.name, item.column["empty"]))
        if function in ARITHMETIC or function in {"min", "max"}:
            self._note_unread(item)
            if function in {"min", "max"} and item.display != item.label:
                return _Figure(f"arg_{function}({item.text_sql}, {item.value})", name, item.type, "")
            unit = str(item.column["unit"]) or (f"?{item.unit}" if "u" in item.parts else "")
            return _Figure(FUNCTIONS[function].format(item.value), name, item.type, unit)
        return _Figure(FUNCTIONS[function].format(item.label), name, "number", "")

    def _find_unit(self, sql: str, source: str, name: str) -> str:
        found = self._fetch(f"SELECT DISTINCT {sql} FROM {source} LIMIT 8")  # noqa: S608  # ours
        units = sorted(unit for (unit,) in found if unit is not None)
        if len(units) > 1:
            known = ", ".join(unit or "none" for unit in units)
            raise TableRequestError(f"`{name}` has several units ({known}); filter by unit or ask for one")
        return units[0] if units else ""

    def _note_unread(self, item: Field) -> None:
        if item.column["unread"]:
            examples = ", ".join(map(repr, item.column["examples"]))
            self._notes.append(("unread", item.name, item.type, item.column["unread"], examples))

    def _require_filterable(self, item: Field) -> None:
        if item.column["filter_doubt"]:
            raise TableRequestError(f"`{item.name}` does not identify rows: {item.column['filter_doubt']}")

    # -- conditions -----------------------------------------------------------------------------------------------

    def _write_condition(self, item: Filter) -> str:
        target = self._find_field(item.column)
        self._require_filterable(target)
        values = item.values
        if not values or (item.op == "between" and len(values) != 2):
            needed = {"between": "a list of two values", "in": "a list of values"}.get(item.op, "a value")
            raise TableRequestError(f"`{target.name}` {item.op} needs {needed}")
        if item.op not in {"in", "between"} and len(values) > 1:
            raise TableRequestError(f"`{target.name}` {item.op} takes one value; for several, use `in`")
        if item.op == "contains":
            self._parameters.append(fold_value(str(values[0])))
            return f"contains(lower(CAST({target.text_sql} AS VARCHAR)), ?)"
        if target.type == "number":
            return self._write_number_condition(target, item.op, values)
        if target.type in {"date", "datetime"}:
            return self._write_date_condition(target, item.op, values)
        if target.type in {"time", "version", "duration"}:
            return self._write_sorted_condition(target, item.op, values)
        return self._write_text_condition(target, item.op, values)

    def _write_number_condition(self, target: Field, op: str, values: Sequence[float | str]) -> str:
        self._note_unread(target)
        units = set()
        for value in values:
            amount = (value, "") if isinstance(value, int | float) else parse_amount(value)
            known = {"", target.column["unit"], *target.column["mixed"]}
            if amount is None or amount[1] not in known:
                unit = f" in {target.column['unit']}" if target.column["unit"] else ""
                raise TableRequestError(f"`{target.name}` is a number{unit}, but {value!r} is not")
            units.add(amount[1])
            self._parameters.append(float(amount[0]))
        condition = _compare(target.label, op, len(values))
        if "u" not in target.parts:
            return condition
        if len(units) > 1 or not units - {""}:
            raise TableRequestError(
                f"`{target.name}` has several units ({', '.join(filter(None, target.column['mixed']))}); name one"
            )
        self._parameters.append(units.pop())
        return f"({condition} AND {target.unit} = ?)"

    def _write_date_condition(self, target: Field, op: str, values: Sequence[float | str]) -> str:
        """Write the SQL condition on dates, which are compared as ISO text.

        A year or a month given as a value stands for all days in it. The values become parameters.
        """
        self._note_unread(target)
        days = []
        for value in values:
            text = str(int(value)) if isinstance(value, int | float) else str(value)
            read = None if text.strip().isdecimal() else read_column("", [text])
            day = text.strip() if read is None else read.values[0]
            if not isinstance(day, str) or (read is not None and read.type == "text") or not day[:4].isdecimal():
                raise TableRequestError(f"`{target.name}` is a date, but {text!r} is not; use the form 2024-03-01")
            days.append(day)
        until = [f"{day}~" for day in days]
        if op == "between":
            self._parameters += [days[0], until[1]]
            return f"{target.label} BETWEEN ? AND ?"
        if op in {"=", "in", "!="}:
            self._parameters += days
            either = " OR ".join(f"starts_with({target.label}, ?)" for _ in days)
            return f"NOT ({either})" if op == "!=" else f"({either})"
        self._parameters.append(days[0] if op in {"<", ">="} else until[0])
        return f"{target.label} {op} ?"

    def _write_sorted_condition(self, target: Field, op: str, values: Sequence[float | str]) -> str:
        """Write the SQL condition on times, durations or versions.

        The values become parameters, in the sort keys that the columns store.
        """
        self._note_unread(target)
        for value in values:
            key: Any
            if target.type == "version":
                key = sort_version(str(tidy(value)))
            else:
                read = read_column("", [str(value)])
                key = read.values[0] if read.type == target.type else None
            if key is None:
                raise TableRequestError(f"`{target.name}` is a {target.type}, but {value!r} is not")
            self._parameters.append(key)
        return _compare(target.label, op, len(values))

    def _write_text_condition(self, target: Field, op: str, values: Sequence[float | str]) -> str:
        if op not in {"=", "!=", "in"}:
            target.require_certain()
            raise TableRequestError(f"`{target.name}` is text, which supports =, !=, in and contains, not {op}")
        known = self._read_values(target)
        for value in values:
            text = str(tidy(value))
            if (found := known.get(fold_value(text))) is None:
                raise unknown_value(target.name, text, list(known.values()))
            self._parameters.append(found)
        return f"{target.label} {'NOT ' if op == '!=' else ''}IN ({', '.join('?' * len(values))})"

    def _read_values(self, target: Field) -> dict[str, str]:
        """Return the distinct texts of a column, each by its folded form (`fold_value`): "rome" → "Rome"."""
        relation = self._main if target.alias == "a" else self._joined
        listed = target.column["values"]
        if relation is not None and len(relation.parts) == 1 and len(listed) == target.column["distinct"]:
            return {fold_value(text): text for text in listed}
        source = relation.write(target.alias) if relation is not None else ""
        found = self._database.execute(f"SELECT DISTINCT {target.label} FROM {source}").fetchall()  # noqa: S608  # ours
        return {fold_value(text): text for (text,) in found if text is not None}


def _compare(sql: str, op: str, count: int) -> str:
    if op == "between":
        return f"{sql} BETWEEN ? AND ?"
    return f"{sql} IN ({', '.join('?' * count)})" if op == "in" else f"{sql} {op} ?"
