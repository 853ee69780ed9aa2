"""A whole that is less than its parts: a finding where the plan says that they are its parts."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.support.states import got
from weiwo.nodes.shared.consistency import describe_inconsistency, find_inconsistencies
from weiwo.nodes.shared.planning.rule_plan import add_frames
from weiwo.state import Language, Outcome, Plan, Quote, Task
from weiwo.state.evidence import OutcomeDetail

ITEMS = ("Bellows", "Crank", "Damper")
PARTS = "Parts of the Aldo engine, such as Bellows, Crank and Damper, wear out."
LISTED = ("Which parts has the Aldo engine?", "How heavy is the {{item}} of the Aldo engine, in kilograms?")
WHOLE = "What is the total mass of the Aldo engine, in kilograms?"


def task(id_: str, asked: str, **more: Any) -> Task:
    return Task(id=id_, description=asked, tool="corpus_search", args={"query": asked}, ret="number", **more)


def number(id_: str, value: float, unit: str = "kg", quote: str = "") -> Outcome:
    quotes = (Quote(evidence_id="e", text=quote),) if quote else ()
    return got(id_, value, "number", detail=OutcomeDetail(unit=unit), quotes=quotes)


def told(tasks: Sequence[Task], outcomes: Sequence[Outcome], language: Language = "en") -> list[tuple[str, str]]:
    """Kind with severity, and the line for people, of each finding."""
    plan, known = add_frames(Plan(tasks=tuple(tasks)), language), {one.task_id: one for one in outcomes}
    found = find_inconsistencies(plan, known)
    return [(f"{one.kind} {one.severity}", describe_inconsistency(one, plan, known, language)) for one in found]


def of_list(
    whole: Outcome, *values: float, asked: Sequence[str] = (*LISTED, WHOLE), **more: Any
) -> list[tuple[str, str]]:
    """The findings of a plan that runs over a list of parts beside a look-up of the whole."""
    language: Language = more.pop("language", "en")
    unit = more.pop("unit", "kg")
    listing, each, total = asked
    tasks = [task("list", listing), task("each", each, for_each="{{list.ret}}"), task("whole", total)]
    items = got("list", list(ITEMS), "list[text]", quotes=(Quote(evidence_id="e", text=PARTS),))
    detail = OutcomeDetail(items=ITEMS[: len(values)], unit=unit, **more)
    return told(tasks, [items, got("each", list(values), "list[number]", detail=detail), whole], language)


@pytest.mark.parametrize(("whole", "found"), [(150, ["sum error"]), (200, []), (165, []), (166, [])])
def test_parts_over_a_list(whole, found):
    assert [kind for kind, _ in of_list(number("whole", whole), 40, 55, 70)] == found


def test_it_is_told_with_the_sum():
    assert of_list(number("whole", 150), 40, 55, 70)[0][1] == (
        "“What is the total mass of the Aldo engine, in kilograms” (150 kg) and its parts (Bellows 40 kg, Crank 55 kg "
        "and Damper 70 kg): together they come to 165 kg, more than the whole"
    )
    chinese = ("北京市有哪些区？", "{{item}}的人口是多少？", "北京市的总人口是多少？")
    whole = number("whole", 600, unit="person")
    ((_, line),) = of_list(whole, 300, 400, asked=chinese, language="zh", unit="person")
    assert line == "“北京市的总人口是多少”（600）与其各部分（Bellows 300和Crank 400）：各部分合计700，超过了整体"


@pytest.mark.parametrize(
    ("whole", "more"),
    [
        (number("whole", 150, unit="EUR"), {}),  # what cannot be compared
        (number("whole", 0.165, unit="t"), {}),  # the same in another unit
        (number("whole", 200), {"missing": ("Valve",)}),
        (number("whole", 150), {"asked": ("Which engines did Aldo build?", *LISTED[1:], WHOLE)}),  # no parts
        (number("whole", 150), {"asked": (*LISTED, "How heavy is the boiler of the Aldo engine?")}),  # not the whole
        (number("whole", 150), {"asked": (*LISTED, "How heavy is the Baldo engine?")}),
        (number("whole", 150), {"asked": (*LISTED, "How heavy was the Aldo engine in 1880?")}),
    ],
)
def test_what_is_not_known_to_be_wrong(whole, more):
    assert of_list(whole, 40, 55, 70, **more) == []


@pytest.mark.parametrize(
    ("sum_", "whole", "found"),
    [
        ("What is the total population of Benelux?", 25_000_000, ["sum error"]),
        ("What is the total population of Benelux?", 35_000_000, ["rivals error"]),  # it is called by the whole's name
        ("What is the total population of Benelux?", 29_600_000, []),
        ("What is the population of the members of Benelux together?", 35_000_000, []),
        ("What is the population of the members of Benelux together?", 25_000_000, ["sum error"]),
        ("How many people live in the two countries?", 25_000_000, []),
    ],
)
def test_parts_that_are_added_up(sum_, whole, found):
    tasks = [
        task(id_, f"How many people live in {name}?") for id_, name in (("a", "Belgium"), ("b", "the Netherlands"))
    ]
    formula = {"expression": "{{a.ret}} + {{b.ret}}"}
    tasks += [task("whole", "What is the population of Benelux?")]
    tasks += [Task(id="sum", description=sum_, tool="calculator", args=formula, ret="number")]
    outcomes = [number("a", 11_700_000, ""), number("b", 17_900_000, ""), number("whole", whole, "")]
    assert [kind for kind, _ in told(tasks, [*outcomes, number("sum", 29_600_000, "")])] == found


def test_the_unit_of_a_value_that_a_model_read_is_in_its_quote_or_its_question():
    tasks = [task("a", "How long is the Nile?"), task("b", "How long is the Rhine, in kilometres?")]
    formula = {"expression": "{{a.ret}} - {{b.ret}}"}
    tasks += [Task(id="c", description="By how much?", tool="calculator", args=formula, ret="number")]
    outcomes = [number("a", 4130, "", "The Nile is 4,130 miles long."), number("b", 1230, "", "The Rhine: 1,230")]
    assert [kind for kind, _ in told(tasks, outcomes)] == ["units error"]
