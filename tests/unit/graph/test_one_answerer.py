"""While one answer is written one answerer is entered, and what it leaves open is computed once."""

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from tests.support.fake_model import fake
from tests.support.run import services
from tests.support.states import got, passage, search, state_of
from weiwo.nodes.writer.node import writer
from weiwo.nodes.writer.report.section import ReportDraft
from weiwo.state import OutcomeDetail, Outline, OutlinedSection, Plan, Quote, Section, SectionPiece

ANSWERERS = "weiwo.nodes.writer.answerers."
GAPS = ("fill_ledger", "find_gaps", "close_ledger", "list_part_gaps", "list_unnamed")
"""Functions that compute what an answer leaves open."""
WEND = passage("The River Wend rises in Arvania. It is 310 kilometres long.", "wend.md", "River Wend")
ASKED = "How long is the River Wend?"
SAID = "The River Wend is 310 kilometres long"
PLAN = Plan(tasks=(search("a", ASKED, ret="number"),))
QUOTES = (Quote(evidence_id=WEND.id, text="It is 310 kilometres long."),)
JUDGED = {"verdicts": [], "judged": 4}


@contextmanager
def entries() -> Iterator[Counter[str]]:
    """Count the modules of answerers that are entered by their `answer`, and the functions that compute gaps."""
    seen: Counter[str] = Counter()
    known: set[FrameType] = set()

    def record(frame: FrameType, event: str, _argument: Any) -> None:
        module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_name
        if event != "call" or frame in known:
            return
        if module.startswith(ANSWERERS) and name == "answer":
            known.add(frame)  # which is called again each time the generator goes on
            seen[module.removeprefix(ANSWERERS)] += 1
        elif name in GAPS and module.startswith("weiwo.nodes."):
            seen[name] += 1

    threading.setprofile(record)
    sys.setprofile(record)
    try:
        yield seen
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def found(**detail: Any) -> dict[str, Any]:
    return {"a": got("a", 310, "number", on=WEND, quotes=QUOTES, detail=OutcomeDetail(unit="km", **detail))}


def report() -> ReportDraft:
    piece = SectionPiece(text=f"{SAID} [1].")
    outline = Outline(title="The Wend", sections=(OutlinedSection(title="Length", sources=(1,), words=100),))
    return ReportDraft(outline, {0: Section(pieces=(piece,))}, Section(pieces=(piece,)))


@pytest.mark.parametrize(
    ("answerer", "model", "more"),
    [
        ("rules", None, {"outcomes": found()}),
        ("draft", {"draft": f"{SAID} [1].", "EntailmentReply": JUDGED}, {"outcomes": found()}),
        ("reader", {"EntailmentReply": JUDGED}, {"outcomes": found(sentence=f"{SAID}.")}),
        ("report", {"EntailmentReply": JUDGED}, {"outcomes": found()}),
    ],
)
async def test_one_answerer_is_entered_and_gaps_are_computed_once(answerer, model, more):
    run = services(model=fake(**model)) if model is not None else services()
    state = state_of(ASKED, run, level="moderate", plan=PLAN, evidence=(WEND,), **more)
    with entries() as seen:
        result = (await writer(state, run, report() if answerer == "report" else None))["result"]
    assert "310" in result["answer"]
    assert result["parts"][0]["outcome"] == "answered"
    assert {name: count for name, count in seen.items() if name not in GAPS} == {answerer: 1}
    assert {name: seen[name] for name in GAPS} == dict.fromkeys(GAPS, 1)


async def test_what_a_model_knows_comes_from_one_answerer():
    run = services(model=fake(draft="Hello there, how can I help?"))
    with entries() as seen:
        result = (await writer(state_of("Hello!", run, level="simple"), run))["result"]
    assert result["answer"] == "Hello there, how can I help?"
    assert {name for name in seen if name not in GAPS} == {"unsourced"}
    assert (seen["fill_ledger"], seen["close_ledger"]) == (1, 1)
