"""Columns of a known table, as far as a question over the table depends on them."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

from weiwo.nodes.shared.question.table_mentions import list_table_forms, names_people
from weiwo.text.records import NAME_KEYS
from weiwo.tools.tables.columns import fold_value

_FIRST_LONG: Final = 1_000
"""Least of a column's numbers from which, if all are different and have as many digits, they are identifiers."""


class TableColumns:
    """Facts about the columns of a table. Columns are named by their index (`at`)."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        """Take the columns of a table.

        Args:
            table: The description of the table by the catalog.
        """
        self._columns: Sequence[Mapping[str, Any]] = table["columns"]
        self._rows: int = table["rows"]
        self._table_name = str(table["name"])

    def name(self, at: int) -> str:
        """Return the name of a column."""
        return str(self._columns[at]["name"])

    def is_clean(self, at: int, types: AbstractSet[str]) -> bool:
        """Report whether a column has one of the types, with no value of another type and none left unread."""
        column = self._columns[at]
        return column["type"] in types and not column["mixed"] and not column["unread"]

    def find_only(self, kind: str) -> int | None:
        """Return the index of the only column of a type. None if there is none, or more than one."""
        found = [at for at, column in enumerate(self._columns) if column["type"] == kind]
        return found[0] if len(found) == 1 else None

    def is_key(self, at: int) -> bool:
        """Report whether a column identifies the rows: it is the first, and all its values are different.

        A question that names it means the rows.
        """
        return at == 0 and bool(self._columns[at]["distinct"] == self._rows) and not self.is_quantity(at)

    def is_quantity(self, at: int) -> bool:
        """Report whether a column of numbers has quantities, and not row numbers or identifiers."""
        column = self._columns[at]
        if column["type"] != "number" or column["unit"] or not column.get("range"):
            return False
        low, high = column["range"]
        rows = self._rows
        numbers = column["distinct"] == rows > 1 and high - low < 2 * rows and low >= 1
        alike = column["distinct"] == rows and low >= _FIRST_LONG and len(f"{low:.0f}") == len(f"{high:.0f}")
        return not numbers and not alike

    def lists_people(self) -> bool:
        """Report whether each row is about a person: a column with names of people has another value in each row."""
        return any(column["distinct"] == self._rows and names_people(str(column["name"])) for column in self._columns)

    def find_names(self, *, people: bool = False) -> int | None:
        """Return the index of the column that names the things in the rows. None unless there is exactly one.

        It is called "name", or like the table, or, for `people`, has names of people.
        """
        names = [fold_value(str(column["name"])) for column in self._columns]
        known = [at for at, name in enumerate(names) if name in NAME_KEYS]
        known = known or [at for at, name in enumerate(names) if name in list_table_forms(self._table_name)]
        if people and not known:
            texts = [at for at, column in enumerate(self._columns) if column["type"] == "text"]
            known = [at for at in texts if names_people(names[at])]
        return known[0] if len(known) == 1 else None

    def find_namesake(self) -> int | None:
        """Return the index of the column with the table's name. None unless there is exactly one."""
        called = list_table_forms(self._table_name)
        found = [at for at, column in enumerate(self._columns) if fold_value(str(column["name"])) in called]
        return found[0] if len(found) == 1 else None
