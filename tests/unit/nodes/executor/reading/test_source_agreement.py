"""Independent sources: who gives a value, who truly gives another, and how sure that makes a reading."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.nodes.executor.reading.quotes import carries
from weiwo.nodes.executor.reading.reading import Reading
from weiwo.nodes.executor.reading.source_agreement import (
    _DOUBT_LEFT,
    LEAST_SHARE,
    _group_independent_sources,
    values_conflict,
    weigh_sources,
)
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Evidence, JsonValue, OutcomeDetail, Quote, Rival, ValueType, passage_id
from weiwo.state.query import QueryFrame

LENGTH = parse_question("How long is the River Wend?", "en")


def page(title: str, text: str, source: str, **more: str) -> Evidence:
    return Evidence(id=passage_id(text), text=text, source=source, title=title, **more)


def by_model(value: object, passage: Evidence, **more: Any) -> Reading:
    quotes = (Quote(evidence_id=passage.id, text=passage.text),)
    return Reading(value=value, evidence_ids=(passage.id,), quotes=quotes, confidence=0.8, **more)  # type: ignore[arg-type]


def weigh(reading: Reading, passages: list[Evidence], *rivals: Rival, ret: ValueType = "number") -> Reading:
    return weigh_sources(reading, LENGTH, ret, passages, rivals)


WEND = page("River Wend", "The River Wend is 310 kilometres long.", "a.md")
LONGER = page("River Wend", "The River Wend is a river of Arvania. It is 318 kilometres long.", "b.md")
READ = by_model(310, WEND, detail=OutcomeDetail(unit="km"))


def test_a_source_that_gives_another_value_is_a_rival_with_its_words() -> None:
    told = Rival(value=318, evidence_ids=(LONGER.id,), quotes=(Quote(evidence_id=LONGER.id, text=LONGER.text),))
    reading = weigh(READ, [WEND, LONGER], told)
    assert [(rival.value, rival.evidence_ids) for rival in reading.rivals] == [(318, (LONGER.id,))]
    assert reading.support == 1
    assert reading.confidence < READ.confidence


def test_extraction_finds_a_rival_that_the_reader_did_not_tell() -> None:
    reading = weigh(READ, [WEND, LONGER])
    assert [rival.value for rival in reading.rivals] == [318]


def test_one_source_does_not_disagree_with_itself() -> None:
    alone = page("River Wend", LONGER.text, "a.md")
    assert weigh(READ, [WEND, alone]).rivals == ()


def test_agreement_of_independent_sources_raises_confidence() -> None:
    pages = [page("River Wend", f"{WEND.text} {more}", f"https://{more}.org/") for more in ("One.", "Alpha", "Beta")]
    first = by_model(310, pages[0], detail=OutcomeDetail(unit="km"))
    alone, two, three = (weigh(first, pages[:n]) for n in (1, 2, 3))
    assert [one.support for one in (alone, two, three)] == [1, 2, 3]
    assert alone.confidence < two.confidence < three.confidence < 1
    assert two.confidence == pytest.approx(1 - (1 - alone.confidence) * _DOUBT_LEFT, abs=2e-3)


def test_a_copied_sentence_is_no_second_voice() -> None:
    copy = page("News", WEND.text, "https://copy.org/")
    assert weigh(READ, [WEND, copy]).support == 1


def test_the_same_value_told_as_a_rival_is_none() -> None:
    told = Rival(value=310, evidence_ids=(LONGER.id,), quotes=())
    assert weigh(READ, [WEND], told).rivals == ()


@pytest.mark.parametrize(
    ("reading", "frame", "ret"),
    [
        (Reading(value=None, missing="none"), LENGTH, "number"),
        (by_model(["a"], WEND), LENGTH, "list[text]"),
        (by_model("x" * 200, WEND), LENGTH, "text"),
        (by_model("because", WEND), QueryFrame(question="Why?", language="en", shape="open"), "text"),
    ],
)
def test_what_is_not_counted_stays_as_it_was_read(reading: Reading, frame: QueryFrame, ret: ValueType) -> None:
    assert weigh_sources(reading, frame, ret, [WEND, LONGER]) is reading


def test_another_figure_that_the_reader_saw_is_a_rival_of_an_open_question_too() -> None:
    frame = QueryFrame(question="What is the payment term?", language="en", shape="open")
    told = [Rival(value=value, evidence_ids=(LONGER.id,), quotes=()) for value in ("30 days", "as agreed", "45 days")]
    reading = weigh_sources(by_model("45 days", WEND), frame, "text", [WEND, LONGER], told)
    assert [rival.value for rival in reading.rivals] == ["30 days"]
    assert reading.confidence == pytest.approx(by_model("45 days", WEND).confidence * LEAST_SHARE)


def test_sources_are_independent_by_site_and_by_text() -> None:
    one = page("a", "First text about the river Wend and its length.", "https://www.rivers.org/a")
    two = page("b", "Second text about something else altogether.", "https://en.rivers.org/b")
    three = page("c", "Third text, in a file.", "c.md")
    copied = page("d", one.text + " ", "https://elsewhere.org/")
    assert _group_independent_sources([one, two, three, copied]) == [(one, two, copied), (three,)]


@given(st.lists(st.tuples(st.text(max_size=60), st.sampled_from(["a.md", "b.md", "https://c.org/x"])), max_size=5))
def test_any_passages_can_be_weighed(found: list[tuple[str, str]]) -> None:
    passages = [page("t", text, source) for text, source in found]
    reading = weigh(READ, [WEND, *passages])
    assert 0 <= reading.confidence <= 1
    assert reading.support >= 1


def finding(value: JsonValue, unit: str = "", *, approximate: bool = False) -> Reading:
    return Reading(value, detail=OutcomeDetail(unit=unit, approximate=approximate))


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        (finding("-100"), finding("-100-07-12"), False),
        (finding("-100"), finding("-101-07-12"), True),
        (finding(212, "m"), finding(0.212, "km"), False),
        (finding(212, "m"), finding(230, "m"), True),
        (finding(6300, "km", approximate=True), finding(6380, "km"), False),
        (finding(5464), finding(5500), False),
        (finding("Orla Finch"), finding("Finch"), False),
        (finding("Orla Finch"), finding("Ines Calder"), True),
        (finding("Lu Zhiyuan"), finding("陆知远"), False),
        (finding(value=True), finding(value=False), True),
        (finding(["A", "B"]), finding(["A"]), False),
    ],
)
def testvalues_conflict_where_both_cannot_be_right(one: Reading, other: Reading, *, conflict: bool) -> None:
    assert values_conflict(one, other) is conflict
    assert values_conflict(other, one) is conflict


@pytest.mark.parametrize(
    ("sentence", "value", "type_", "carried"),
    [
        ("He was born on 12 July 100 BC.", "-100-07-12", "date", True),
        ("He was born in 100 BC.", "-100-07-12", "date", False),
        ("He was born on 12 July 100 BC.", "-100", "date", True),
        ("It is 0.212 km tall.", 212, "number", True),
        ("It is 212 metres tall.", 230, "number", False),
        ("全长约6300公里。", 6300, "number", True),
        ("The members are Al Fox, Bo Lee and Cy Day.", ["Al Fox", "Cy Day"], "list[text]", True),
        ("Orla FINCH wrote it.", "Orla Finch", "text", True),
        ("Nobody wrote it.", "Orla Finch", "text", False),
        ("Yes.", True, "boolean", False),
    ],
)
def test_a_sentence_carries_a_value_in_any_form(
    sentence: str, value: JsonValue, type_: ValueType, *, carried: bool
) -> None:
    assert carries(sentence, value, type_) is carried


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("River Wend", "The River Wend flows through Arvania, past two old mills."),  # a padding quote
        ("River Ost", "The River Ost is 310 kilometres long."),  # the value, of something else
    ],
)
def test_only_passages_that_give_this_value_of_this_subject_count(title: str, text: str) -> None:
    other = page(title, text, "c.md")
    quotes = (*READ.quotes, Quote(evidence_id=other.id, text=other.text))
    padded = Reading(value=310, evidence_ids=(WEND.id, other.id), quotes=quotes, confidence=0.8)
    assert weigh(padded, [WEND, other]).support == 1
