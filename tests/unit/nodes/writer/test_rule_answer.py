"""Answers by rule: statements where all is shown, else extracts; and what is said where nothing speaks of the subject."""

import pytest

from tests.support.run import services
from tests.support.states import got, lost, passage, search, state_of
from weiwo.nodes.writer.draft import Draft
from weiwo.nodes.writer.rule_answer import answer_by_rule, format_extract
from weiwo.nodes.writer.sources import gather_sources
from weiwo.state import Evidence, Extract, Outcome, OutcomeDetail, Plan, Quote, Rival

WEND = passage("The River Wend rises in Arvania. It is 310 kilometres long.", "wend.md", "River Wend")
OTHER = passage("The bakery opens at seven and closes at noon.", "bakery.md", "Bakery hours")
ASKED = "How long is the River Wend?"
FOUND = got("a", 310, "number", on=WEND, quotes=(Quote(evidence_id=WEND.id, text="It is 310 kilometres long."),))


def answer(question: str, outcome: Outcome, *evidence: Evidence, language: str = "en"):
    plan = Plan(tasks=(search("a", question, ret="number"),))
    known = {one.id: one for one in evidence}
    state = state_of(
        question, services(), level="moderate", plan=plan, outcomes={"a": outcome}, evidence=evidence, language=language
    )
    return answer_by_rule(state, Draft(gather_sources(plan, {"a": outcome}, known, language)))


def test_what_is_shown_is_asserted_with_the_words_it_quotes() -> None:
    found = answer(ASKED, FOUND.model_copy(update={"detail": OutcomeDetail(unit="km")}), WEND, OTHER)
    assert found.status == ("complete", "finished")
    assert [sentence for sentence, _ in found.statements] == ["River Wend – length: 310 kilometres [1]."]
    assert [extract.evidence_id for extract in found.extracts.items] == [WEND.id]
    (extract,) = found.extracts.items
    assert [extract.text[start:end] for start, end in extract.highlights] == ["It is 310 kilometres long."]


def test_a_value_that_its_passage_does_not_carry_is_not_asserted() -> None:
    found = answer(ASKED, FOUND.model_copy(update={"value": 999, "detail": OutcomeDetail(unit="km")}), WEND, OTHER)
    assert found.statements == ()
    assert found.status == ("extracts", "finished")


@pytest.mark.parametrize(("language", "asked"), [("en", ASKED), ("zh", "River Wend有多长？")])
def test_sources_that_disagree_are_both_shown_and_neither_is_asserted(language: str, asked: str) -> None:
    guide = passage("The River Wend is 290 kilometres long.", "guide.md", "A guide")
    rival = Rival(value=290, evidence_ids=(guide.id,), quotes=(Quote(evidence_id=guide.id, text=guide.text),))
    disputed = FOUND.model_copy(update={"detail": OutcomeDetail(unit="km"), "rivals": (rival,), "decided_by": "rule"})
    found = answer(asked, disputed, WEND, guide, OTHER, language=language)
    assert found.status == ("extracts", "finished")
    assert found.mechanisms == []
    ((sentence, _),) = found.statements
    assert all(part in sentence for part in ("310", "290", "[1][2]"))
    assert [extract.evidence_id for extract in found.extracts.items] == [WEND.id, guide.id]


def test_what_was_not_found_is_answered_by_the_closest_passages() -> None:
    found = answer("Why is the River Wend so long?", lost("a"), OTHER, WEND)
    assert found.status == ("extracts", "finished")
    assert found.mechanisms == []
    assert WEND.id in [extract.evidence_id for extract in found.extracts.items]
    assert not found.advice


@pytest.mark.parametrize(
    ("question", "language"), [("How long is the Mirzapur canal?", "en"), ("米尔扎运河有多长？", "zh")]
)
def test_where_nothing_speaks_of_the_subject_that_is_said_with_the_three_doors(question: str, language: str) -> None:
    found = answer(question, lost("a"), OTHER, language=language)
    assert found.status == ("partial", "not_found")
    assert found.subject in found.lead
    assert found.advice
    assert len(found.extracts.items) == 1


def test_without_any_passage_it_says_what_would_help() -> None:
    found = answer(ASKED, lost("a"))
    assert found.status == ("partial", "not_found")
    assert "documents" in found.lead


def test_an_extract_as_markdown_has_its_highlights_in_bold() -> None:
    extract = Extract(
        n=1, source="a.md", title="A", text="One. Two.\nThree.", highlights=((5, 9),), score=1.0, evidence_id="e"
    )
    assert format_extract(extract, "[1]").strip() == "A [1]\n\n> One. **Two.**\n> Three."


def test_highlights_that_touch_are_one_in_markdown() -> None:
    spans = ((0, 3), (3, 6))
    extract = Extract(n=1, source="a.md", title="A", text="她来。他走。", highlights=spans, score=1.0, evidence_id="e")
    assert format_extract(extract, "[1]").strip() == "A [1]\n\n> **她来。他走。**"
