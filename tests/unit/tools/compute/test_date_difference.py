"""Years, ages, months and days between dates of any era."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import ToolMessage
from langchain_core.tools import ToolException
from pydantic import ValidationError

from weiwo.tools.compute.date_difference import DateDifference, _Unit


def call(start: str, end: str, unit: str = "years") -> ToolMessage:
    args = {"start": start, "end": end, "unit": unit}
    message = DateDifference().invoke({"type": "tool_call", "id": "1", "name": "date_difference", "args": args})
    assert isinstance(message, ToolMessage)
    return message


@pytest.mark.parametrize(
    ("start", "end", "unit", "expected"),
    [
        ("156 BC", "100 BC", "years", (56, "start", True)),
        ("100 BC", "156 BC", "years", (56, "end", True)),
        ("63 BC", "AD 14", "years", (76, "start", True)),
        ("公元前156年", "公元前87年", "years", (69, "start", True)),
        ("-156", "12 July 100 BC", "years", (56, "start", True)),
        ("1969", "July 1969", "years", (0, "same", True)),
        ("12 July 100 BC", "15 March 44 BC", "age", (55, "start", True)),
        ("12 July 100 BC", "12 July 44 BC", "age", (56, "start", True)),
        ("1881-09-25", "1936-10-19", "age", (55, "start", True)),
        ("1881-09", "1936-08", "age", (54, "start", True)),
        ("1881-09", "1936-09", "age", (55, "start", False)),
        ("1881", "1936-10-19", "age", (55, "start", False)),
        ("1936", "1936-10-19", "age", (0, "same", True)),
        ("1969-07-16", "1969-09-15", "months", (1, "start", True)),
        ("1969-07-16", "1969-09-16", "months", (2, "start", True)),
        ("1969-07", "1969-09", "months", (2, "start", False)),
        ("1969-07-16", "1969-07-24", "days", (8, "start", True)),
        ("1 January AD 1", "31 December 1 BC", "days", (1, "end", False)),
    ],
)
def test_differences(start: str, end: str, unit: str, expected: tuple[int, str, bool]) -> None:
    message = call(start, end, unit)
    artifact = message.artifact
    assert (artifact["value"], artifact["earlier"], artifact["exact"]) == expected
    assert (artifact["type"], artifact["unit"]) == ("number", unit)
    assert ("may be one" in message.text or "Gregorian" in message.text) is not expected[2]


def test_content_is_a_phrase() -> None:
    message = call("156 BC", "100 BC")
    assert message.content == "56 years (156 BC to 100 BC)"
    assert (message.artifact["start"], message.artifact["end"]) == ("-156", "-100")
    assert call("1969", "1970").text.startswith("1 year (")


@pytest.mark.parametrize(
    ("start", "end", "unit", "words"),
    [
        ("the 5th century BC", "100 BC", "years", "cannot read start"),
        ("100 BC", "156–87 BC", "years", "cannot read end"),
        ("1969", "1970-01-01", "days", "1969 is too vague"),
        ("1969-07-20", "July 1970", "days", "July 1970 is too vague"),
        ("1969", "1970-01-01", "months", "1969 is too vague"),
    ],
)
def test_what_cannot_be_told_is_said_in_one_line(start: str, end: str, unit: str, words: str) -> None:
    with pytest.raises(ToolException, match=words) as raised:
        call(start, end, unit)
    assert "\n" not in str(raised.value)


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(ValidationError):
        call("1969", "1970", "weeks")


async def test_it_works_asynchronously() -> None:
    assert await DateDifference().ainvoke({"start": "1969", "end": "1970"}) == "1 year (1969 to 1970)"


@given(st.dates(), st.dates(), st.sampled_from(["years", "age", "months", "days"]))
def test_it_is_symmetric_and_agrees_with_the_calendar(left: dt.date, right: dt.date, unit: _Unit) -> None:
    there, back = call(str(left), str(right), unit), call(str(right), str(left), unit)
    assert there.artifact["value"] == back.artifact["value"] >= 0
    earlier, later = sorted((left, right))
    expected = {
        "years": later.year - earlier.year,
        "age": later.year - earlier.year - ((later.month, later.day) < (earlier.month, earlier.day)),
        "months": 12 * (later.year - earlier.year) + later.month - earlier.month - (later.day < earlier.day),
        "days": (later - earlier).days,
    }
    assert there.artifact["value"] == expected[unit]
