"""Exact, bounded arithmetic: right results, and one clear line for everything else."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import ToolMessage
from langchain_core.tools import ToolException

from weiwo.text.dates import PartialDate
from weiwo.tools.compute.calculator import Calculator, evaluate


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("(3 + 4) * 2", 14),
        ("7 // 2 + 7 % 2", 4),
        ("2**10", 1024),
        ("2^3^2", 512),
        ("3×4÷2−1", 5),
        ("１，２３４＋１", 1235),
        ("5²", 25),
        ("6/3", 2),
        ("10**30 + 1", 10**30 + 1),
        ("0.1 + 0.2", 0.3),
        ("0.1 + 0.2 == 0.3", True),
        ("1/3", 0.333333333333333),
        ("10**-2", 0.01),
        ("007 + 1", 8),
        ("15%", 0.15),
        ("200 * 15%", 30),
        ("200 / 15%", 1333.33333333333),
        ("15% - 3", -2.85),
        ("7 % 3", 1),
        ("7%(3)", 1),
        ("1,234 + 1,000,000", 1001234),
        ("max(1,234, 5)", 1234),
        ("max(6,300, 5,464)", 6300),
        ("max(120,300)", 300),
        ("abs(6,300)", 6300),
        ("sum([1, 2, 3])", 6),
        ("avg(1, 2)", 1.5),
        ("mean([1, 2, 3])", 2),
        ("round(2.5)", 3),
        ("round(-2.5)", -3),
        ("round(1.005, 2)", 1.01),
        ("round(1234, -2)", 1200),
        ("sqrt(16)", 4),
        ("sqrt(10**40)", 10**20),
        ("1 < 2 < 3", True),
        ("3 ≠ 3", False),
        ("date(14) - date(-63)", 76),
        ("date(-100) - date(-156)", 56),
        ("date(1) - date(-1)", 1),
        ("date(-156) < date(-100)", True),
        ("min([date(-156), date(-100)])", PartialDate(-156)),
        ("max(date(1969, 07, 20), date(1970))", PartialDate(1970)),
    ],
)
def test_results(expression: str, result: object) -> None:
    value = evaluate(expression)
    assert value == result
    assert type(value) is type(result)


@pytest.mark.parametrize(
    "expression",
    [
        "", " ", "1 +", "x", "1/0", "0**-1", "1 % 0", "(-8)**0.5", "sqrt(-1)", "[1, 2]", "max([1, 2], 3)", "sum([])",
        "avg()", "abs(1, 2)", "f(1)", "date(0)", "date(1969, 13)", "date(1.5)", "date(1) + 1", "max(date(1), 2)",
        "(1 < 2) + 1", "date(1969) < date(1969, 7)", "date(1) < 2", "2000-12-20", "156 BC", "公元前156年", "5km",
        "0x10", "1_000", "1j", "'a'", "1;2", "1 if 2 else 3", "1 and 2", "not 1", "~1", "1 << 2", "a.b",
        "[i for i in [1]]", "lambda: 1", "__import__('os')", "min(*[1])", "round(1, ndigits=2)", "9**9**9", "10**301",
        "2**1000000", "1e400", "1e300 * 10", "10**300 * 10**300", "5 = 5", "x := 1", "100 000", "(1, 2)", "1,23",
        "f''", "\x00", "round(1.5, 10**9)",
    ],
)  # fmt: skip
def test_everything_else_is_refused_in_one_line(expression: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as raised:
        evaluate(expression)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize(
    "expression",
    [
        "1" * 20_001,
        "+".join("1" * 1500),
        "(" * 19_999,
        "-" * 19_999 + "1",
        "[" * 10_000 + "]" * 10_000,
        "9" * 20_000,
    ],
)
def test_size_is_bounded(expression: str) -> None:
    with pytest.raises(ValueError, match=r"^.{1,300}$"):
        evaluate(expression)


@given(st.text(max_size=60) | st.text(alphabet="0123456789+-*/%()[],. <>=e", max_size=60))
def test_any_text_has_a_finite_result_or_a_value_error(expression: str) -> None:
    try:
        result = evaluate(expression)
    except ValueError:
        return
    assert isinstance(result, PartialDate) or abs(result) <= 10**300


@given(st.integers(-(10**20), 10**20), st.integers(-(10**20), 10**20), st.sampled_from("+-*"))
def test_integers_are_exact(left: int, right: int, operator: str) -> None:
    exact = {"+": left + right, "-": left - right, "*": left * right}[operator]
    assert evaluate(f"({left}) {operator} ({right})") == exact
    assert evaluate(f"({left:,}) {operator} ({right:,})") == exact
    assert evaluate(f"max({left:,}, {right:,})") == max(left, right)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=30))
def test_averages(numbers: list[int]) -> None:
    average = evaluate(f"avg({numbers})")
    assert isinstance(average, int | float)
    assert math.isclose(average, sum(numbers) / len(numbers), abs_tol=1e-9)


def call(expression: str) -> ToolMessage:
    message = Calculator().invoke(
        {"type": "tool_call", "id": "1", "name": "calculator", "args": {"expression": expression}}
    )
    assert isinstance(message, ToolMessage)
    return message


@pytest.mark.parametrize(
    ("expression", "content", "value", "type_"),
    [
        ("date(-100) - date(-156)", "56", 56, "number"),
        ("6300 * 2", "12600", 12600, "number"),
        ("min(date(-156), date(-100))", "156 BC", "-156", "date"),
        ("5 > 3", "true", True, "boolean"),
        ("10**30", "1" + "0" * 30, 1e30, "number"),
    ],
)
def test_the_tool_gives_content_and_artifact(expression: str, content: str, value: object, type_: str) -> None:
    message = call(expression)
    assert message.content == content
    assert message.artifact == {"value": value, "type": type_, "expression": expression}


async def test_the_tool_works_asynchronously_and_says_what_is_wrong() -> None:
    assert await Calculator().ainvoke({"expression": "1 + 1"}) == "2"
    with pytest.raises(ToolException, match="calculator: division by zero"):
        await Calculator().ainvoke({"expression": "1/0"})
