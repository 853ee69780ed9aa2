"""Relations: stored tables as a statement reads them, and the columns of a request by name.

A relation is one stored table, or several of like columns asked together. Names from outside never stand in a
statement: columns are `c0`, `s0`, `l0`, `u0` of the stored file (see `table_store`), values are parameters, and the
paths are those of files that this process made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from weiwo.state.cached_property import cached_property
from weiwo.text.cell_values import Doubt
from weiwo.tools.tables.columns import NUMERIC, ORDERED, show_number
from weiwo.tools.tables.request import RequestError, find_name

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class StoredPart:
    """A stored table: its name, its document, what is known of it, and the file that holds it."""

    name: str
    source: str
    facts: Facts
    path: str

    def locate(self, row: int) -> str:
        """Return the place of a row, by its number in the document."""
        unit, within = self.facts["unit"], self.facts["within"]
        return ", ".join(filter(None, (within, f"{unit} {row}" if unit else "")))


@dataclass(frozen=True)
class Field:
    """A column as a statement names it."""

    column: Facts
    alias: str
    at: int
    parts: str  # what the file has of it beside its values: "s", "l", "u"

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.column["name"])

    @property
    def type(self) -> str:
        """Type of its values."""
        return str(self.column["type"])

    @property
    def value(self) -> str:
        """Its values, merged cells counted once."""
        return f"{self.alias}.c{self.at}"

    @property
    def label(self) -> str:
        """Its values, those of merged cells in every row that they span."""
        return f"coalesce({self.alias}.l{self.at}, {self.value})" if "l" in self.parts else self.value

    @property
    def unit(self) -> str:
        """The units of its cells."""
        return f"{self.alias}.u{self.at}"

    @property
    def shown(self) -> str:
        """Its texts; of numbers without texts of their own, the numbers."""
        if "s" not in self.parts:
            return self.label
        return f"coalesce({self.alias}.s{self.at}, CAST({self.label} AS VARCHAR))"

    @property
    def display(self) -> str:
        """What a result shows of it: numbers as such, values that are kept to be sorted as the document writes them."""
        return self.label if self.type in {"number", "text", "date", "boolean"} else self.shown

    def show(self, value: Any) -> str:
        """A value that a row was read with, as its cell shows it."""
        if isinstance(value, int | float):
            return show_number(value, self.column["template"])
        return "" if value is None else str(value)

    def require_order(self) -> None:
        """Raise where its values have no highest and no lowest."""
        self.require_certain()
        if self.type not in ORDERED:
            raise RequestError(f"`{self.name}` is text: it has no highest or lowest; name a number or a date")

    def require_number(self, function: str) -> None:
        """Raise where its values cannot be added up."""
        self.require_certain()
        if self.type not in NUMERIC:
            examples = ", ".join(repr(text) for text in self.column["samples"])
            raise RequestError(f"`{self.name}` is {self.type}, no number ({examples}): no {function}")

    def require_certain(self) -> None:
        """Raise where the column has two readings."""
        if self.column["doubt"]:
            raise RequestError(f"`{self.name}`: {Doubt(*self.column['doubt']).describe()}")


@dataclass(frozen=True)
class ComputedField(Field):
    """A column that is worked out row by row from two others."""

    sql: str = ""

    @property
    def value(self) -> str:
        """Its values."""
        return self.sql


def compute_field(name: str, left: Field, op: str, right: Field) -> ComputedField:
    """Make a column of two number columns: merged cells count in every row that they span, division by zero is empty.

    Raises:
        RequestError: One of them is no number, or their units do not go together.
    """
    for one in (left, right):
        one.require_number(f"`{left.name}` {op} `{right.name}`")
        if one.type != "number" or one.column["mixed"]:
            raise RequestError(f"`{one.name}` has {'several units' if one.column['mixed'] else one.type}: no {op}")
    units = [str(one.column["unit"]) for one in (left, right)]
    if op in {"+", "-"} and units[0] != units[1]:
        raise RequestError(
            f"`{left.name}` is in {units[0] or 'no unit'}, `{right.name}` in {units[1] or 'none'}: no {op}"
        )
    facts = {
        "name": name, "type": "number", "unit": _combine_units(units[0], op, units[1]), "mixed": [], "doubt": [],
        "filter_doubt": "", "empty": 0, "unread": 0, "examples": [], "samples": [], "hidden": False, "template": {},
        "values": [], "distinct": 0,
    }  # fmt: skip
    first, second = (_write_operand(one, op) for one in (left, right))
    divisor = f"nullif({second}, 0)" if op == "/" else second
    return ComputedField(facts, left.alias, -1, "", f"({first} {op} {divisor})")


def _write_operand(one: Field, op: str) -> str:
    """A column as an operand: percentages count as parts of one where they multiply or divide."""
    return f"({one.label} / 100.0)" if one.column["unit"] == "%" and op in {"*", "/"} else one.label


def _combine_units(left: str, op: str, right: str) -> str:
    """The unit of a result; empty of a product of two units."""
    if op in {"+", "-"}:
        return left
    if "%" in {left, right}:
        return ""
    if op == "/":
        return "" if left == right else f"{left}/{right}" if right else left
    return "" if left and right else left or right


@dataclass(frozen=True)
class Relation:
    """One stored table, or several of like columns."""

    name: str
    source: str
    parts: Sequence[StoredPart]

    @cached_property
    def columns(self) -> list[Facts]:
        """What is known of each column; of like tables, of their first."""
        return list(self.parts[0].facts["columns"])

    @cached_property
    def rows(self) -> int:
        """Number of rows, hidden ones included."""
        return sum(part.facts["rows"] for part in self.parts)

    def has(self, kind: str) -> bool:
        """Whether it has `hidden` or `doubtful` rows."""
        return any(part.facts[kind] for part in self.parts)

    def list_fields(self, alias: str) -> list[Field]:
        """The columns under an alias."""
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
        """Return the column of a name, which may be written a little otherwise."""
        fields = self.list_fields(alias)
        return fields[find_name(name, [field.name for field in fields], "column")]

    def write(self, alias: str) -> str:
        """Write the relation as a statement reads it; `kind`, `part` and `row` are among its columns."""
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
