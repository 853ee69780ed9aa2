"""Requests over tables that a model makes, and what it is told of them."""

from dataclasses import replace

import pytest

from tests.support.fake_model import fake
from tests.support.run import services
from weiwo.nodes.shared.planning import table_request, tool_choice
from weiwo.nodes.shared.planning.table_request import check_table_tasks, format_tables, request_by_model
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Plan, Task
from weiwo.tools.tables.query_table import QueryTable


def describe_column(name, type_, samples, unit=""):
    return {
        "name": name, "type": type_, "unit": unit, "values": samples if type_ == "text" else [], "samples": samples,
        "mixed": [], "unread": 0, "distinct": 9, "doubt": [], "range": [],
    }  # fmt: skip


SOLD = {
    "name": "sold", "source": "sold.csv", "sheet": "sold", "titles": {"our sales"}, "parts": [], "rows": 9, "torn": 0,
    "columns": [describe_column("item", "text", ["tea", "cake", "jam"]), describe_column("units", "number", ["3", "4"])],
}  # fmt: skip
PRICES = {
    **SOLD, "name": "prices", "source": "prices.csv", "sheet": "prices", "titles": set(),
    "columns": [describe_column("item", "text", ["tea"]), describe_column("price", "number", ["$2"], "$")],
}  # fmt: skip
REVENUE = {
    "table": "sold",
    "join": {"table": "prices", "left": "item", "right": "item"},
    "computed": [{"name": "revenue", "left": "units", "op": "*", "right": "price"}],
    "measures": [{"function": "sum", "column": "revenue"}],
}
QUESTION = "What is the total revenue of all the items that were sold?"


@pytest.fixture(autouse=True)
def tables(monkeypatch):
    monkeypatch.setattr(table_request, "describe_tables", lambda *_: [SOLD, PRICES])


def run_with(model) -> RunContext:
    run = services(QueryTable(corpus=None), model=model)
    run.registry.__dict__["corpus"] = object()
    return run


def test_tables_are_told_with_types_units_and_sample_rows():
    told = format_tables([SOLD, PRICES])
    assert "sold, 9 rows: item (text); units (number). Rows: tea | 3 // cake | 4 // jam |" in told
    assert "price (number $)" in told
    assert not format_tables([])


async def test_a_question_over_rows_is_one_request_also_across_two_sheets():
    model = fake(TableReply={"thought": "units times price", "request": REVENUE})
    call = await request_by_model(QUESTION, run_with(model))
    assert (call.tool, call.args) == ("query_table", REVENUE)
    assert "price (number $)" in model.asked("TableReply")[0].text


async def test_wrong_names_are_sent_back_once_and_all_together():
    wrong = {"table": "sale", "measures": [{"function": "sum", "column": "unit price"}]}
    model = fake(TableReply=[{"request": wrong}, {"request": REVENUE}])
    assert (await request_by_model(QUESTION, run_with(model))).args == REVENUE
    told = model.asked("TableReply")[1].text
    assert "table: no table `sale`" in told
    assert "measures[0].column: no column `unit price`" in told


@pytest.mark.parametrize("question", ["Who was the first emperor of Rome?", "Why is tea sold here?"])
async def test_a_question_on_something_else_takes_no_call(question):
    model = fake(TableReply={"request": REVENUE})
    assert await request_by_model(question, run_with(model)) is None
    assert not model.requests


async def test_a_question_that_rows_do_not_answer_is_searched():
    assert await request_by_model(QUESTION, run_with(fake(TableReply={"request": None}))) is None


async def test_with_a_model_rules_leave_what_they_would_have_to_assume():
    frame = parse_question("What is the average cost?", "en")
    assert await tool_choice.choose_tables([frame], run_with(fake())) == {}
    alone = replace(run_with(None))
    (call,) = (await tool_choice.choose_tables([frame], alone)).values()
    assert call.args["assumed"] == [{"words": "cost", "column": "price", "value": ""}]


def test_requests_of_a_plan_are_checked_against_the_tables():
    def plan(**args) -> Plan:
        return Plan(tasks=(Task(id="task_1", description="?", tool="query_table", args=args, ret="number"),))

    assert not list(check_table_tasks(plan(**REVENUE), [SOLD, PRICES]))
    assert not list(check_table_tasks(plan(table="Our sales", measures=[{"function": "count"}]), [SOLD, PRICES]))
    (complaint,) = check_table_tasks(plan(table="sold", group_by=["itm"]), [SOLD, PRICES])
    assert complaint.startswith("task_1.args: group_by[0]: no column `itm`; the nearest is `item`")
    assert not list(check_table_tasks(plan(table="{{task_0.ret}}"), [SOLD, PRICES]))


TITLES = {**SOLD, "columns": [describe_column("title", "text", ["Alby", "Bryn"])]}


@pytest.mark.parametrize(
    ("question", "asked"), [("Which was founded first, Alby or Bryn?", 0), ("How many titles are there?", 1)]
)
async def test_a_list_of_titles_is_asked_only_where_rows_are_counted(monkeypatch, question, asked):
    """A collection of documents has such a table, and each comparison would cost a call."""
    monkeypatch.setattr(table_request, "describe_tables", lambda *_: [TITLES])
    model = fake(TableReply={"request": None})
    await request_by_model(question, run_with(model))
    assert len(model.requests) == asked
