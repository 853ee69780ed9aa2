"""Consistency across tasks: only what can be shown, in both languages, seen by reflection and told as open."""

from typing import Any

import pytest

from tests.support.run import services
from tests.support.states import got, state_of
from weiwo.nodes.reflection.monitor import monitor_plan
from weiwo.nodes.shared.consistency import describe_inconsistency, find_inconsistencies
from weiwo.nodes.shared.gaps import find_gaps
from weiwo.nodes.shared.planning.rule_plan import add_frames
from weiwo.state import Language, Limits, Plan, Task
from weiwo.state.evidence import Inconsistency, OutcomeDetail

BORN, DIED = "When was Ada Lovelace born?", "When did Ada Lovelace die?"
LONG, LENGTH = "How long is the Nile, in kilometres?", "What is the length of the Nile in kilometres?"


def look_up(*questions: str, language: Language = "en") -> Plan:
    tasks = (
        Task(id=f"task_{n}", description=one, tool="corpus_search", args={"query": one}, ret="text")
        for n, one in enumerate(questions, 1)
    )
    return add_frames(Plan(tasks=tuple(tasks)), language)


def found(plan: Plan, *values: Any, units: tuple[str, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
    outcomes = outcomes_of(plan, *values, units=units)
    return [(one.kind, one.task_ids) for one in find_inconsistencies(plan, outcomes)]


def outcomes_of(plan: Plan, *values: Any, units: tuple[str, ...] = ()) -> dict[str, Any]:
    given = dict(zip(plan.ids, values, strict=False))
    details = {task_id: OutcomeDetail(unit=unit) for task_id, unit in zip(plan.ids, units, strict=False)}
    return {
        task_id: got(
            task_id, value, "date" if isinstance(value, str) else "number", detail=details.get(task_id, OutcomeDetail())
        )
        for task_id, value in given.items()
    }


@pytest.mark.parametrize(
    ("born", "died", "wrong"),
    [
        ("1852-11-27", "1815-12-10", True),
        ("1815", "1852", False),
        ("-100-07-12", "-44-03-15", False),
        ("-44", "-100", True),
        ("1815-12-10", "1815", False),  # known less exactly
        ("1815-12", "1815-11", True),
    ],
)
def test_who_died_before_being_born(born, died, wrong):
    assert found(look_up(BORN, DIED), born, died) == ([("order", ("task_1", "task_2"))] if wrong else [])


def test_of_two_people_nothing_is_said():
    assert found(look_up(BORN, "When did Alan Turing die?"), "1852", "1815") == []


def test_in_chinese():
    plan = look_up("苏轼生于哪一年？", "苏轼卒于哪一年？", language="zh")
    outcomes = outcomes_of(plan, "1101", "1037")
    (one,) = find_inconsistencies(plan, outcomes)
    told = describe_inconsistency(one, plan, outcomes, "zh")
    assert told == "“苏轼生于哪一年”（1101年）与“苏轼卒于哪一年”（1037年）：前者不可能晚于后者"


@pytest.mark.parametrize(
    ("one", "other", "wrong"),
    [(6650, 6853, True), (6650, 6650, False), (6650, 6670, False)],  # rounded
)
def test_two_values_for_one_thing(one, other, wrong):
    plan = look_up(LONG, LENGTH)
    assert plan.tasks[0].frame.relation == plan.tasks[1].frame.relation
    assert found(plan, one, other) == ([("rivals", ("task_1", "task_2"))] if wrong else [])
    assert found(look_up(LONG, "How long is the Danube, in kilometres?"), one, other) == []
    assert found(look_up(LONG, LENGTH), one, other / 1.609344, units=("km", "mi")) == found(plan, one, other)
    assert found(look_up(LONG, LENGTH), one, other, units=("km", "kg")) == []
    assert found(look_up("How long is the mouth of the Nile?", "How long is the Nile?"), one, other) == []


def test_a_finding_of_an_earlier_version_is_told_as_nothing():
    plan = look_up(BORN, DIED)
    old = Inconsistency(kind="span", severity="warning", task_ids=("task_1",))
    assert describe_inconsistency(old, plan, outcomes_of(plan, "1852", "1815"), "en") == ""


def test_the_monitor_reports_it_and_the_answer_leaves_it_open():
    plan, run = look_up(BORN, DIED), services()
    outcomes = outcomes_of(plan, "1852", "1815")
    report = monitor_plan(plan, outcomes, Limits())
    assert [(one.kind, one.severity) for one in report.inconsistencies] == [("order", "error")]
    gaps = find_gaps(state_of("How long did she live?", run, plan=plan, outcomes=outcomes), "en")
    assert [(gap.kind, gap.text) for gap in gaps] == [
        (
            "inconsistent",
            "These statements do not fit together: “When was Ada Lovelace born” (1852) and “When did Ada Lovelace die” (1815): the first cannot come after the second.",
        )
    ]
