"""What a model's judgement changes in what code found."""

from types import SimpleNamespace
from typing import Any

import pytest

from weiwo.nodes.shared.prompting.passage_prompt import INSTRUCTIONS
from weiwo.nodes.writer.claims import CheckedClaim, ClaimSources
from weiwo.nodes.writer.draft import Draft, Piece
from weiwo.nodes.writer.entailment import EntailmentReply, judge_claims, judge_statement
from weiwo.nodes.writer.sources import CitableSource, CitableSources
from weiwo.state import Claim, Evidence, passage_id

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


async def judged(claim: str, verdict: str, quote: str = "", *flags: str) -> tuple[str, str]:
    passage = Evidence(id=passage_id(TEXT), text=TEXT, source="trams.md", title="Trams", flags=flags)
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


async def test_words_of_a_passage_that_gives_orders_are_judged_though_they_stand_there():
    said = "Trams run every ten minutes or so on weekdays"
    assert (await judged(f"{said} [1].", "not_there"))[0] == "quoted"
    assert (await judged(f"{said} [1].", "not_there", "", INSTRUCTIONS))[0] == "unsupported"


async def test_what_is_derived_from_passages_alone_is_judged():
    assert (await judged("The depot closed 13 years before 2000 [1].", "contradicted"))[0] == "contradicted"


@pytest.mark.parametrize(
    ("verdict", "quote", "said", "found"),
    [
        ("supported", "the depot closed in 1987", "The depot was shut in 1987 [1]. So it stays shut.", "supported"),
        ("supported", "it is in there", "The depot was shut in 1987. So it stays shut.", "unsupported"),
        ("judgement", "", "The depot was shut in 1987. So it stays shut.", "judgement"),
        ("contradicted", "the depot closed in 1987", "The depot was shut in 1987. So it stays shut.", "contradicted"),
    ],
)
async def test_a_claim_without_a_citation_gets_the_one_that_a_model_quotes(verdict, quote, said, found):
    model: Any = Judge(verdict, quote)
    model.configured = lambda role: role == "verifier"
    passage = Evidence(id=passage_id(TEXT), text=TEXT, source="trams.md", title="Trams")
    source = CitableSource(1, evidence=passage, quote="closed in 1987")
    draft = Draft(CitableSources((source,), "en"))
    checked = [CheckedClaim(0, 27, Claim(text="The depot was shut in 1987.", verdict="unsupported"), hard=True)]
    after = CheckedClaim(28, 45, Claim(text="So it stays shut.", verdict="uncited"))
    draft.pieces = [Piece("The depot was shut in 1987. So it stays shut.", [*checked, after])]
    services: Any = SimpleNamespace(
        models=model, settings=SimpleNamespace(depth="normal"), budget=SimpleNamespace(exhausted=lambda: "")
    )
    await judge_claims(services, draft, "When did the depot close?")
    piece = draft.pieces[0]
    assert piece.text == said
    assert [piece.text[one.start : one.end] for one in piece.checked] == [
        said[: said.index(" So")],
        "So it stays shut.",
    ]
    assert piece.checked[0].claim.verdict == found
    assert TEXT in model.prompt
