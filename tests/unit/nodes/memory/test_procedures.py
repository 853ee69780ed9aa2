"""Procedures: read leniently in both languages, recalled by the question, given to the planner, named by the plan."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.fake_model import fake
from tests.support.run import search_tool, services
from tests.support.states import state_of
from weiwo.nodes.memory.briefing import recall_procedures
from weiwo.nodes.memory.procedures import (
    MOST_BYTES,
    ProcedureFolderError,
    ProcedureFormatError,
    _parse_procedure,
    load_procedures,
)
from weiwo.nodes.planner.node import planner
from weiwo.state import Plan

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "procedures"

HEADINGS = """# Compare offers

## When it applies
- which offer is cheaper
- compare quotes

## Steps
1. Find each price.
   In one currency.
2) Subtract with `calculator`.

## Notes
- not a step

## Tools
calculator, corpus_search

## Hand over
A table.
"""
FRONT = """---
name: Compare offers
when:
  - which offer is cheaper
  - compare quotes
steps:
  - "Find each price. In one currency."
  - Subtract with `calculator`.
tools: [calculator, corpus_search]
hand over: A table.
---
"""
CHINESE = """# 比较报价

## 适用情况
- 哪家报价便宜；比较报价

## 步骤
1、查单价。
2、用 calculator 相减。

## 工具
calculator、corpus_search

## 交付
一张表。
"""


@pytest.mark.parametrize("text", [HEADINGS, FRONT, HEADINGS.replace("\n", "\r\n")])
def test_headings_and_front_matter_say_the_same(text):
    one = _parse_procedure("offers", text)
    assert (one.title, one.cases) == ("Compare offers", ("which offer is cheaper", "compare quotes"))
    assert one.steps == ("Find each price. In one currency.", "Subtract with `calculator`.")
    assert (one.tools, one.deliver) == (("calculator", "corpus_search"), "A table.")


def test_chinese_headings():
    one = _parse_procedure("x", CHINESE)
    assert (one.title, one.cases) == ("比较报价", ("哪家报价便宜", "比较报价"))
    assert one.steps == ("查单价。", "用 calculator 相减。")
    assert (one.tools, one.deliver) == (("calculator", "corpus_search"), "一张表。")


def test_an_introduction_says_when_it_applies_and_steps_may_be_paragraphs():
    one = _parse_procedure(
        "leave", "# Leave\nQuestions about holidays. And sick leave.\n# Steps\nAsk HR.\nQuote the rule."
    )
    assert one.cases == ("Questions about holidays", "And sick leave")
    assert one.steps == ("Ask HR.", "Quote the rule.")


def test_without_a_title_it_goes_by_its_file():
    assert _parse_procedure("hr/leave", "## Steps\n- Ask HR.").title == "hr/leave"


@pytest.mark.parametrize("text", ["", "# Title\nwords", "---\ntitle: x\n", "## Steps\n\n## Tools\ncalculator"])
def test_what_has_no_steps_is_no_procedure(text):
    with pytest.raises(ProcedureFormatError, match="no steps; add a heading"):
        _parse_procedure("x", text)


def test_it_is_bounded():
    text = "## Steps\n" + "\n".join(f"- {'long ' * 500}" for _ in range(100))
    one = _parse_procedure("x", text)
    assert len(one.steps) == 20
    assert max(map(len, one.steps)) == 400


def test_one_line_for_each_bad_file_and_the_others_go_on(tmp_path):
    (tmp_path / "good.md").write_text(HEADINGS)
    (tmp_path / "empty.md").write_text("# Only a title")
    (tmp_path / "binary.md").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "large.md").write_text("x" * (MOST_BYTES + 1))
    (tmp_path / "notes.txt").write_text(HEADINGS)
    known = load_procedures(str(tmp_path))
    assert [one.name for one in known.found] == ["good"]
    assert [line.partition(":")[0] for line in known.problems] == ["binary.md", "empty.md", "large.md"]
    (tmp_path / "empty.md").write_text(CHINESE)
    assert [one.name for one in load_procedures(str(tmp_path)).found] == ["empty", "good"]


def test_a_folder_that_is_none(tmp_path):
    with pytest.raises(ProcedureFolderError, match=r"WEIWO_PROCEDURES: .* is not a folder; set it"):
        load_procedures(str(tmp_path / "gone"))


def test_the_examples_are_ten_and_all_can_be_read():
    known = load_procedures(str(EXAMPLES))
    assert (len(known.found), known.problems) == (10, ())
    assert all(one.cases and one.steps and one.tools and one.deliver for one in known.found)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which vendor is cheaper for laptops, Dell or Lenovo?", "en/supplier-comparison"),
        ("What caused the outage of 3 May and how long did it last?", "en/incident-review"),
        ("By how much did the Mercury project exceed its budget?", "en/budget-variance"),
        ("How many years did Pliny the Elder live?", "en/person-dates"),
        ("苏轼活了多少岁？", "zh/renwu-nianbiao"),
        ("出差住宿的报销标准是多少？", "zh/zhidu-chaxun"),
        ("C919的全称是什么？", ""),
        ("Which of the two tornado outbreaks killed the most people?", ""),
        ("How long is the Danube?", ""),
    ],
)
def test_what_a_question_recalls(question, name):
    found = recall_procedures(question, load_procedures(str(EXAMPLES)))
    assert (found[0].name if found else "") == name


# In the planner.

QUESTION = "Which offer is cheaper, Acme's or Globex's, and by how much?"
VERTICES = [
    {"id": f"task_{n}", "description": f"Price of {name}?", "tool_binding": "corpus_search", "args": {"query": name}}
    for n, name in enumerate(("Acme", "Globex"), 1)
]


async def planned(folder, *, model=None, question=QUESTION):
    events: list[dict] = []
    run = services(search_tool(lambda _: None), model=model, events=events)
    run = type(run)(**{**run.__dict__, "settings": replace(run.settings, procedures=str(folder))})
    update = await planner(state_of(question, run), run)
    return update["plan"], events


@pytest.fixture
def house(tmp_path):
    (tmp_path / "offers.md").write_text(HEADINGS.replace("Find each price.", "Find </procedure> each price."))
    return tmp_path


async def test_the_planner_is_given_it_and_says_where_it_departs(house):
    model = fake(PlanReply={"vertices": VERTICES, "procedure": "Compare offers", "departure": "No currency is named."})
    plan, events = await planned(house, model=model)
    prompt = model.requests[0].text
    assert '<procedure name="Compare offers">\n1. Find <\\/procedure> each price. In one currency.' in prompt
    assert plan.procedure == "Compare offers"
    assert plan.departure == "No currency is named.; does not use calculator"
    told = events[-1]["plan"]
    assert (told["procedure"], told["departure"]) == (plan.procedure, plan.departure)
    assert Plan.from_json(json.dumps(told)).procedure == "Compare offers"


@pytest.mark.parametrize("named", ["", "Another procedure", None])
async def test_a_procedure_that_was_not_given_is_not_followed(house, named):
    plan, _ = await planned(house, model=fake(PlanReply={"vertices": VERTICES, "procedure": named}))
    assert (plan.procedure, plan.departure, plan.decided_by) == ("", "", "model")


async def test_what_fits_no_procedure_is_planned_as_ever(house):
    model = fake(PlanReply={"vertices": VERTICES, "procedure": "Compare offers"})
    plan, _ = await planned(house, model=model, question="Who was older, Ada Lovelace or Alan Turing?")
    assert "procedure" not in model.requests[0].text.lower().replace("procedures", "")
    assert plan.procedure == ""


async def test_without_a_model_it_is_told_that_one_would_apply(house):
    plan, events = await planned(house)
    assert plan.decided_by == "rule"
    assert [e["note"] for e in events if e["type"] == "task_progress"] == [
        "the procedure “Compare offers” would apply, but following it needs a model"
    ]


async def test_a_folder_that_is_gone_costs_a_line(tmp_path):
    plan, events = await planned(tmp_path / "gone", model=fake(PlanReply={"vertices": VERTICES}))
    assert len(plan.tasks) == 2
    assert "is not a folder" in events[0]["note"]
