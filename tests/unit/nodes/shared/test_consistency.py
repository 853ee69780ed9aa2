"""Consistency across tasks: only what can be shown, in both languages, seen by reflection and told as open."""

from typing import Any

import pytest

from tests.support.run import services
from tests.support.states import got, state_of
from weiwo.nodes.reflection.monitor import monitor_plan
from weiwo.nodes.shared.consistency import describe_inconsistency, find_inconsistencies
from weiwo.nodes.shared.planning.rule_plan import add_frames
from weiwo.nodes.writer.gaps import find_gaps
from weiwo.state import Language, Limits, Plan, Task
from weiwo.state.evidence import OutcomeDetail

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


def each(listed: str, *questions: str, language: Language = "en") -> Plan:
    """A plan that lists things, and asks each of these questions about every one of them."""
    plan = look_up(listed, *questions, language=language)
    over = [task.model_copy(update={"for_each": "{{task_1.ret}}"}) for task in plan.tasks[1:]]
    return plan.model_copy(update={"tasks": (plan.tasks[0], *over)})


def for_items(items: tuple[str, ...], *columns: list[Any], **detail: Any) -> dict[str, Any]:
    """What such a plan came to: the list, and the values of each question by item; None: it has none."""
    outcomes = {"task_1": got("task_1", list(items), "list[text]")}
    for n, column in enumerate(columns, 2):
        known = [(item, value) for item, value in zip(items, column, strict=True) if value is not None]
        more = OutcomeDetail(items=tuple(item for item, _ in known), **detail)
        outcomes[f"task_{n}"] = got(f"task_{n}", [value for _, value in known], "list[date]", detail=more)
    return outcomes


POETS = ("Ada Lovelace", "Lord Byron", "John Keats")
OF_POETS = each("Which poets?", "When was {{item}} born?", "When did {{item}} die?")


@pytest.mark.parametrize(
    ("born", "died", "wrong"),
    [
        (["1815", "1788", "1821"], ["1852", "1824", "1795"], ["John Keats"]),
        (["1815", "1788", "1795"], ["1852", "1824", "1821"], []),
        (["1815", None, "1821"], [None, "1824", "1795"], ["John Keats"]),  # each by its item, not by its place
        (["1815", None, "1795"], [None, "1780", "1821"], []),
    ],
)
def test_who_of_many_died_before_being_born(born, died, wrong):
    found = find_inconsistencies(OF_POETS, for_items(POETS, born, died))
    assert [(one.kind, one.task_ids, one.items) for one in found] == [
        ("order", ("task_2", "task_3"), (item, item)) for item in wrong
    ]
    assert find_inconsistencies(OF_POETS, for_items(POETS, born, died, approximate=True)) == ()


def test_items_are_held_against_tasks_that_ran_once_and_told_in_chinese():
    plan = each("有哪些诗人？", "{{item}}生于哪一年？", "苏轼卒于哪一年？", language="zh")
    once = plan.tasks[2].model_copy(update={"for_each": None})
    plan = plan.model_copy(update={"tasks": (*plan.tasks[:2], once)})
    outcomes = for_items(("李白", "苏轼"), ["701", "1101"]) | {"task_3": got("task_3", "1037", "date")}
    (one,) = find_inconsistencies(plan, outcomes)
    assert one.items == ("苏轼", "")
    told = describe_inconsistency(one, plan, outcomes, "zh")
    assert told == "“苏轼生于哪一年”（1101年）与“苏轼卒于哪一年”（1037年）：前者不可能晚于后者"
    assert not describe_inconsistency(one, plan, {**outcomes, **for_items(("李白",), ["701"])}, "zh"), (
        "the item is gone"
    )


def test_spans_and_rivals_hold_for_each_item_too():
    spans = each("Which bridges?", "When was {{item}} finished after 1990?")
    (one,) = find_inconsistencies(spans, for_items(("Alder Bridge", "Birch Bridge"), ["1985", "1992"]))
    assert (one.kind, one.items) == ("span", ("Alder Bridge",))
    births = each("Which poets?", "When was {{item}} born?", "What is the birth date of {{item}}?")
    (one,) = find_inconsistencies(births, for_items(POETS[:2], ["1815", "1788"], ["1815", "1789"]))
    assert (one.kind, one.items) == ("rivals", ("Lord Byron", "Lord Byron"))
    unnamed = each("Which poets?", "When was the poet born?")
    assert find_inconsistencies(unnamed, for_items(POETS[:2], ["1815", "1788"])) == ()


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


@pytest.mark.parametrize(("value", "wrong"), [("1985", True), ("1990", False), ("1990-05", False), ("2001", False)])
def test_a_date_outside_the_span(value, wrong):
    plan = look_up("When was the bridge finished after 1990?")
    assert found(plan, value) == ([("span", ("task_1",))] if wrong else [])


@pytest.mark.parametrize(
    ("formula", "units", "wrong"),
    [
        ("{{task_1.ret}} - {{task_2.ret}}", ("km", "mi"), True),
        ("max({{task_1.ret}}, {{task_2.ret}})", ("km", "kg"), True),
        ("{{task_1.ret}} - {{task_2.ret}}", ("km", "km"), False),
        ("{{task_1.ret}} - {{task_2.ret}} * 1.609", ("km", "mi"), False),  # it converts
        ("{{task_1.ret}} / {{task_2.ret}}", ("km", "kg"), False),
        ("{{task_1.ret}} - {{task_2.ret}}", ("km", ""), False),
    ],
)
def test_units_that_do_not_fit(formula, units, wrong):
    plan = look_up(LONG, "How long is the Danube?")
    sum_ = Task(id="task_3", description="By how much?", tool="calculator", args={"expression": formula}, ret="number")
    plan = Plan(tasks=(*plan.tasks, sum_))
    assert found(plan, 6650, 1770, units=units) == ([("units", ("task_1", "task_2"))] if wrong else [])


def test_the_monitor_reports_it_and_the_answer_leaves_it_open():
    plan, run = look_up(BORN, DIED), services()
    outcomes = outcomes_of(plan, "1852", "1815")
    report = monitor_plan(plan, outcomes, Limits())
    assert [(one.kind, one.severity) for one in report.inconsistencies] == [("order", "error")]
    gaps = find_gaps(state_of("How long did she live?", run, plan=plan, outcomes=outcomes), "en")
    assert [(gap.kind, gap.text) for gap in gaps] == [
        (
            "inconsistent",
            "This does not fit together: “When was Ada Lovelace born” (1852) and “When did Ada Lovelace die” (1815): the first cannot come after the second.",
        )
    ]
