"""Answers are scored alike, whoever gave them."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.results import make_result
from weiwo.app.evaluation.question_set import Question, read_question_set
from weiwo.app.evaluation.scoring import (
    AnswerScorer,
    SystemAnswer,
    _find_stale,
    _read_citations,
    _score_answer,
    abstains,
    strip_citations,
)
from weiwo.app.evaluation.summary import summarize
from weiwo.app.evaluation.systems import _read_result
from weiwo.tools.corpus.evaluation.dataset import DatasetError

RIVER = Question("1", "Which river?", (("Danube",),), frozenset({"a", "b"}))


def scored(question: Question = RIVER, **answer):
    return _score_answer(question, SystemAnswer(**answer))


def test_a_right_answer_with_one_of_two_gold_documents():
    row = scored(text="The Danube", outcome="asserted", cited=("a", "x"))
    assert (row["right"], row["wrong_asserted"], row["on_screen"]) == (True, False, True)
    assert (row["gold_cited"], row["citation_precision"]) == (0.5, 0.5)


def test_a_wrong_answer_is_asserted_or_marked():
    assert scored(text="The Rhine", outcome="asserted")["wrong_asserted"]
    marked = scored(text="The Rhine", outcome="doubtful")
    assert (marked["wrong_asserted"], marked["wrong_doubtful"], marked["right"]) == (False, True, False)


def test_extracts_are_on_the_screen_and_not_asserted():
    row = scored(text="It mentions the Danube", shown=("By the Danube.",), highlighted=("By a river.",))
    assert (row["right"], row["wrong_asserted"], row["on_screen"], row["in_bold"]) == (False, False, True, False)


def test_where_there_is_no_answer_saying_so_is_right():
    nothing = Question("1", "What shoe size?", (), answerable=False)
    assert scored(nothing, text="")["right"]
    assert scored(nothing, text="Size 9", outcome="asserted")["wrong_asserted"]
    assert not scored(nothing, error="it broke")["right"]


def test_a_yes_is_looked_for_in_no_passage():
    row = scored(Question("1", "Is it?", (("yes",),)), text="Yes.", outcome="asserted", cited=("a",))
    assert (row["right"], row["on_screen"], row["gold_cited"], row["citation_precision"]) == (True, None, None, None)


@pytest.mark.parametrize(
    ("status", "verdict", "extracts", "calls", "outcome"),
    [
        ("complete", "supported", False, 0, "asserted"),
        ("partial", "supported", False, 3, "doubtful"),
        ("partial", "", True, 0, "abstained"),  # "No passage speaks of it. The nearest there is:"
        ("partial", "", True, 3, "abstained"),
        ("complete", "uncited", False, 0, "abstained"),  # small talk
        ("complete", "uncited", False, 1, "asserted"),  # out of a model's own head
        ("complete", "", False, 3, "asserted"),  # such as code, whose lines are no claims
    ],
)
def test_what_states_nothing_is_no_answer(status, verdict, extracts, calls, outcome):
    result = make_result("It runs for 2,850 km.", status=status)
    extract = {"source": "a", "text": "By the Danube.", "highlights": []}
    claim = {"text": "It runs for 2,850 km.", "citations": [], "verdict": verdict}
    result |= {"claims": [claim] if verdict else [], "extracts": [extract] if extracts else []}
    result["usage"]["model_calls"] = calls
    assert _read_result(result, 1.0).outcome == outcome


@pytest.mark.parametrize(
    ("text", "type_", "right"), [("6.4", "number", True), ("6.5", "number", False), ("6.4", "text", False)]
)
def test_a_number_without_its_unit_is_the_answer_that_has_one(text, type_, right):
    value = {"text": text, "type": type_, "final": True}
    question = Question("1", "By how much did it grow?", (("6.4%",),))
    assert scored(question, text="By 6.4%", outcome="asserted", values=[value])["values"][0]["right"] is right


def test_marks_of_citations():
    assert _read_citations("So [2]. And [1, 2][3].") == [2, 1, 3]
    assert strip_citations("It is the Danube [1][2, 3].") == "It is the Danube."


@pytest.mark.parametrize(
    ("text", "declines"),
    [
        ("I do not know.", True),
        ("The passages don't mention the river.", True),
        ("资料中没有找到答案。", True),
        ("无法确定。", True),
        ("", True),
        ("The Danube. The sources do not say how long it is.", False),
        ("The Danube [1]; its length is not stated.", False),
        ("It is not the Rhine but the Danube.", False),
    ],
)
def test_what_declines_to_answer(text, declines):
    assert abstains(text) is declines


QUESTION = Question(
    "1",
    "What does the travel policy say?",
    (("The allowance is 72 euros.", "72 euros"), ("Flights are booked two weeks ahead.", "two weeks")),
    stale=(("The allowance is 45 euros.", "45 euros"), ("津贴为300元", "300元")),
    open=True,
)


def claim(text: str, verdict: str, *citations: int) -> dict[str, object]:
    return {"text": text, "verdict": verdict, "citations": list(citations)}


@pytest.mark.parametrize(
    ("text", "stale"),
    [
        ("The allowance is 72 euros [1].", []),
        ("The allowance is 45 euros [1].", ["The allowance is 45 euros."]),
        ("The allowance was 45 euros until 2023.", []),
        ("It rose from 45 euros to 72 euros.", []),
        ("津贴为300元。", ["津贴为300元"]),
        ("津贴原为300元。", []),
        ("Costs are 1,450 euros.", []),
    ],
)
def test_a_stale_value_counts_where_it_is_told_as_current(text: str, stale: list[str]):
    assert _find_stale(QUESTION, text) == stale


async def test_a_report_is_scored_by_facts_claims_and_citations():
    answer = SystemAnswer(
        "The allowance is EUR 72 euros. It is 45 euros abroad.",
        "asserted",
        claims=(
            claim("The allowance is EUR 72 euros.", "quoted", 1, 2),
            claim("It is 45 euros abroad.", "unsupported", 3),
            claim("So much for that.", "uncited"),
        ),
        tool_calls=2,
    )
    row = await AnswerScorer()(QUESTION, answer)
    assert (row["facts"], row["missed"]) == (0.5, ["Flights are booked two weeks ahead."])
    assert row["stale_told"] == ["The allowance is 45 euros."]
    assert (row["claims_hold"], row["effective_citations"], row["citation_accuracy"]) == (0.5, 2, 0.6667)
    nothing = await AnswerScorer()(QUESTION, SystemAnswer(error="down"))
    assert (nothing["facts"], nothing["claims_hold"], nothing["error"]) == (0.0, None, "down")


async def test_passages_that_are_shown_tell_facts_too():
    row = await AnswerScorer()(
        QUESTION, SystemAnswer("Not in your documents: “Mirzapur”.", shown=("72 euros", "booked two weeks ahead"))
    )
    assert (row["facts"], row["stale"]) == (1.0, 0)


class Judge:
    """A judge who knows what a fortnight is."""

    async def __call__(self, question: Question, answer: str) -> bool | None:
        raise AssertionError(f"facts are looked for in an answer to {question.text!r}: {answer!r}")

    async def find_facts(self, question: Question, report: str, facts: Sequence[str]) -> list[int]:
        assert (report, list(facts)) == ("Book a fortnight early.", [group[0] for group in question.answers])
        return [1]


async def test_a_judge_finds_what_is_told_in_other_words():
    row = await AnswerScorer(Judge())(QUESTION, SystemAnswer("Book a fortnight early.", "asserted"))
    assert row["missed"] == ["The allowance is 72 euros."]


async def test_open_questions_have_figures_of_their_own_by_limit():
    rows = []
    for limit, text in (("2 tool calls", "72 euros"), ("20 tool calls", "72 euros, two weeks")):
        scores = await AnswerScorer()(QUESTION, SystemAnswer(text, "asserted", level="simple"))
        rows.append({"question": "1", "system": limit, **scores})
    found = summarize("policies", rows)
    assert (found["n"], list(found["systems"])) == (1, ["2 tool calls", "20 tool calls"])
    assert [one["facts"] for one in found["systems"].values()] == [0.5, 1.0]
    assert found["systems"]["2 tool calls"]["claims_hold"] is None
    assert found["systems"]["20 tool calls"]["intervals"]["facts"] == [1.0, 1.0]
    assert list(found["systems"]["20 tool calls"]["by_level"]) == ["simple"]


def test_facts_are_read_with_their_aliases(tmp_path: Path):
    file = tmp_path / "open.jsonl"
    row = {"question": "What?", "facts": ["a fact", {"text": "another", "aliases": ["b"]}], "stale": ["old"]}
    file.write_text(json.dumps(row), encoding="utf-8")
    (question,) = read_question_set(file).questions
    assert question.open
    assert (question.answers, question.stale) == ((("a fact",), ("another", "b")), (("old",),))
    file.write_text(json.dumps({"question": "What?", "facts": [{"aliases": ["b"]}]}), encoding="utf-8")
    with pytest.raises(DatasetError, match='each item of "facts" must be a string'):
        read_question_set(file)
