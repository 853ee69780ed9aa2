"""Entailment: a model judges claims against the passages they cite, one batched call a section of the answer."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from langchain_core.messages import HumanMessage, SystemMessage

from weiwo.models.gateway import ChatModels, ModelCallError
from weiwo.nodes.shared.prompting.input_guard import safe_note
from weiwo.nodes.shared.prompting.passage_prompt import DATA_RULE, format_passage, quote_as_data
from weiwo.nodes.shared.prompting.reply_types import Line, Ordinal, Reply
from weiwo.nodes.shared.prompting.sanitizer import protect_prompt, remove_links
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.claims import CheckedClaim, ClaimSources, check_cited
from weiwo.nodes.writer.draft import Draft
from weiwo.nodes.writer.sources import CitableSource
from weiwo.state import DOUBTFUL, Claim, Language, Verdict

MOST_CLAIMS: Final = 30
"""Claims in one call."""
ENOUGH_CLAIMS: Final = 8
"""Claims from which on the next heading begins another call; a call for each short section would cost more."""
MOST_CALLS: Final = 6
"""Calls for one answer; what is beyond keeps the verdict of the code."""
AT_ONCE: Final = 3

SYSTEM: Final = protect_prompt(
    f"""\
You verify an answer. For each numbered claim judge whether the passages and calculations it cites carry it, by them \
alone and not by what you know. Brackets before a claim hold its heading, or its row and column. {DATA_RULE}
- `supported`: each part of the claim is said there, in whatever words, or follows directly (a sum, an order of dates).
- `partly`: a part of it is not there. `not_there`: nothing of it is there.
- `contradicted`: they say otherwise: another value, name, order, direction, role or property, or its denial.
- `judgement`: it is a recommendation or an assessment of the writer's own, and the facts it rests on are there.
- `words`: of a claim that is not supported, the words in it that fail and why, in one line; else empty.
Reply with one verdict for each claim."""
)

Judgement = Literal["supported", "partly", "contradicted", "not_there", "judgement"]
_VERDICTS: Final[dict[Judgement, Verdict]] = {
    "supported": "supported",
    "partly": "unsupported",
    "not_there": "unsupported",
    "contradicted": "contradicted",
    "judgement": "judgement",
}


class ClaimJudgement(Reply):
    """The judgement of one claim."""

    n: Ordinal
    verdict: Judgement
    words: Line = ""


class EntailmentReply(Reply):
    """The judgements of a section's claims."""

    verdicts: list[ClaimJudgement]


@dataclass(frozen=True)
class ClaimPlace:
    """Where a claim stands in the draft: its piece, and its position among that piece's claims."""

    piece: int
    position: int


def verifier_role(services: RunContext) -> str:
    """The role whose model judges claims: the verifier's, else the writer's; empty where neither has one."""
    return next((role for role in ("verifier", "writer") if services.models.configured(role)), "")


async def judge_claims(services: RunContext, draft: Draft, places: Sequence[ClaimPlace] | None = None) -> None:
    """Have a model judge the claims that code could not verify whole; changes the verdicts of the draft.

    A quick search does without, and so does a run whose limits leave no room: the verdicts say what they rest on.

    Args:
        services: The models.
        draft: The draft.
        places: The claims to judge; None: all that cite something and that code neither found word for word nor
            computed, nor refused for a figure or a name.
    """
    role = verifier_role(services)
    if not role or services.settings.depth == "quick" or services.budget.exhausted():
        return
    batches = list(_batches(draft, places))[:MOST_CALLS]
    gate = asyncio.Semaphore(AT_ONCE)

    async def ask(batch: Sequence[ClaimPlace]) -> Mapping[ClaimPlace, ClaimJudgement]:
        claims = [draft.in_context(place.piece, place.position) for place in batch]
        messages = [
            SystemMessage(SYSTEM),
            HumanMessage(_entailment_prompt(services.models, role, claims, draft.sources.items)),
        ]
        async with gate:
            try:
                reply = await services.models.structured(role, "verify", messages, EntailmentReply)
            except ModelCallError:
                return {}  # in the trace; the verdicts of the code stand
        return {batch[one.n - 1]: one for one in reply.verdicts if 1 <= one.n <= len(batch)}

    for judged in await asyncio.gather(*map(ask, batches)):
        for place, judgement in judged.items():
            checked = draft.pieces[place.piece].checked
            checked[place.position] = _judged(checked[place.position], judgement, draft.sources.language)


def _judged(checked: CheckedClaim, judgement: ClaimJudgement, language: Language) -> CheckedClaim:
    verdict = _VERDICTS[judgement.verdict]
    reason = remove_links(safe_note(judgement.words), (), language) if verdict in DOUBTFUL else ""
    claim = checked.claim.model_copy(update={"verdict": verdict, "reason": reason})
    return replace(checked, claim=claim)


def _batches(draft: Draft, places: Sequence[ClaimPlace] | None) -> Iterator[list[ClaimPlace]]:
    """The claims to judge, section by section."""
    batch: list[ClaimPlace] = []
    for number, piece in enumerate(draft.pieces):
        heading = piece.text.lstrip().startswith("#")
        if len(batch) >= (ENOUGH_CLAIMS if heading else MOST_CLAIMS):
            yield batch
            batch = []
        for position, checked in enumerate(piece.checked):
            place = ClaimPlace(number, position)
            if (place in places) if places is not None else is_open(checked):
                batch.append(place)
    if batch:
        yield batch


def is_open(checked: CheckedClaim) -> bool:
    """Whether a model may judge a claim: it cites something, and code found neither its words nor a hard fault."""
    claim = checked.claim
    return bool(claim.citations) and (claim.verdict == "matched" or (claim.verdict in DOUBTFUL and not checked.hard))


def _entailment_prompt(models: ChatModels, role: str, claims: Sequence[Claim], sources: Iterable[CitableSource]) -> str:
    """The passages and calculations that claims cite, and the claims, numbered from 1; passages are cut to what fits."""  # noqa: E501 - one line reads best
    cited = {n for claim in claims for n in claim.citations}
    listed = [
        f"{n}. {quote_as_data(claim.text, 800)} {''.join(f'[{c}]' for c in claim.citations)}"
        for n, claim in enumerate(claims, 1)
    ]
    shown = [source for source in sources if source.n in cited]
    passages = {source.n: source.evidence for source in shown if source.evidence is not None}
    share = max(400, 3 * models.room(role, SYSTEM, "\n".join(listed)) // max(1, len(passages)))
    lines = [
        format_passage(n, passage.model_copy(update={"text": quote_as_data(passage.text, share)}))
        for n, passage in passages.items()
    ]
    lines += [
        f'<calculation n="{source.n}">{quote_as_data(source.quote, 600)}</calculation>'
        for source in shown
        if source.outcome is not None
    ]
    return "\n".join([*lines, "", "Claims:", *listed])


async def judge_statement(
    models: ChatModels, role: str, text: str, numbers: tuple[int, ...], given: ClaimSources
) -> Verdict:
    """The verdict on one claim by code and, where code leaves it open, by a model.

    Args:
        models: The models.
        role: The role that judges.
        text: The claim, without marks.
        numbers: What it cites.
        given: What claims are checked against.
    """
    found = check_cited(text, numbers, given)
    claim = Claim(text=text, citations=numbers, verdict=found.verdict)
    if not is_open(CheckedClaim(0, len(text), claim, found.hard)):
        return found.verdict
    sources = (CitableSource(n, evidence=passage) for n, found in given.passages.items() for passage in found)
    messages = [SystemMessage(SYSTEM), HumanMessage(_entailment_prompt(models, role, [claim], sources))]
    try:
        reply = await models.structured(role, "verify", messages, EntailmentReply)
    except ModelCallError:
        return found.verdict
    return _VERDICTS[reply.verdicts[0].verdict] if reply.verdicts else found.verdict
