"""The `calculator` tool: exact, bounded arithmetic over numbers and dates."""

from typing import Any, Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from weiwo.state import JsonValue
from weiwo.text.dates import PartialDate, format_date
from weiwo.text.numbers import format_number
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.compute.arithmetic import evaluate

ContentAndArtifact = tuple[str, dict[str, JsonValue]]

_WIDEST = 2**63
"""Limit of whole numbers in a checkpoint."""


class CalculatorArguments(BaseModel):
    """Arguments of `calculator`."""

    expression: str = Field(
        description=(
            "Arithmetic such as (472.58 - 6.3) / 2, 15% * 200, max(3, 5), avg([1, 2, 3]), 5 > 3, or "
            "date(-100) - date(-156) for the years between two dates (-156 is 156 BC). Functions: min max abs round "
            "sum avg sqrt date."
        )
    )


class Calculator(BaseTool):
    """Tool for evaluating an expression.

    The artifact is `{"value", "type", "expression"}`, type number, date or boolean. In the artifact a date is an ISO
    string, and a whole number beyond 64 bits a float. The content has all its digits.

    Raises:
        ToolCallError: `bad_arguments`: the expression cannot be evaluated. One line gives the reason and the fix.
    """

    name: str = "calculator"
    description: str = "Work out arithmetic, comparisons, averages and differences of dates exactly."
    args_schema: Any = CalculatorArguments
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"

    def _run(self, expression: str) -> ContentAndArtifact:
        try:
            result = evaluate(expression)
        except ValueError as error:
            raise ToolCallError("bad_arguments", f"calculator: {error}") from None
        value: JsonValue
        if isinstance(result, PartialDate):
            content, value, kind = format_date(result, "en"), result.iso(), "date"
        elif isinstance(result, bool):
            content, value, kind = ("true" if result else "false"), result, "boolean"
        else:
            wide = isinstance(result, int) and not -_WIDEST <= result < _WIDEST
            content, value, kind = format_number(result, "zh"), float(result) if wide else result, "number"
        return content, {"value": value, "type": kind, "expression": expression}


__all__ = ["Calculator", "CalculatorArguments", "evaluate"]
