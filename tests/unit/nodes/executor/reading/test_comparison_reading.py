"""One searcher for a comparison of a few things: the values side by side, what they come to, and who wins by code."""

from typing import Any

import pytest

from tests.support.fake_model import Request, assessed, fake
from tests.support.run import search_tool, services
from tests.support.schema import check_result
from weiwo.graph import build_graph
from weiwo.nodes.executor.reading.shown_passages import _find_other_winner
from weiwo.nodes.master.assessment import assess_question
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.shared.question.turn import ConversationTurn
from weiwo.state import Hop
from weiwo.state.settings import Context

QUESTION = "Which town was founded first, Ostby or Velden?"
OSTBY = "Ostby was founded in 1203."
VELDEN = "Velden was founded in 1345."


pytestmark = pytest.mark.usefixtures("indexed_home")


def hop(town: str, year: str, words: str) -> dict[str, Any]:
    return {"question": f"When was {town} founded?", "value": year, "quotes": [{"passage": 1, "text": words}]}


def concludes(town: str, *hops: dict[str, Any], **more: Any) -> dict[str, Any]:
    said = {"sentence": f"{town} was founded first.", "confidence": 0.9, **more}
    return {"next": "answer", "value": town, "hops": list(hops), **said}


FIRST, SECOND = hop("Ostby", "1203", OSTBY), hop("Velden", "1345", VELDEN)
ASKS = {"next": "search", "queries": ["Velden founded"], "hops": [FIRST]}


async def ask(*replies: Any, second: str = VELDEN, **more: Any) -> tuple[dict[str, Any], list[Request]]:
    model = fake(AssessmentReply=assessed(QUESTION, steps=1.0), ReadReply=list(replies), **more)
    tool = search_tool(lambda query: second if query.startswith("Velden") else OSTBY)
    result = (
        await build_graph(tools=[tool], models=model).ainvoke({"question": QUESTION}, context=Context(web=False))
    )["result"]
    check_result(result)
    return result, model.requests


async def test_a_comparison_of_two_things_is_answered_by_its_reader():
    result, requests = await ask(ASKS, concludes("Ostby", SECOND))
    assert [request.schema for request in requests] == ["AssessmentReply", "ReadReply", "ReadReply"]
    assert [claim["verdict"] for claim in result["claims"]] == ["computed"]
    assert (result["status"], result["answer"]) == ("complete", "Ostby was founded first [1][2].")
    assert {one["quote"] for one in result["citations"]} == {OSTBY.rstrip("."), VELDEN.rstrip(".")}
    hops = result["outcomes"]["task_1"]["detail"]["hops"]
    assert [one["value"] for one in hops] == ["1203", "1345"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Ostby was founded last.",
        "Ostby was not founded first.",
        "Velden was founded first, not Ostby.",
        "Ostby was founded and burned first.",
    ],
)
async def test_a_sentence_that_says_other_than_what_was_asked_of_the_winner_is_judged(sentence):
    result, requests = await ask(ASKS, concludes("Ostby", SECOND, sentence=sentence), draft="Ostby is older [1][2].")
    assert "EntailmentReply" in [request.schema for request in requests]
    assert "computed" not in [claim["verdict"] for claim in result["claims"]]


async def test_a_figure_that_rules_do_not_prove_is_judged():
    second = "In Velden, people say, there was a market from 1345 on."
    _, requests = await ask(ASKS, concludes("Ostby", hop("Velden", "1345", second)), second=second)
    assert "EntailmentReply" in [request.schema for request in requests]


async def test_where_a_model_gives_a_comparison_up_rules_conclude_it():
    result, _ = await ask(ASKS, {"next": "give_up", "missing": "the years"}, draft="Ostby [1].")
    outcome = result["outcomes"]["task_1"]
    assert (outcome["value"], outcome["decided_by"]) == ("Ostby", "rule")


async def test_a_comparison_that_no_rule_reads_is_declared_by_the_model():
    asked = "Ostby or Velden: the one with the earlier charter?"
    for compare, shape in ((["Ostby", "Velden"], "comparison"), (["Ostby", "Rome"], ""), ([], "")):
        model = fake(AssessmentReply=assessed(asked, steps=1.0, compare=compare))
        run = services(search_tool(lambda _: None), model=model)
        judged = await assess_question(ConversationTurn(asked, (), None), run)
        assert (judged.assessment.frame.shape == "comparison") is bool(shape)
        assert (judged.assessment.strategy.searcher == "comparison") is bool(shape)


async def test_where_one_searcher_finds_nothing_there_is_a_plan():
    plan = {"vertices": [{"id": "task_1", "description": "Founding of Velden?", "tool_binding": "corpus_search", "args": {"query": "Velden founded"}, "ret": "date"}]}  # fmt: skip
    found_ = {"next": "answer", "value": "1345", "quotes": [{"passage": 1, "text": VELDEN.rstrip(".")}], "confidence": 0.9}  # fmt: skip
    gives_up = {"next": "give_up", "value": None, "confidence": 0.0, "missing": "no passage tells"}
    result, requests = await ask(gives_up, found_, PlanReply=plan)
    asked = [request.schema for request in requests]
    assert asked[:4] == ["AssessmentReply", "ReadReply", "PlanReply", "ReadReply"]
    assert result["plan"]["revision"] == 1
    assert result["reflections"][0]["decided_by"] == "rule"


async def test_who_wins_is_held_against_the_values_found():
    result, requests = await ask(ASKS, concludes("Velden", SECOND), concludes("Ostby", SECOND))
    assert result["outcomes"]["task_1"]["value"] == "Ostby"
    assert "by the values found it is Ostby; compare them again" in requests[3].text


async def test_two_things_may_have_the_same_value():
    same = hop("Velden", "1203", "Velden was founded in 1203")
    result, _ = await ask(ASKS, concludes("Ostby", same), second="Velden was founded in 1203.")
    assert [one["value"] for one in result["outcomes"]["task_1"]["detail"]["hops"]] == ["1203", "1203"]


def values(*pairs: tuple[str, str]) -> list[Hop]:
    return [
        Hop(question=f"What is the figure of {name}?", value=value, evidence_ids=(), quotes=()) for name, value in pairs
    ]


@pytest.mark.parametrize(
    ("question", "found", "said", "other"),
    [
        (QUESTION, [("Ostby", "1203"), ("Velden", "1345")], "Velden", "Ostby"),
        (QUESTION, [("Ostby", "1203"), ("Velden", "1345")], "Ostby, in 1203", None),
        (QUESTION, [("Ostby", "3 May 1203"), ("Velden", "1203")], "Velden", None),
        (QUESTION, [("Ostby", "1203")], "Velden", None),
        (QUESTION, [("Ostby", "1203"), ("Velden", "long ago")], "Velden", None),
        (QUESTION, [("Ostby", "1203"), ("Velden", "1345")], "neither", None),
        (
            "Which river is longer, the Nile or the Danube?",
            [("Nile", "6,650 km"), ("Danube", "2,850 km")],
            "Danube",
            "Nile",
        ),
        (
            "Which river is longer, the Nile or the Danube?",
            [("Nile", "6,650 km"), ("Danube", "12 countries")],
            "Danube",
            None,
        ),
        ("北京和上海哪个城市的人口更多？", [("北京", "2189万"), ("上海", "2487万")], "北京", "上海"),
        ("Were Ostby and Velden founded in the same year?", [("Ostby", "1203"), ("Velden", "1345")], "Velden", None),
    ],
)
def test_the_winner_by_the_values(question, found, said, other):
    frame = parse_question(question, "zh" if "北京" in question else "en")
    assert _find_other_winner(frame, values(*found), said) == other
