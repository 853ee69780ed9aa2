"""Statements by rule: only what outcomes carry, in neutral words, with what it rests on."""

from collections.abc import Mapping
from typing import Any

import pytest

from weiwo.nodes.shared.planning.rule_plan import build_rule_plan
from weiwo.nodes.writer.compose import compose_statements
from weiwo.state import Language, Outcome, Plan, Quote, Rival, Task
from weiwo.state.query import QueryFrame

TOOLS = ("calculator", "corpus_search", "date_difference")


def look_up(subject: str, relation: str, answer_type: str, language: Language) -> QueryFrame:
    return QueryFrame(
        question=f"{relation} {subject}",
        language=language,
        subjects=(subject,),
        relation=relation,
        answer_type=answer_type,  # type: ignore[arg-type]
    )


def frame(names: tuple[str, ...], relation: str, kind: str, language: Language, **more: Any) -> QueryFrame:
    parts = tuple(look_up(name, relation, kind, language) for name in names)
    given: dict[str, Any] = {"shape": "comparison", "relation": relation, **more}
    return QueryFrame(question="?", language=language, subjects=names, parts=parts, **given)


def found(task_id: str, value: Any, type_: Any, **more: Any) -> Outcome:
    quote = Quote(evidence_id=f"e_{task_id}", text="…")
    return Outcome(task_id=task_id, status="succeeded", value=value, type=type_, quotes=(quote,), **more)


def computed(task_id: str, value: Any, unit: str = "", **detail: Any) -> Outcome:
    return Outcome(
        task_id=task_id,
        status="succeeded",
        value=value,
        type="boolean" if isinstance(value, bool) else "number",
        tool="date_difference",
        detail={"computation": {**({"unit": unit} if unit else {}), **detail}},
    )


def tell(asked: QueryFrame, values: Mapping[str, Outcome]) -> list[str]:
    plan = build_rule_plan(asked, TOOLS, max_tasks=12)
    return [one.verdict + one.text for one in compose_statements(plan, values, asked.language)]


def dates(a: str, b: str, years: int) -> dict[str, Outcome]:
    return {
        "task_1": found("task_1", a, "date"),
        "task_2": found("task_2", b, "date"),
        "task_3": computed("task_3", years, "years"),
    }


def metres(a: float, b: float, unit: str = "m") -> dict[str, Outcome]:
    return {
        "task_1": found("task_1", a, "number", detail={"unit": "m"}),
        "task_2": found("task_2", b, "number", detail={"unit": unit}),
        "task_3": computed("task_3", a - b),
    }


@pytest.mark.parametrize(
    ("asked", "outcomes", "told"),
    [
        (
            frame(("Wu", "Caesar"), "birth", "date", "en", direction="least"),
            dates("-156", "-100-07-12", 56),
            "Wu is the older of the two: born 56 years before Caesar.",
        ),
        (
            frame(("Wu", "Caesar"), "birth", "date", "en", direction="greatest"),
            dates("-156", "-100-07-12", 56),
            "Caesar is the younger of the two: born 56 years after Wu.",
        ),
        (
            frame(("武帝", "凯撒"), "birth", "date", "zh", direction="least"),
            dates("-156", "-100-07-12", 56),
            "武帝更年长，比凯撒早出生56年。",
        ),
        (
            frame(("Everest", "Fuji"), "height", "quantity", "en", direction="greatest"),
            metres(8849, 3776),
            "Everest has the greater height: 8,849 metres, against 3,776 metres for Fuji, a difference of 5,073 metres.",
        ),
        (
            frame(("珠峰", "富士山"), "height", "quantity", "zh", direction="greatest"),
            metres(8849, 3776),
            "珠峰的高度更大：8849米，富士山为3776米，相差5073米。",
        ),
        (
            frame(("A", "B"), "founding", "date", "en", shape="difference", unit="years"),
            dates("1890", "1900", 10),
            "A and B – founding: 10 years apart.",
        ),
        (
            frame(("B", "A"), "height", "quantity", "en", direction="greatest", answer_type="boolean"),
            metres(10, 20),
            "No. A has the greater height: 20 metres, against 10 metres for B, a difference of 10 metres.",
        ),
        (
            frame(("Ada", "Ada"), "lifespan", "quantity", "en", shape="difference").model_copy(
                update={"parts": (look_up("Ada", "birth", "date", "en"), look_up("Ada", "death", "date", "en"))}
            ),
            {**dates("1815-12-10", "1852-11-27", 0), "task_3": computed("task_3", 36, "age")},
            "Ada – age: 36 years, from 10 December 1815 to 27 November 1852.",
        ),
    ],
)
def test_what_a_calculation_tells(asked: QueryFrame, outcomes: dict[str, Outcome], told: str) -> None:
    assert tell(asked, outcomes)[0] == told


def test_values_follow_the_result_and_cite_their_passages() -> None:
    asked = frame(("Wu", "Caesar"), "birth", "date", "en", direction="least")
    plan = build_rule_plan(asked, TOOLS, max_tasks=12)
    statements = compose_statements(plan, dates("-156", "-100-07-12", 56), "en")
    assert [s.text for s in statements[1:]] == ["Wu – birth: 156 BC.", "Caesar – birth: 12 July 100 BC."]
    assert [s.mechanism for s in statements] == ["comparison:date", "look_up:date", "look_up:date"]
    assert statements[0].evidence_ids == ("e_task_1", "e_task_2")
    assert statements[0].computed_by == ("task_3",)


@pytest.mark.parametrize(
    "outcomes",
    [
        metres(10, 33, unit="ft"),
        {**dates("1900", "1900-05-01", 0)},
        {"task_1": found("task_1", 10, "number"), "task_3": computed("task_3", 10)},
    ],
)
def test_what_the_values_leave_open_is_not_told(outcomes: dict[str, Outcome]) -> None:
    asked = frame(("A", "B"), "height", "quantity", "en", direction="greatest")
    if outcomes["task_1"].type == "date":
        asked = frame(("A", "B"), "birth", "date", "en", direction="least")
    assert not any("greater" in text or "older" in text for text in tell(asked, outcomes))


def test_sources_that_differ_are_told_as_differing() -> None:
    rival = Rival(value=318, evidence_ids=("e2",), quotes=(Quote(evidence_id="e2", text="318 km"),))
    for language, told in (
        ("en", "the sources differ: 310 kilometres or 318 kilometres."),
        ("zh", "各来源说法不一：310公里或318公里。"),
    ):
        asked = look_up("Wend", "length", "quantity", language)
        task = Task(id="a", description="?", tool="corpus_search", ret="number", frame=asked)
        outcome = found("a", 310, "number", detail={"unit": "km"}, rivals=(rival,), decided_by="rule")
        (statement,) = compose_statements(Plan(tasks=(task,)), {"a": outcome}, language)
        assert statement.text.endswith(told)


def test_the_winner_of_three_is_told_with_its_value() -> None:
    asked = frame(("A", "B", "C"), "height", "quantity", "en", direction="greatest")
    values = {f"task_{n}": found(f"task_{n}", v, "number", detail={"unit": "m"}) for n, v in enumerate((5, 9, 7), 1)}
    told = tell(asked, {**values, "task_4": computed("task_4", 9)})
    assert told[0] == "Of these B has the greatest height: 9 metres."


def test_a_value_without_a_known_relation_follows_its_question() -> None:
    task = Task(id="a", description="Who wrote Hamlet?", tool="corpus_search", ret="text")
    plan = Plan(tasks=(task,))
    (told,) = compose_statements(plan, {"a": found("a", "William Shakespeare", "text", decided_by="model")}, "en")
    assert "William Shakespeare" in told.text
    assert told.mechanism == "look_up:text"


def test_another_value_is_told_beside_the_first() -> None:
    rival = Rival(value=318, evidence_ids=("e2",), quotes=(Quote(evidence_id="e2", text="318 km"),))
    task = Task(
        id="a", description="?", tool="corpus_search", ret="number", frame=look_up("Wend", "length", "quantity", "en")
    )
    outcome = found("a", 310, "number", detail={"unit": "km"}, rivals=(rival,), decided_by="model")
    (told,) = compose_statements(Plan(tasks=(task,)), {"a": outcome}, "en")
    assert told.text == "Wend – length: 310 kilometres; another source gives 318 kilometres."
    assert told.evidence_ids == ("e_a", "e2")


def test_arithmetic_is_told_with_its_formula() -> None:
    asked = QueryFrame(question="6*7", language="en", shape="calculation", expression="6 * 7")
    assert tell(asked, {"task_1": computed("task_1", 42)}) == ["6 * 7 = 42."]


def test_nothing_is_told_of_what_failed() -> None:
    asked = frame(("A", "B"), "birth", "date", "en", direction="least")
    assert tell(asked, {"task_1": Outcome(task_id="task_1", status="empty")}) == []
