"""The `date_difference` tool: years, ages, months and days between two dates of any era."""

from typing import Any, Final, Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from weiwo.state import JsonValue
from weiwo.text.dates import PartialDate, format_date, parse_date
from weiwo.tools.calling.errors import ToolCallError

_Unit = Literal["years", "age", "months", "days"]
ContentAndArtifact = tuple[str, dict[str, JsonValue]]

_GREGORIAN: Final = PartialDate(1582, 10, 15)
"""First day of the Gregorian calendar. Sources give earlier days in the Julian calendar."""

_DATE: Final = "A year, month or day of any era: 156 BC, -156, 12 July 100 BC, 1969-07-20, 公元前156年."


class DateDifferenceArguments(BaseModel):
    """Arguments of `date_difference`."""

    start: str = Field(description=f"The first date. {_DATE}")
    end: str = Field(description="The second date, in any of the same forms; it may be the earlier one.")
    unit: _Unit = Field(
        "years",
        description=(
            "years: difference of the calendar years. age: completed years. months: completed months. days: days, "
            "for which both dates must be known to the day."
        ),
    )


class DateDifference(BaseTool):
    """Tool for the difference between two dates, never negative, and the earlier of the two.

    The artifact is `{"value", "type", "unit", "start", "end", "earlier", "exact"}`: value a whole number of the unit,
    type "number", dates in ISO form, earlier "start", "end" or "same". Exact is false if the dates are too vague for an
    age or a number of months, which may then be one less, and for days counted in the Gregorian calendar before its
    time. There is no year 0 between 1 BC and AD 1.

    Raises:
        ToolCallError: `bad_arguments`: a date cannot be read, or is too vague for the unit. One line says which.
    """

    name: str = "date_difference"
    description: str = "Work out the years, completed years (age), months or days between two dates of any era."
    args_schema: Any = DateDifferenceArguments
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"

    def _run(self, start: str, end: str, unit: _Unit = "years") -> ContentAndArtifact:
        return _calculate(start, end, unit)


def _calculate(start: str, end: str, unit: _Unit) -> ContentAndArtifact:
    first, second = _parse_argument("start", start), _parse_argument("end", end)
    earlier, later = sorted((first, second))
    value, exact = _difference(earlier, later, unit)
    order = "same" if earlier.contains(later) else "start" if first < second else "end"
    artifact: dict[str, JsonValue] = {
        "value": value,
        "type": "number",
        "unit": unit,
        "start": first.iso(),
        "end": second.iso(),
        "earlier": order,
        "exact": exact,
    }
    noun = {"years": "year", "age": "completed year", "months": "month", "days": "day"}[unit]
    between = f"{format_date(first, 'en')} to {format_date(second, 'en')}"
    content = f"{value} {noun}{'s' * (value != 1)} ({between})"
    if not exact and unit == "days":
        content += "; counted in the Gregorian calendar, which was not in use at the earlier date"
    elif not exact:
        larger = "month" if unit == "months" else "year"
        content += f"; it may be one {larger} less, the dates are not known to the day"
    return content, artifact


def _parse_argument(argument: str, text: str) -> PartialDate:
    try:
        return parse_date(text)
    except ValueError as error:
        raise ToolCallError(
            "bad_arguments",
            f"date_difference: cannot read {argument}: {error}; give one date such as 156 BC, 1969-07-20 or"
            " 公元前156年",
        ) from None


def _difference(earlier: PartialDate, later: PartialDate, unit: _Unit) -> tuple[int, bool]:
    """Return the difference in a unit, and whether the difference is exact (see `DateDifference`).

    Raises:
        ToolCallError: `bad_arguments`, if a date is too vague for the unit.
    """
    years = later.astronomical - earlier.astronomical
    if unit == "years":
        return years, True
    if unit == "age":
        if years == 0:
            return 0, True
        passed = _is_reached((earlier.month, earlier.day), (later.month, later.day))
        return (years, False) if passed is None else (years - (not passed), True)
    if unit == "months":
        if earlier.month is None or later.month is None:
            raise _vagueness_error(earlier if earlier.month is None else later, "a month")
        months = 12 * years + later.month - earlier.month
        passed = months == 0 or _is_reached((earlier.day,), (later.day,))
        return (months, False) if passed is None else (months - (not passed), True)
    first, last = earlier.ordinal(), later.ordinal()
    if first is None or last is None:
        raise _vagueness_error(earlier if first is None else later, "a day")
    return last - first, earlier >= _GREGORIAN


def _is_reached(before: tuple[int | None, ...], after: tuple[int | None, ...]) -> bool | None:
    """Report whether `after` is the same as `before` or later. Both are (month, day) or (day,).

    (5, 2) has not reached (5, 3). None if a part that decides is missing.
    """
    for left, right in zip(before, after, strict=True):
        if left is None or right is None:
            return None
        if left != right:
            return left < right
    return True


def _vagueness_error(date: PartialDate, needed: str) -> ToolCallError:
    return ToolCallError(
        "bad_arguments",
        f"date_difference: {format_date(date, 'en')} is too vague, this unit needs {needed}; "
        "give the date more precisely, or ask for years",
    )
