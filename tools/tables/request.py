"""The typed request over a table, and what a result is: what `query_table` takes and gives."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

_Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "contains", "between"]
_Function = Literal["count", "sum", "mean", "min", "max", "median", "distinct"]
_Name = Annotated[str, Field(max_length=200)]
_Plain = float | _Name


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Filter(_Model):
    """A condition that rows have to meet."""

    column: _Name
    op: _Operator = Field("=", description="`in` takes a list, `between` a list of two.")
    value: _Plain | list[_Plain] = Field(description="A number, a text, a date (2024, 2024-03, 2024-03-01), or a list.")


class Measure(_Model):
    """A figure made of the rows, or of each group of them."""

    function: _Function
    column: _Name = Field("", description="Empty only for count, which then counts rows.")


class _Join(_Model):
    """Another table whose rows are joined where two columns are equal; its columns are then named like any other."""

    table: _Name
    left: _Name = Field(description="The column of the first table.")
    right: _Name = Field(description="The column of the joined table.")


class TableRequest(_Model):
    """A request: rows of a table that meet conditions, as they are or made into figures."""

    table: _Name = Field(description="The table: its name, or its file.")
    columns: list[_Name] = Field(default_factory=list, max_length=20, description="Columns to give, without measures.")
    filters: list[Filter] = Field(default_factory=list, max_length=10)
    group_by: list[_Name] = Field(default_factory=list, max_length=3)
    measures: list[Measure] = Field(default_factory=list, max_length=5)
    order_by: _Name = Field("", description="A column, or a measure such as sum(amount); empty for the table's order.")
    descending: bool = True
    top: int = Field(20, ge=1, le=200, description="Rows or groups to give at most.")
    join: _Join | None = None
