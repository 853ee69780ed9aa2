"""Entailment: a model judges claims against the cited passages.

Claims are judged together, as many as a call takes.
"""

import asyncio
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Final, Literal

from langchain_core.messages import HumanMessage, SystemMessage

from weiwo.models.gateway import ChatModels, ModelCallError
from weiwo.nodes.shared.prompting.input_guard import safe_note
from weiwo.nodes.shared.prompting.passage_prompt import format_numbered, quote_as_data, without_orders
from weiwo.nodes.shared.prompting.reply_types import Line, Ordinal, Reply
from weiwo.nodes.shared.prompting.sanitizer import remove_links
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.claims import MOST_REASONS, CheckedClaim, ClaimSources, check_cited, is_told_cell
from weiwo.nodes.writer.document import is_code
from weiwo.nodes.writer.pieces import ClaimPlace, Piece, cite_claim, describe_claim, label_claim
from weiwo.nodes.writer.prompt import VERIFY
from weiwo.nodes.writer.sources import CitableSource, CitableSources
from weiwo.nodes.writer.verification.check import borrowed_values, check_statement, is_absence
from weiwo.nodes.writer.verification.grounds import collect_grounds
from weiwo.nodes.writer.verification.quantities import find_quantities
from weiwo.state import DOUBTFUL, Claim, Verdict
from weiwo.text.citation_marks import blank_marks, clean_marks, list_cited_numbers
from weiwo.text.language import fold

_MOST_CLAIMS: Final = 40
"""Most claims in one call. More are divided evenly among as few calls as possible, since each call shows the sources
again."""
_MOST_CALLS: Final = 6
"""Most calls for one answer. Claims beyond are left unchecked."""
_AT_ONCE: Final = 3
_NOT_JUDGED: Final = "the judge gave no verdict"
"""Reason given for an unchecked claim, if the model left it out of its reply or no call was left."""
_SHORTEST_QUOTE: Final = 6
"""Fewest characters of a quotation by which a model shows that a passage has what code did not find."""

Judgement = Literal["supported", "partly", "contradicted", "not_there", "judgement"]
_VERDICTS: Final[dict[Judgement, Verdict]] = {
    "supported": "supported",
    "partly": "unsupported",
    "not_there": "unsupported",
    "contradicted": "contradicted",
    "judgement": "judgement",
}


class ClaimJudgement(Reply):
    """Judgement of a single claim.

    Attributes:
        n: The number of the claim in the prompt, from 1.
        verdict: The judgement.
        words: Where the claim fails, the words that fail and why.
        quote: Where it holds, the words of a passage that show it.
    """

    bounds: ClassVar[Mapping[str, int]] = {"quote": 1000}

    n: Ordinal
    verdict: Judgement
    words: Line = ""
    quote: Line = ""


class EntailmentReply(Reply):
    """Judgements of the claims in one call.

    Attributes:
        verdicts: Judgements of the claims that fail, that code doubts or that cite nothing. Other claims hold.
        judged: Number of judged claims. Claims with higher numbers that are not listed were not judged.
    """

    bounds: ClassVar[Mapping[str, int]] = {"verdicts": 60}
    tokens: ClassVar[int] = 4000

    verdicts: list[ClaimJudgement]
    judged: Ordinal = 0

    def by_number(self, claims: int) -> dict[int, ClaimJudgement]:
        """Return the judgement of each judged claim, by number from 1.

        A claim up to `judged` that is not listed is supported. A claim beyond it that is not listed is missing in the
        result.

        Args:
            claims: Number of claims in the call.
        """
        held = range(1, min(self.judged, claims) + 1)
        listed = {verdict.n: verdict for verdict in self.verdicts if 1 <= verdict.n <= claims}
        return {n: ClaimJudgement(n=n, verdict="supported") for n in held} | listed


async def judge_claims(
    services: RunContext,
    pieces: Sequence[Piece],
    sources: CitableSources,
    question: str,
    places: Sequence[ClaimPlace] | None = None,
) -> list[Piece]:
    """Return the pieces with the claims judged by a model that code could not fully verify.

    Without a model, and in a quick search, the pieces are returned unchanged. Claims that a model should have judged
    and did not are `unchecked`: a check that failed, came late or exceeded the limits of the run does not count as
    passed.

    Args:
        services: The models.
        pieces: The pieces of an answer.
        sources: The citable sources.
        question: The user's question.
        places: The claims to judge. None means all claims that are open (`is_open`).
    """
    role = next((role for role in ("verifier", "writer") if services.models.has_decision_model(role)), "")
    settled = list(pieces)
    if not role or not services.strategy.judges:
        return settled
    given, gate = sources.for_claims(question), asyncio.Semaphore(_AT_ONCE)
    batches = list(_batches(pieces, places, given))
    limit = services.budget.find_exhausted_limit()

    async def ask(batch: Sequence[ClaimPlace]) -> Mapping[ClaimPlace, ClaimJudgement | str]:
        """Judge a batch of claims. Returns the judgement, or the reason for a missing judgement."""
        claims = [describe_claim(pieces, place) for place in batch]
        prompt = _entailment_prompt(services.models, role, claims, sources.items, question)
        messages = [SystemMessage(VERIFY), HumanMessage(prompt)]
        async with gate:
            try:
                reply = await services.models.request_structured_reply(role, "verify", messages, EntailmentReply)
            except ModelCallError as failed:
                return dict.fromkeys(batch, failed.reason)
        judged = reply.by_number(len(batch))
        return {place: judged.get(n, _NOT_JUDGED) for n, place in enumerate(batch, 1)}

    asked = [] if limit else batches[:_MOST_CALLS]
    beyond = {place: limit or _NOT_JUDGED for batch in batches[len(asked) :] for place in batch}
    for found in (*await asyncio.gather(*map(ask, asked)), beyond):
        for place, judgement in found.items():
            settled[place.piece] = _settle_claim(settled[place.piece], place.position, judgement, given)
    return settled


def _settle_claim(piece: Piece, position: int, judgement: ClaimJudgement | str, given: ClaimSources) -> Piece:
    """Return a piece with a judgement applied to one of its claims.

    If the claim cited nothing and the judgement shows its source, the mark of the source is inserted into the text.

    Args:
        piece: The piece.
        position: Position of the claim among the piece's claims.
        judgement: The judgement, or the reason why there is none.
        given: The sources for checking claims.
    """
    before = piece.checked[position]
    after = _apply_judgement(before, judgement, given)
    judged = replace(piece, checked=(*piece.checked[:position], after, *piece.checked[position + 1 :]))
    cites = after.claim.citations and not before.claim.citations and not is_code(after.claim.text)
    return cite_claim(judged, position, given.language) if cites else judged


def _apply_judgement(checked: CheckedClaim, judgement: ClaimJudgement | str, given: ClaimSources) -> CheckedClaim:
    """Return a claim with a judgement applied. If there is none, it is `unchecked` with the reason for that.

    A claim that code doubts stays as it is if there is no judgement.
    """
    if isinstance(judgement, ClaimJudgement):
        return _apply_verdict(checked, judgement, given)
    if checked.claim.verdict in DOUBTFUL:
        return checked
    reason = remove_links(safe_note(judgement), (), given.language)
    return replace(checked, claim=checked.claim.model_copy(update={"verdict": "unchecked", "reason": reason}))


def _apply_verdict(checked: CheckedClaim, judgement: ClaimJudgement, given: ClaimSources) -> CheckedClaim:
    """Return a claim with the verdict of a model, or unchanged if the model should have quoted a source and did not.

    It has to quote if code doubts the claim because a figure or a name is in no source, or is said there of something
    else. A claim without citations then cites the quoted source. That something was not found, and a recommendation,
    need no quotation.
    """
    verdict, own = _VERDICTS[judgement.verdict], checked.claim.citations
    absent = is_absence(checked.claim.text) and not (own and checked.hard)
    shown = tuple(n for n in own or given.passages if _shows(judgement.quote, n, checked, given))
    opinion = verdict == "judgement" and not checked.hard  # whose facts are other claims
    excused = absent or opinion or _recommends(verdict, checked.claim, given)
    doubted = checked.claim.verdict in DOUBTFUL
    needs_words = doubted and (checked.hard or bool(_list_borrowed(checked.claim, given)))
    if needs_words and verdict not in DOUBTFUL and not shown and not excused:
        return checked
    reason = remove_links(safe_note(judgement.words), (), given.language) if verdict in DOUBTFUL else ""
    tells = verdict == "supported" and not absent
    if verdict == "supported" and absent and not own:
        verdict = "uncited"  # that something is not told rests on nothing
    citations = own or (shown[:1] if tells else ())
    claim = checked.claim.model_copy(update={"verdict": verdict, "reason": reason, "citations": citations})
    return replace(checked, claim=claim)


def _shows(quote: str, n: int, checked: CheckedClaim, given: ClaimSources) -> bool:
    """Report whether a quotation stands in source `n` and has all numbers, dates, versions and names of a claim.

    If the claim has citations, its other sources may have some of them. Units are not compared with the result of a
    tool, which gives bare figures. False for a quotation of fewer than six characters.
    """
    claim, words = checked.claim, " ".join(fold(quote).split()).strip(" .。\"'“”…")
    passages = map(without_orders, given.passages.get(n, ()))
    quoted = [passage for passage in passages if words in " ".join(fold(passage.text).split())]
    if len(words) < _SHORTEST_QUOTE or not quoted:
        return False
    if is_code(claim.text):
        return not checked.hard
    text = blank_marks(claim.text)[0].strip()
    if any(passage.calls for passage in quoted):
        text = _without_units(text)
    told = collect_grounds([item.model_copy(update={"text": quote}) for item in quoted])
    if claim.citations:
        held = (check_statement(value, told, language=given.language) for value in _list_borrowed(claim, given))
        return not check_cited(text, claim.citations, given).hard and not any(item.hard for item in held)
    naming = collect_grounds(quoted)
    return not check_statement(text, told, naming=naming, language=given.language, question=given.question).hard


def _list_borrowed(claim: Claim, given: ClaimSources) -> list[str]:
    """Return the values of a claim that the cited sources state of something else.

    Empty if code contradicts nothing.
    """
    if claim.verdict != "contradicted" or not claim.citations:
        return []
    cited = [passage for n in claim.citations for passage in given.passages.get(n, ())]
    return borrowed_values(blank_marks(claim.text)[0].strip(), collect_grounds(cited))


def _without_units(text: str) -> str:
    """Return a text with quantities replaced by bare figures: "5 km" by "5"."""
    for quantity in reversed(find_quantities(text)):
        if quantity.unit:
            text = f"{text[: quantity.start]}{quantity.value:.15g}{text[quantity.end :]}"
    return text


def _recommends(verdict: Verdict, claim: Claim, given: ClaimSources) -> bool:
    """Report whether a claim without citations, judged as the writer's own view, has all particulars in the sources."""
    everything = (*given.passages, *given.computed)
    own = claim.citations or verdict != "judgement"
    return not own and not check_cited(blank_marks(claim.text)[0].strip(), everything, given).hard


def _batches(
    pieces: Sequence[Piece], places: Sequence[ClaimPlace] | None, given: ClaimSources
) -> Iterator[list[ClaimPlace]]:
    """Yield the claims to judge, evenly divided into as few batches as possible.

    A table cell that a sentence of its sources states is left out.

    Args:
        pieces: The pieces of the answer.
        places: The claims to judge, or None for all open claims.
        given: The sources for checking claims.
    """
    asked: list[ClaimPlace] = []
    for number, piece in enumerate(pieces):
        for position, checked in enumerate(piece.checked):
            place = ClaimPlace(number, position)
            is_asked = (place in places) if places is not None else is_open(checked)
            if is_asked and not is_told_cell(checked.claim, label_claim(pieces, place), given):
                asked.append(place)
    calls = math.ceil(len(asked) / _MOST_CLAIMS)
    size = math.ceil(len(asked) / max(1, calls))
    yield from (asked[start : start + size] for start in range(0, len(asked), size or 1))


def is_open(checked: CheckedClaim) -> bool:
    """Report whether a model has to judge a claim.

    True if code doubts the claim, or if it is "matched" or "uncited", is not settled and no single sentence says it.
    """
    if checked.settled or checked.claim.verdict not in {*DOUBTFUL, "matched", "uncited"}:
        return False
    return checked.restates is None or not checked.restates()


def _entailment_prompt(
    models: ChatModels, role: str, claims: Sequence[tuple[str, Claim]], sources: Iterable[CitableSource], question: str
) -> str:
    """Return the prompt for judging claims: cited sources, the question, and the claims numbered from 1.

    The sources are cut to fit. If a claim cites nothing, the sources from which values were read are shown too.

    Args:
        models: The models.
        role: The role that judges.
        claims: The heading above each claim, or "", and the claim. A heading is written once above its claims.
        sources: All citable sources.
        question: The user's question.
    """
    listed: list[str] = []
    above = ""
    for n, (heading, claim) in enumerate(claims, 1):
        if heading and heading != above:
            listed.append(f"# {quote_as_data(heading, 200)}")
            above = heading
        listed.append(f"{n}. {_format_cited(claim)}")
        if claim.verdict in DOUBTFUL:
            listed.append(f"   Doubt: {quote_as_data(claim.reason, 200)}")
    room = models.room(role, VERIFY, "\n".join(listed))
    lines = format_sources([claim for _, claim in claims], sources, room)
    return "\n".join([*lines, "", f"Question: {quote_as_data(question, 400)}", "Claims:", *listed])


def format_sources(claims: Sequence[Claim], sources: Iterable[CitableSource], room: int) -> list[str]:
    """Return prompt lines with the passages and calculations that claims cite, cut to fit.

    Args:
        claims: The claims. If a claim cites nothing, the sources from which values were read are shown too.
        sources: All citable sources.
        room: Tokens left for the sources.
    """
    cited = {n for claim in claims for n in claim.citations}
    uncited = any(not claim.citations for claim in claims)
    shown = [source for source in sources if source.n in cited or (uncited and source.quote)]
    passages = {source.n: source.evidence for source in shown if source.evidence is not None}
    share = max(400, 3 * room // max(1, len(passages)))
    cut = {n: p.model_copy(update={"text": quote_as_data(p.text, share)}) for n, p in passages.items()}
    lines = [*format_numbered(cut)]
    lines += [
        f'<calculation n="{source.n}">{quote_as_data(source.quote, 600)}</calculation>'
        for source in shown
        if source.outcome is not None
    ]
    return lines


def _format_cited(claim: Claim) -> str:
    """Return the text of a claim with a mark for each cited source: "Acme grew [1]". Code gets no marks.

    Marks in the text stay, and those of other cited sources, for example from the row of a cell, are appended.
    """
    if is_code(claim.text):
        return quote_as_data(claim.text, 2_000)
    text = quote_as_data(clean_marks(claim.text, claim.citations), 800)
    marked = list_cited_numbers(text)
    return f"{text} {''.join(f'[{n}]' for n in claim.citations if n not in marked)}".rstrip()


async def judge_statement(
    models: ChatModels, role: str, written: str, numbers: tuple[int, ...], given: ClaimSources
) -> Verdict:
    """Return the verdict on a single claim by code and, if still open, by a model. `unchecked` if the model fails.

    Args:
        models: The models.
        role: The role that judges.
        written: The claim, with its marks.
        numbers: The cited numbers.
        given: The sources for checking claims.
    """
    found = check_cited(blank_marks(written)[0].strip(), numbers, given)
    reason = "; ".join(found.reasons[:MOST_REASONS])
    claim = Claim(text=written, citations=numbers, verdict=found.verdict, reason=reason)
    checked = CheckedClaim(0, len(written), claim, found.hard or not numbers)
    if not is_open(checked):
        return found.verdict
    sources = (CitableSource(n, evidence=passage) for n, found in given.passages.items() for passage in found)
    prompt = _entailment_prompt(models, role, [("", claim)], sources, given.question)
    try:
        reply = await models.request_structured_reply(
            role, "verify", [SystemMessage(VERIFY), HumanMessage(prompt)], EntailmentReply
        )
    except ModelCallError as failed:
        return _apply_judgement(checked, failed.reason, given).claim.verdict
    return _apply_judgement(checked, reply.by_number(1).get(1, _NOT_JUDGED), given).claim.verdict
