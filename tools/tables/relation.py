"""Relations: stored tables as sources of an SQL statement, and columns found by name.

A relation is one stored table, or several tables with equal columns that are queried together. Names from outside never
stand in a statement: columns are `c0`, `s0`, `l0`, `u0` of the stored file (see `table_store`), values are parameters,
and the paths are those of files that this process made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from weiwo.state.cached_property import cached_property
from weiwo.text.cell_values import Doubt
from weiwo.tools.tables.columns import NUMERIC, ORDERED, show_number
from weiwo.tools.tables.request import TableRequestError, find_name

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class StoredPart:
    """Stored table: name, source document, metadata and path of the Parquet file."""

    name: str
    source: str
    facts: Facts
    path: str

    def locate(self, row: int) -> str:
        """Return the location of a row for citations, e.g. "sheet Sales, row 12".

        If rows of the document have no numbers, only the place of the table is given, which may be empty.

        Args:
            row: Number of the row in the document, as in the `row` column.
        """
        unit, within = self.facts["unit"], self.facts["within"]
        return ", ".join(filter(None, (within, f"{unit} {row}" if unit else "")))


@dataclass(frozen=True)
class Field:
    """Column of a relation, and the SQL expressions that read it."""

    column: Facts
    alias: str  # of the relation in the statement: "a" main table, "b" joined table
    at: int  # index of the column
    parts: str  # further columns in the file: "s" texts, "l" labels of merged cells, "u" units

    @property
    def name(self) -> str:
        """Name of the column."""
        return str(self.column["name"])

    @property
    def type(self) -> str:
        """Type of the values."""
        return str(self.column["type"])

    @property
    def value(self) -> str:
        """SQL for the values, with merged cells counted once."""
        return f"{self.alias}.c{self.at}"

    @property
    def label(self) -> str:
        """SQL for the values, with merged cells repeated in every spanned row."""
        return f"coalesce({self.alias}.l{self.at}, {self.value})" if "l" in self.parts else self.value

    @property
    def unit(self) -> str:
        """SQL for the units of the cells."""
        return f"{self.alias}.u{self.at}"

    @property
    def text_sql(self) -> str:
        """SQL for the cell texts. Numbers without texts are shown as numbers."""
        if "s" not in self.parts:
            return self.label
        return f"coalesce({self.alias}.s{self.at}, CAST({self.label} AS VARCHAR))"

    @property
    def display(self) -> str:
        """SQL for the values shown in a result: the label, or the cell text if the label is only a sort key."""
        return self.label if self.type in {"number", "text", "date", "boolean"} else self.text_sql

    def show(self, value: Any) -> str:
        """Format a value read from a row as shown in the cell."""
        if isinstance(value, int | float):
            return show_number(value, self.column["template"])
        return "" if value is None else str(value)

    def require_order(self) -> None:
        """Raise a `TableRequestError` if the values have no order, or the column has two readings."""
        self.require_certain()
        if self.type not in ORDERED:
            raise TableRequestError(f"`{self.name}` is text, which has no highest or lowest; use a number or a date")

    def require_number(self, function: str) -> None:
        """Raise a `TableRequestError` if the values cannot be added up, or the column has two readings.

        Args:
            function: Name of the calculation, for the message.
        """
        self.require_certain()
        if self.type not in NUMERIC:
            examples = ", ".join(repr(text) for text in self.column["samples"])
            kind = "text" if self.type == "text" else f"a {self.type}"
            raise TableRequestError(
                f"`{self.name}` is {kind}, not a number ({examples}), so {function} is not possible"
            )

    def require_certain(self) -> None:
        """Raise a `TableRequestError` if the column has two readings, e.g. dates with day or month first."""
        if self.column["doubt"]:
            raise TableRequestError(f"`{self.name}`: {Doubt(*self.column['doubt']).describe()}")


@dataclass(frozen=True)
class ComputedField(Field):
    """Column computed row by row from two columns."""

    sql: str = ""

    @property
    def value(self) -> str:
        """SQL for the computed values."""
        return self.sql


def compute_field(name: str, left: Field, op: str, right: Field) -> ComputedField:
    """Build a computed column from two number columns: `left op right` in each row.

    Merged cells count in every row that they span, and division by zero gives an empty value.

    Raises:
        TableRequestError: A column is not a number, or the units do not go together.
    """
    for item in (left, right):
        item.require_number(f"`{left.name}` {op} `{right.name}`")
        if item.type != "number" or item.column["mixed"]:
            fact = "has several units" if item.column["mixed"] else f"is a {item.type}"
            raise TableRequestError(f"`{item.name}` {fact}, so {op} is not possible")
    units = [str(entry.column["unit"]) for entry in (left, right)]
    if op in {"+", "-"} and units[0] != units[1]:
        left_unit, right_unit = (f"is in {unit}" if unit else "has no unit" for unit in units)
        raise TableRequestError(f"`{left.name}` {left_unit} and `{right.name}` {right_unit}, so {op} is not possible")
    facts = {
        "name": name, "type": "number", "unit": _combine_units(units[0], op, units[1]), "mixed": [], "doubt": [],
        "filter_doubt": "", "empty": 0, "unread": 0, "examples": [], "samples": [], "hidden": False, "template": {},
        "values": [], "distinct": 0,
    }  # fmt: skip
    # Percentages are divided by 100 in multiplication and division.
    first, second = (
        f"({entry.label} / 100.0)" if entry.column["unit"] == "%" and op in {"*", "/"} else entry.label
        for entry in (left, right)
    )
    divisor = f"nullif({second}, 0)" if op == "/" else second
    return ComputedField(facts, left.alias, -1, "", f"({first} {op} {divisor})")


def _combine_units(left: str, op: str, right: str) -> str:
    """Return the unit of a computed column: "€" / "kg" → "€/kg", "€" + "€" → "€".

    Empty for percentages, for equal units divided, and for a product of two units.
    """
    if op in {"+", "-"}:
        return left
    if "%" in {left, right}:
        return ""
    if op == "/":
        return "" if left == right else f"{left}/{right}" if right else left
    return "" if left and right else left or right


@dataclass(frozen=True)
class Relation:
    """Source of a statement: a stored table, or several stored tables with equal columns."""

    name: str
    source: str
    parts: Sequence[StoredPart]

    @cached_property
    def columns(self) -> list[Facts]:
        """Facts about each column. For several tables, the facts of the first table."""
        return list(self.parts[0].facts["columns"])

    @cached_property
    def rows(self) -> int:
        """Number of rows, including hidden rows."""
        return sum(part.facts["rows"] for part in self.parts)

    def has(self, kind: str) -> bool:
        """Report whether the relation has `hidden` or `doubtful` rows."""
        return any(part.facts[kind] for part in self.parts)

    def list_fields(self, alias: str) -> list[Field]:
        """Return the columns, for a statement that calls the relation by an alias."""
        return [
            Field(
                column,
                alias,
                at,
                "".join(sorted({c for part in self.parts for c in part.facts["columns"][at]["parts"]})),
            )
            for at, column in enumerate(self.columns)
        ]

    def find_field(self, name: str, alias: str) -> Field:
        """Find a column by name, ignoring case, width, blanks and punctuation.

        Raises:
            TableRequestError: No column has the name, or several do.
        """
        fields = self.list_fields(alias)
        return fields[find_name(name, [field.name for field in fields], "column")]

    def write(self, alias: str) -> str:
        """Write the relation for the FROM clause of a statement.

        Besides the stored columns it has `kind` (see `table_store`), `part`, the index of the stored table, and `row`,
        the row number in the document.
        """
        selected = []
        for number, part in enumerate(self.parts):
            row = "" if part.facts["numbered"] else f", file_row_number + {int(part.facts['first'])} AS row"
            kind = "" if part.facts["hidden"] or part.facts["doubtful"] else ", 0 AS kind"
            selected.append(
                f"SELECT *, {number} AS part{row}{kind} FROM read_parquet('{part.path}', file_row_number=true)"  # noqa: S608  # ours
            )
        return f"({' UNION ALL BY NAME '.join(selected)}) AS {alias}"


FUNCTIONS: Final = {
    "sum": "kahan_sum({0})", "mean": "kahan_sum({0}) / count({0})", "min": "min({0})", "max": "max({0})",
    "median": "median({0})", "distinct": "count(DISTINCT {0})", "count": "count({0})",
}  # fmt: skip
ARITHMETIC: Final = frozenset({"sum", "mean", "median"})
