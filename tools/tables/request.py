"""Typed table request with validation.

Defines the arguments of `query_table`, and finds the nearest name for a wrong name.
"""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from weiwo.state.errors import WeiwoError
from weiwo.text.printable import one_line
from weiwo.tools.tables.columns import fold_value

_SHOWN: Final = 12
_LONGEST: Final = 400
_Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "contains", "between"]
_Function = Literal["count", "sum", "mean", "min", "max", "median", "distinct"]
_Name = Annotated[str, Field(max_length=200)]
_Plain = float | _Name


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Filter(_Model):
    """Condition on rows."""

    column: _Name
    op: _Operator = Field("=", description="`in` takes a list, `between` a list of two.")
    value: _Plain | list[_Plain] = Field(description="A number, a text, a date (2024, 2024-03, 2024-03-01), or a list.")

    @property
    def values(self) -> list[_Plain]:
        """Values of the condition as a list, also for a single value."""
        return self.value if isinstance(self.value, list) else [self.value]


class Measure(_Model):
    """Figure computed over all rows, or over each group."""

    function: _Function
    column: _Name = Field("", description="Empty only for count, which then counts rows.")


class _Join(_Model):
    """Join with another table on two equal columns.

    The joined table's columns are then named like any other.
    """

    table: _Name
    left: _Name = Field(description="The column of the first table.")
    right: _Name = Field(description="The column of the joined table.")


class Computed(_Model):
    """Column computed row by row from two number columns, also of the joined table."""

    name: _Name = Field(description="A new name, by which measures, columns and order_by may use it.")
    left: _Name
    op: Literal["+", "-", "*", "/"]
    right: _Name


class Assumption(_Model):
    """Record that words of a question were taken for a column, or for a value of a column."""

    words: _Name
    column: _Name
    value: _Name = ""


class TableRequest(_Model):
    """Request for the rows of a table that match conditions, or for figures computed over them."""

    table: _Name = Field(description="The table: its name, or its file.")
    columns: list[_Name] = Field(default_factory=list, max_length=20, description="Columns to give, without measures.")
    filters: list[Filter] = Field(default_factory=list, max_length=10)
    group_by: list[_Name] = Field(default_factory=list, max_length=3)
    measures: list[Measure] = Field(default_factory=list, max_length=5)
    order_by: _Name = Field("", description="A column, or a measure such as sum(amount); empty for the table's order.")
    descending: bool = True
    top: int = Field(20, ge=1, le=200, description="Rows or groups to give at most.")
    join: _Join | None = None
    computed: list[Computed] = Field(
        default_factory=list, max_length=5, description="New columns, such as revenue = units * price."
    )
    assumed: list[Assumption] = Field(
        default_factory=list, max_length=10, description="Words that were taken for other names; told with the answer."
    )
    unused: list[_Name] = Field(default_factory=list, max_length=10, description="Words that no name explains.")


class TableRequestError(WeiwoError, ValueError):
    """Error raised if a request cannot be run.

    The message is one line that says what is wrong and what exists.
    """


def find_name(wanted: str, names: Sequence[str], what: str) -> int:
    """Return the index of a name among names, ignoring case, width, blanks and punctuation.

    If several names match, the exact spelling decides.

    Args:
        wanted: The name to look for.
        names: Existing names.
        what: Kind of thing for the message, such as "column".

    Raises:
        TableRequestError: No name matches, or several do. The message gives the nearest.
    """
    keys = [_key(name) for name in names]
    if keys.count(_key(wanted)) == 1:
        return keys.index(_key(wanted))
    exact = [at for at, name in enumerate(names) if name == wanted]
    if len(exact) == 1:
        return exact[0]
    nearest = f"; the nearest is `{names[find_nearest(wanted, names)]}`" if names else ""
    raise TableRequestError(one_line(f"no {what} `{wanted}`{nearest}. There are: {_list_names(names)}", _LONGEST))


def find_nearest(wanted: str, names: Sequence[str]) -> int:
    """Return the index of the name spelled most like the wanted name."""
    key = _key(wanted)[:100]
    return max(range(len(names)), key=lambda at: SequenceMatcher(None, key, _key(names[at])[:100]).ratio())


def _list_names(names: Iterable[str]) -> str:
    """Return up to `_SHOWN` names on one line, and with more the total: "a, b, … (20 in all)"."""
    known = list(names)
    more = f", … ({len(known)} in all)" if len(known) > _SHOWN else ""
    return ", ".join(known[:_SHOWN]) + more


def unknown_value(column: str, value: str, known: Sequence[Any]) -> TableRequestError:
    """Build the error for a value absent from all rows.

    The message lists the nearest values, or all values if they are few.
    """
    texts = [str(item) for item in known]
    near = get_close_matches(fold_value(value), texts[:5_000], 5, 0.5) if len(texts) > _SHOWN else texts
    has = f"`{column}` has: {_list_names(near)}" if near else f"`{column}` has {len(texts):,} other values"
    return TableRequestError(one_line(f"no row has `{column}` = '{value}'; {has}", _LONGEST))


def _key(name: str) -> str:
    return "".join(c for c in fold_value(name) if c.isalnum())
