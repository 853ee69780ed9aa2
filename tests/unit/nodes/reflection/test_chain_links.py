"""A chain of look-ups holds where each step's passages name what the step before found."""

import pytest

from tests.support.states import got, passage, search
from weiwo.nodes.reflection.monitor import monitor_plan
from weiwo.state import Hop, Limits, OutcomeDetail, Plan, Quote

ASKED = "When was the author of The Blue Lamp born?"
BOOK = passage("The Blue Lamp, a novel of 1931, was written by Ann Lee.", "lamp.md", "The Blue Lamp")
BORN = passage("She was born in 1893 by the river.", "lee.md", "Ann Lee")
OTHER = passage("The painter Rosa Mundt was born in 1893 by the river.", "mundt.md", "Rosa Mundt")
HAN = passage("李安生于1893年。", "zh.md", "李安")
HOP = Hop(
    question="Who wrote The Blue Lamp?",
    value="Ann Lee",
    evidence_ids=(BOOK.id,),
    quotes=(Quote(evidence_id=BOOK.id, text="written by Ann Lee"),),
)


def weaknesses(*evidence, hops=(HOP,), asked=ASKED, decided_by="model"):
    plan = Plan(tasks=(search("a", asked, ret="text"),))
    ids = tuple(dict.fromkeys([*(one.id for one in evidence), *(key for hop in hops for key in hop.evidence_ids)]))
    found = got("a", "1893", "text", evidence_ids=ids, detail=OutcomeDetail(hops=hops), decided_by=decided_by)
    report = monitor_plan(plan, {"a": found}, Limits(), passages=(BOOK, *evidence))
    return [weak.weakness for weak in report.weak]


def test_a_chain_whose_links_are_all_told_is_firm():
    assert weaknesses(BORN) == []


def test_a_link_that_no_passage_carries_is_doubted():
    assert weaknesses(OTHER) == ["doubted"]


def test_an_answer_without_its_first_hop_from_a_namesake_is_doubted():
    assert weaknesses(OTHER, hops=()) == ["doubted"]
    assert weaknesses(BORN, hops=()) == ["doubted"]  # nothing says that Ann Lee wrote the book


def test_one_passage_may_tell_the_whole_chain():
    both = passage("The Blue Lamp is by Ann Lee, who was born in 1893.", "both.md", "Books")
    assert weaknesses(both, hops=()) == []


@pytest.mark.parametrize(
    ("asked", "more"),
    [
        ("When was Ann Lee born?", {"hops": ()}),  # no chain
        (ASKED, {"decided_by": "rule"}),  # which compares names itself
    ],
)
def test_other_values_are_left_alone(asked, more):
    assert weaknesses(OTHER, asked=asked, **more) == []


def test_across_scripts_no_code_doubts():
    assert weaknesses(HAN) == []
