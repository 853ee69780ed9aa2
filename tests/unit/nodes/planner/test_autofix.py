"""What of a sketched plan is mended by code, and what is left to the validator."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.states import search
from weiwo.nodes.planner.autofix import autofix_plan
from weiwo.nodes.planner.validator import check_plan
from weiwo.state import Limits, Plan, Task
from weiwo.tools.compute.calculator import CalculatorArguments
from weiwo.tools.compute.date_difference import DateDifferenceArguments
from weiwo.tools.corpus.tools import CorpusSearchArguments


@dataclass(frozen=True)
class Interface:
    args_schema: dict[str, Any]


TOOLS = {
    "corpus_search": Interface(CorpusSearchArguments.model_json_schema()),
    "calculator": Interface(CalculatorArguments.model_json_schema()),
    "date_difference": Interface(DateDifferenceArguments.model_json_schema()),
}


def task(task_id: str, tool: str, ret="number", description="What?", **args) -> Task:
    return Task(id=task_id, description=description, tool=tool, args=args, ret=ret)


def mended(*tasks: Task, links=(), kept=()) -> tuple[Plan, tuple[str, ...]]:
    return autofix_plan(Plan(tasks=tasks, links=links), TOOLS, kept)


A = search("a", "When was Ada Lovelace born?", ret="text")
B = search("b", "When was Alan Turing born?", ret="text")


@pytest.mark.parametrize("tool", ["summarize", "writer", "none", "Answer", "final_answer", "LLM", "N/A", "总结"])
def test_a_last_task_that_only_writes_is_left_out(tool):
    plan, notes = mended(A, task("z", tool, "text", text="{{a.ret}}"), links=(("a", "z"),))
    assert plan == Plan(tasks=(A,))
    assert len(notes) == 1
    assert notes[0].startswith("z: ")
    assert tool in notes[0]


def test_writing_tasks_in_a_row_are_all_left_out():
    plan, _ = mended(A, task("y", "compare_and_summarize", "text"), task("z", "writer", "text", text="{{y.ret}}"))
    assert plan.ids == ("a",)


def test_what_others_build_on_or_may_be_a_look_up_is_left_to_the_validator():
    built_on = Plan(tasks=(task("a", "writer", "text"), search("b", "?", "{{a.ret}}")))
    assert autofix_plan(built_on, TOOLS) == (built_on, ())
    oracle = Plan(tasks=(A, task("b", "crystal_ball", "text")))
    assert autofix_plan(oracle, TOOLS) == (oracle, ())
    only = Plan(tasks=(task("a", "writer", "text"),))
    assert autofix_plan(only, TOOLS) == (only, ())


def test_text_that_is_counted_from_is_a_date():
    plan, notes = mended(A, B, task("gap", "date_difference", start="{{a.ret}}", end="{{b.ret}}", unit="years"))
    assert [plan.task(name).ret for name in ("a", "b")] == ["date", "date"]
    assert [note.partition(":")[0] for note in notes] == ["a.ret", "b.ret"]
    assert check_plan(plan, TOOLS, Limits()) == []


@pytest.mark.parametrize(
    ("description", "ret"),
    [
        ("How long is the Nile, in kilometres?", "number"),
        ("尼罗河全长多少公里？", "number"),
        ("In which year was Ada born?", "date"),
        ("鲁迅生于哪一年？", "date"),
        ("Who was older?", "text"),
        ("谁写了《家》？", "text"),
    ],
)
def test_text_in_a_formula_is_a_number_or_a_date_unless_it_is_a_name(description, ret):
    plan, _ = mended(search("a", description, ret="text"), task("sum", "calculator", expression="{{a.ret}} + 1"))
    assert plan.task("a").ret == ret


def test_a_list_of_texts_in_a_formula_is_one_of_numbers():
    each = search("b", "How long is {{item}}?", "{{item}}", ret="text", for_each="{{a.ret}}")
    plan, _ = mended(
        search("a", "Which rivers?", ret="list[text]"), each, task("most", "calculator", expression="max({{b.ret}})")
    )
    assert (plan.task("a").ret, plan.task("b").ret) == ("list[text]", "number")
    assert check_plan(plan, TOOLS, Limits()) == []


def test_finished_tasks_stay_as_they_are():
    plan, notes = mended(A, task("sum", "calculator", expression="{{a.ret}} + 1"), kept=("a",))
    assert plan.task("a") == A
    assert notes == ()


@pytest.mark.parametrize(
    ("tool", "args", "meant"),
    [
        ("corpus_search", {"query": "x", "k": "5"}, {"query": "x", "k": 5}),
        ("corpus_search", {"query": "x", "k": 5.0}, {"query": "x", "k": 5}),
        ("corpus_search", {"query": "x", "k": 500}, {"query": "x", "k": 50}),
        ("corpus_search", {"query": "x", "k": None}, {"query": "x"}),
        ("corpus_search", {"query": "x", "k": "few"}, {"query": "x", "k": "few"}),
        ("corpus_search", {"query": 1984}, {"query": "1984"}),
        ("corpus_search", {"query": "5"}, {"query": "5"}),
        ("date_difference", {"start": "1815", "end": "1912", "unit": "Year"}, {"unit": "years"}),
        ("date_difference", {"start": 1815, "end": 1912, "unit": "years"}, {"start": "1815", "end": "1912"}),
    ],
)
def test_literals_get_the_type_their_argument_takes(tool, args, meant):
    plan, notes = mended(task("a", tool, **args))
    found = plan.task("a").args
    assert {name: found.get(name) for name in meant} == meant
    assert found.keys() == args.keys() - ({"k"} if args.get("k", 0) is None else set())
    assert (notes == ()) == (found == args and all(type(found[n]) is type(args[n]) for n in found))


def test_an_argument_that_a_tool_does_not_take_is_left_out():
    plan, notes = mended(
        search("a", "When was Ada Lovelace born?").model_copy(
            update={"args": {"query": "x", "url": "http://169.254.169.254"}}
        )
    )
    assert plan.task("a").args == {"query": "x"}
    assert notes == ("a.args.url: left out, corpus_search does not take it",)


def test_an_analysis_keeps_what_its_arguments_refer_to_as_a_link():
    plan, notes = mended(A, task("z", "analyse", "text", text="{{a.ret}}"))
    assert (plan.task("z").args, plan.links) == ({}, (("a", "z"),))
    assert len(notes) == 1
