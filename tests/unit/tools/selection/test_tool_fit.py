"""Fit of a tool to a question: what is asked is what it is about, and its arguments are in the question."""

from dataclasses import replace

import pytest
from langchain_core.tools import tool

from weiwo.nodes.shared.question.parser import parse_question
from weiwo.tools.registry import Registry
from weiwo.tools.selection.tool_fit import fit_tool


@tool
def get_weather(city: str) -> str:
    """Current weather of a city: temperature, wind, rain."""
    return city


@tool
def flight_search(query: str) -> str:
    """Search for flights between two airports by date."""
    return query


@tool
def stock_price(symbol: str) -> str:
    """Current price of a stock by its ticker symbol."""
    return symbol


@tool
def tickets(query: str) -> str:
    """Search the tickets of our support desk."""
    return query


@tool
def tianqi(city: str) -> str:
    """查询某个城市现在的天气和气温。"""
    return city


@tool
def convert_currency(amount: float, source: str, target: str) -> str:
    """Convert an amount from one currency to another at today's exchange rate."""
    return f"{amount} {source} {target}"


POOL = Registry([get_weather, flight_search, stock_price, tickets, tianqi, convert_currency])


@pytest.mark.parametrize(
    ("question", "fitting"),
    [
        ("What is the weather in Oslo?", {"get_weather": {"city": "Oslo"}}),
        ("What's the weather in Berlin right now?", {"get_weather": {"city": "Berlin"}}),
        ("What is the temperature in New York City?", {"get_weather": {"city": "New York City"}}),
        ("What is the price of NVDA stock?", {"stock_price": {"symbol": "NVDA"}}),
        ("Find flights from Oslo to Berlin", {"flight_search": {"query": "Find flights from Oslo to Berlin"}}),
        ("Which tickets about printers are open?", {"tickets": {"query": "Which tickets about printers are open?"}}),
        ("北京现在的天气怎么样？", {"tianqi": {"city": "北京"}}),
        ("奥斯陆天气怎么样？", {"tianqi": {"city": "奥斯陆"}}),
        ("What is the weather forecast for Oslo?", {}),  # it tells the weather of now
        ("What is the weather in Oslo and in Bergen?", {}),  # which city?
        ("When was the Weather Channel founded?", {}),
        ("What was the budget of the weather balloon programme?", {}),
        ("How does weather work?", {}),
        ("Who wrote Hamlet?", {}),
        ("Convert 20 USD to EUR", {}),  # amount, source and target cannot be told apart by rule
        ("《红楼梦》的作者是谁？", {}),
    ],
)
def test_only_what_answers_the_question_fits(question, fitting):
    frame = parse_question(question, "zh" if not question.isascii() else "en")
    found = {info.name: fit.args for info in POOL.infos() if (fit := fit_tool(frame, info)) is not None}
    assert found == fitting


def test_a_choice_is_filled_only_where_the_question_names_one():
    schema = {
        "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "kelvin"]}},
        "required": ["city", "unit"],
    }
    given = replace(POOL.info("get_weather"), args_schema=schema)
    named = fit_tool(parse_question("What is the weather in Oslo in kelvin?", "en"), given)
    assert named is not None
    assert named.args["unit"] == "kelvin"
    assert fit_tool(parse_question("What is the weather in Oslo?", "en"), given) is None


@tool
def staff_directory(name: str) -> str:
    """Look up when a member of staff was hired."""
    return name


def test_words_that_only_the_search_has_do_not_count_against_a_tool() -> None:
    frame = parse_question("When was Ann Lee hired?", "en").model_copy(update={"search": "Ann Lee hired hiring date"})
    fit = fit_tool(frame, Registry([staff_directory]).info("staff_directory"))
    assert fit is not None
    assert (fit.coverage, fit.args) == (1.0, {"name": "Ann Lee"})
