"""Reports are scored by the facts they tell, the stale values they pass off as current, and the citations that hold."""

import json
from pathlib import Path

import pytest

from weiwo.app.evaluation.answer import SystemAnswer
from weiwo.app.evaluation.question_set import Question, read_question_set
from weiwo.app.evaluation.report import ReportScorer, chart_reports, find_stale, summarize_reports
from weiwo.tools.corpus.evaluation.dataset import DatasetError

QUESTION = Question(
    "1",
    "What does the travel policy say?",
    (("The allowance is 72 euros.", "72 euros"), ("Flights are booked two weeks ahead.", "two weeks")),
    stale=(("The allowance is 45 euros.", "45 euros"), ("津贴为300元", "300元")),
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
    assert find_stale(QUESTION, text) == stale


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
    row = await ReportScorer()(QUESTION, answer)
    assert (row["facts"], row["missed"]) == (0.5, ["Flights are booked two weeks ahead."])
    assert row["stale_told"] == ["The allowance is 45 euros."]
    assert (row["claims_hold"], row["effective_citations"], row["citation_accuracy"]) == (0.5, 2, 0.6667)
    nothing = await ReportScorer()(QUESTION, SystemAnswer(error="down"))
    assert (nothing["facts"], nothing["claims_hold"], nothing["error"]) == (0.0, None, "down")


async def test_passages_that_are_shown_tell_facts_too():
    row = await ReportScorer()(
        QUESTION, SystemAnswer("Closest passages:", shown=("72 euros", "booked two weeks ahead"))
    )
    assert (row["facts"], row["stale"]) == (1.0, 0)


async def test_a_judge_finds_what_is_told_in_other_words():
    async def judge(_: Question, report: str, facts: object) -> list[int]:
        assert (report, facts) == ("Book a fortnight early.", [group[0] for group in QUESTION.answers])
        return [1]

    row = await ReportScorer(judge)(QUESTION, SystemAnswer("Book a fortnight early.", "asserted"))
    assert row["missed"] == ["The allowance is 72 euros."]


async def test_the_curve_is_over_limits_in_their_order():
    rows = []
    for limit, text in (("20 tool calls", "72 euros, two weeks"), ("2 tool calls", "72 euros")):
        scores = await ReportScorer()(QUESTION, SystemAnswer(text, "asserted"))
        rows.append({"question": "1", "system": limit, **scores})
    found = summarize_reports("policies", rows)
    assert (found["n"], list(found["systems"])) == (1, ["2 tool calls", "20 tool calls"])
    chart = chart_reports(found, {"facts": "facts, %", "claims_hold": "claims, %"})
    assert [series.values for series in chart.series] == [(50.0, 100.0), (None, None)]


def test_facts_are_read_with_their_aliases(tmp_path: Path):
    file = tmp_path / "open.jsonl"
    row = {"question": "What?", "facts": ["a fact", {"text": "another", "aliases": ["b"]}], "stale": ["old"]}
    file.write_text(json.dumps(row), encoding="utf-8")
    (question,) = read_question_set(file).questions
    assert (question.answers, question.stale) == ((("a fact",), ("another", "b")), (("old",),))
    file.write_text(json.dumps({"question": "What?", "facts": [{"aliases": ["b"]}]}), encoding="utf-8")
    with pytest.raises(DatasetError, match='one of its "facts" is no text'):
        read_question_set(file)
