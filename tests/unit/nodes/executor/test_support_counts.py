"""Sources counted for a value: those that state it, and none for a value that is merely implied."""

from dataclasses import replace

import pytest

from weiwo.nodes.executor.reading.reading import Reading
from weiwo.nodes.executor.reading.shown_passages import ShownPassages
from weiwo.nodes.executor.reading.source_agreement import weigh_sources
from weiwo.nodes.executor.replies import QuoteRef, ReadReply
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Evidence, Quote, passage_id


def _passage(text: str, source: str) -> Evidence:
    return Evidence(id=passage_id(text), text=text, source=source, title="Acme")


STATED = _passage("Acme was founded in 1990.", "a.md")
AGAIN = _passage("In 1990 two engineers established Acme.", "b.md")
OTHER = _passage("Acme sold 1990 lorries last spring.", "c.md")
READING = Reading(1990, (STATED.id,), (Quote(evidence_id=STATED.id, text=STATED.text),), 0.9)


def test_a_figure_of_something_else_is_no_second_source() -> None:
    frame = parse_question("When was Acme founded?", "en")
    dated = replace(READING, value="1990")
    assert weigh_sources(dated, frame, "date", [STATED, OTHER]).support == 1
    assert weigh_sources(dated, frame, "date", [STATED, AGAIN, OTHER]).support == 2


def test_an_implied_value_has_no_further_sources() -> None:
    frame = parse_question("When was Acme founded?", "en")
    implied = replace(READING, value="1990", basis="implied")
    assert weigh_sources(implied, frame, "date", [STATED, AGAIN]).support == 1


@pytest.mark.parametrize(
    ("quote", "value", "objected"),
    [
        ("Write to us any time.", "Ann Lee", True),
        ("Ann Lee runs the firm.", "Ann Lee", False),
        ("The head of Acme is known to all.", "Ann Lee", False),
    ],
)
def test_a_value_needs_a_quote_that_bears_on_it(quote: str, value: str, *, objected: bool) -> None:
    passage = Evidence(id=passage_id(quote), text=quote, source="a.md", title="Contact")
    shown = ShownPassages(parse_question("Who leads Acme?", "en"), "text", [passage])
    reply = ReadReply(next="answer", value=value, quotes=[QuoteRef(passage=1, text=quote)], confidence=0.9)
    assert (shown.find_objection(reply, strangers=False) is not None) is objected
