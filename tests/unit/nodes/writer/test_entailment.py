"""What a model's judgement changes in what code found."""

from typing import Any

import pytest

from weiwo.nodes.writer.claims import ClaimSources
from weiwo.nodes.writer.entailment import EntailmentReply, judge_statement
from weiwo.state import Evidence, passage_id

TEXT = "Trams run every ten minutes or so on weekdays, and six times an hour in summer. The depot closed in 1987."


class Judge:
    """A model that gives one verdict, and keeps what it was shown."""

    def __init__(self, verdict: str, quote: str) -> None:
        self.reply = EntailmentReply.model_validate({"verdicts": [{"n": 1, "verdict": verdict, "quote": quote}]})
        self.prompt = ""

    def room(self, *_: str) -> int:
        return 8_000

    async def structured(self, *asked: Any) -> Any:
        self.prompt = asked[2][1].content
        return self.reply


async def judged(claim: str, verdict: str, quote: str = "") -> tuple[str, str]:
    passage = Evidence(id=passage_id(TEXT), text=TEXT, source="trams.md", title="Trams")
    model: Any = Judge(verdict, quote)
    given = ClaimSources({1: (passage,)}, {}, question="How often do the trams run?")
    return await judge_statement(model, "verifier", claim, (1,), given), model.prompt


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Six times an hour  in summer", "supported"),
        ("it says so in the passage", "unsupported"),
        ("", "unsupported"),
    ],
)
async def test_what_code_does_not_find_has_to_be_shown(quote, found):
    verdict, prompt = await judged("In summer they run every 37 minutes.", "supported", quote)
    assert verdict == found
    assert "   Doubt: “37 minutes”" in prompt


@pytest.mark.parametrize(
    ("claim", "shown"),
    [
        ("Both [1] and [7] tell of the depot.", "1. Both [1] and tell of the depot."),
        ("| Depot | 1987[1] |", "1. | Depot | 1987[1] |"),
        ("The depot was shut in 1987.", "1. The depot was shut in 1987. [1]"),
    ],
)
async def test_marks_stand_in_the_prompt_where_they_stand_in_the_claim(claim, shown):
    _, prompt = await judged(claim, "supported")
    assert shown in prompt.splitlines()


async def test_an_open_claim_is_judged_with_its_question():
    verdict, prompt = await judged("The depot was shut down in 1987.", "supported")
    assert verdict == "supported"
    assert TEXT in prompt
    assert "Question: How often do the trams run?" in prompt
    assert "Doubt:" not in prompt
