"""Answers are scored alike, whoever gave them."""

import pytest

from tests.support.results import make_result
from weiwo.app.evaluation.answer import SystemAnswer, abstains, cited_numbers, score_answer, strip_citations
from weiwo.app.evaluation.question_set import Question
from weiwo.app.evaluation.systems import read_result

RIVER = Question("1", "Which river?", (("Danube",),), frozenset({"a", "b"}))


def scored(question: Question = RIVER, **answer):
    return score_answer(question, SystemAnswer(**answer))


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
    assert read_result(result, 1.0).outcome == outcome


@pytest.mark.parametrize(
    ("text", "type_", "right"), [("6.4", "number", True), ("6.5", "number", False), ("6.4", "text", False)]
)
def test_a_number_without_its_unit_is_the_answer_that_has_one(text, type_, right):
    value = {"text": text, "type": type_, "final": True}
    question = Question("1", "By how much did it grow?", (("6.4%",),))
    assert scored(question, text="By 6.4%", outcome="asserted", values=[value])["values"][0]["right"] is right


def test_marks_of_citations():
    assert cited_numbers("So [2]. And [1, 2][3].") == [2, 1, 3]
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
