"""Expectations: what a plan will take, from what like tasks took before; a run keeps what its own took."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.run import services
from tests.support.states import got, state_of
from weiwo.app.render.plan_tree import comparison_lines, expected_line
from weiwo.nodes.shared.planning.expectation import record_rest, record_task, with_expectation
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Expectation, ModelCall, Plan, Task, Usage
from weiwo.tools.usage.task_log import _LEAST_TASKS, REST, TaskCost, TaskLog, _find_usual_costs


def task(task_id: str, tool: str = "corpus_search", query: str = "x", **more: Any) -> Task:
    return Task(id=task_id, description="What of it?", tool=tool, args={"query": query}, **more)


PLAN = Plan(tasks=(task("a"), task("b"), task("c", "calculator", "{{a.ret}} + {{b.ret}}"), task("d", "unheard")))


@pytest.fixture
def run(tmp_path) -> RunContext:
    return replace(services(), task_log=TaskLog(tmp_path, "ann"))


def log_of(run: RunContext) -> TaskLog:
    assert run.task_log is not None
    return run.task_log


async def test_nothing_is_expected_where_nothing_is_known(run):
    assert (await with_expectation(PLAN, "complex", run)).expected is None
    assert (await with_expectation(PLAN, "complex", services())).expected is None
    log_of(run).record("corpus_search", TaskCost(1, 1, 100, 0, 1))
    assert (await with_expectation(PLAN, "complex", run)).expected is None


async def test_a_plan_takes_what_its_tasks_usually_take_side_by_side_and_the_rest(run):
    for seconds in (1.0, 2.0, 9.0)[:_LEAST_TASKS]:
        log_of(run).record("corpus_search", TaskCost(2, 1, 500, 0.001, seconds))
        log_of(run).record("calculator", TaskCost(1, 0, 0, 0, 0.5))
        log_of(run).record(f"{REST}complex", TaskCost(0, 3, 2_000, 0.01, 4.0))
        TaskLog(log_of(run)._path.parent, "bob").record("unheard", TaskCost(9, 9, 9, 9, 9))
    plan = await with_expectation(PLAN, "complex", run)
    assert plan.expected == Expectation(tool_calls=5, model_calls=5, tokens=3_000, cost=0.012, seconds=6.5, unknown=1)
    assert plan.to_json()["expected"]["tokens"] == 3_000
    other = await with_expectation(PLAN, "moderate", run)
    assert (other.expected and other.expected.model_calls) == 2


async def test_what_tasks_and_the_rest_took_is_kept(run):
    calls = [ModelCall(role=role, purpose="", model="m", mode="text", input_tokens=n) for role, n in SPENT]
    spent = Usage(model_calls=2, input_tokens=400, tool_calls=3, cost=0.04, seconds=10.0, calls=tuple(calls))
    state = state_of(
        "?", run, plan=PLAN, outcomes={"a": got("a", "1815").model_copy(update={"seconds": 4.0})}, usage=spent
    )
    for _ in range(_LEAST_TASKS):
        await record_task(task("a"), got("a", "1815").model_copy(update={"seconds": 4.0}), replace_calls(spent), run)
        await record_task(task("e", for_each="{{a.ret}}"), got("e", "1815"), Usage(tool_calls=50), run)
        await record_rest(state, run)
    kept = log_of(run).read()
    assert kept["corpus_search"] == TaskCost(3, 2, 400, 0.04, 4.0)
    assert kept["corpus_search for_each"].tool_calls == 50
    rest = kept[f"{REST}{state['assessment'].level}"]
    assert (rest.tool_calls, rest.model_calls, rest.tokens, rest.cost) == (0, 1, 300, 0.03)
    assert rest.seconds >= 6.0  # and what the test itself has taken


SPENT = [("planner", 300), ("executor", 100)]


def replace_calls(usage: Usage) -> Usage:
    """The same figures without the trace, which a task's own has too."""
    return usage.model_copy(update={"calls": ()})


@pytest.mark.parametrize("broken", [{"tokens": "many"}, {"seconds": float("nan")}, {"user": "bob"}, {"tool": None}])
def test_records_that_are_none_are_passed_over(broken):
    sound = {"tool": "t", "user": "ann", "tool_calls": 1, "model_calls": 1, "tokens": 1, "cost": 0.0, "seconds": 1.0}
    assert _find_usual_costs([sound] * _LEAST_TASKS, "ann") == {"t": TaskCost(1, 1, 1, 0.0, 1.0)}
    assert _find_usual_costs([sound | broken] * _LEAST_TASKS, "ann") == {}


@pytest.mark.parametrize(("language", "word"), [("en", "took: 4 tool calls"), ("zh", "实际：工具调用 4 次")])
def test_what_was_expected_is_held_against_what_it_took(language, word):
    expected = Expectation(tool_calls=5, model_calls=5, tokens=3_000, cost=0.012, seconds=6.5, unknown=1).model_dump()
    usage = {
        "tool_calls": 4,
        "model_calls": 6,
        "input_tokens": 2_000,
        "output_tokens": 500,
        "seconds": 7.0,
        "cost": 0.0,
    }
    before, after = comparison_lines({"plan": {"expected": expected}, "usage": usage}, language)
    assert before == expected_line(expected, language)
    assert "3,000" in before
    assert after.startswith(word)
    assert "2,500" in after
    assert comparison_lines({"plan": {}, "usage": usage}, language) == []
