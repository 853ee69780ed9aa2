"""The answer that came with its values: the sentences that readers gave, told as they are."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer
from weiwo.nodes.shared.strategy import COMPARED
from weiwo.nodes.writer.claims import CheckedClaim
from weiwo.nodes.writer.context import WriterContext
from weiwo.nodes.writer.entailment import is_open
from weiwo.nodes.writer.generate import settle_pieces
from weiwo.nodes.writer.pieces import Piece, add_marks, read_piece
from weiwo.nodes.writer.prompt import current_outcomes
from weiwo.nodes.writer.sources import CitableSources
from weiwo.nodes.writer.verification.clauses import content_words, match_keys
from weiwo.nodes.writer.written_answer import Answering, AnswerPart
from weiwo.state import DOUBTFUL, Finding, Outcome
from weiwo.state.query import QueryFrame
from weiwo.state.search import SearchState
from weiwo.text.dates import find_dates
from weiwo.text.language import fold
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy

_DENIES: Final = lazy(r"\b(?:no|not|never|neither|nor|cannot)\b|n['’]t\b|[不没未非无]")


async def answer(context: WriterContext) -> Answering:
    """Speak what readers told, then settle it as a draft is settled."""
    citable, say = context.prompt.citable, context.sanitizer(context.prompt.citable)
    pieces = await asyncio.to_thread(_read_told, context.state, citable, say)
    for piece in pieces:
        yield piece
    settled = await settle_pieces(context.prompt, context.services, pieces, context.question, say) if pieces else []
    yield AnswerPart(tuple(settled), basis="sources" if settled else None, shows_more=not context.has_found)


def list_told(state: SearchState) -> list[Finding]:
    """List the sentences that readers gave with all the values asked for, or with which the only one gave up.

    What is disputed, implied or noted has to be told as such, and is for a draft; so is what was not found.
    """
    plan, outcomes = state.get("plan"), current_outcomes(state)
    if plan is None or (len(plan.ids) > 1 and not all(plan.task(name).is_answer for name in plan.final_ids)):
        return []
    final = [outcomes[name] for name in plan.final_ids if name in outcomes]
    if len(plan.ids) == 1 and len(final) == 1 and final[0].trace.gave_up:
        return [*_statements(final[0])][:1]
    firm = all(one.answers and not one.rivals and not one.note and one.basis == "stated" for one in outcomes.values())
    if not firm or len(final) < len(plan.final_ids) or not all(map(_statements, final)):
        return []
    return [one for outcome in final for one in _statements(outcome)]


def _read_told(state: SearchState, sources: CitableSources, say: AnswerSanitizer) -> list[Piece]:
    """The sentences that came with the values asked for, if code finds no fault in them; none: write a draft.

    What code alone cannot verify in them is still to be judged, as in a draft.
    """
    told, question, compared = list_told(state), state["assessment"].question, _find_compared(state)
    pieces = [read_piece(_mark_finding(one, sources, say, item=len(told) > 1), (), sources, question) for one in told]
    if compared is not None:
        pieces = _settle_comparison(pieces, str(compared.value), state["assessment"].frame)
    gave_up = bool(told) and not any(outcome.answers for outcome in current_outcomes(state).values())
    may_stand = all(
        piece.checked and (gave_up or any(one.claim.citations for one in piece.checked)) and _may_stand(piece)
        for piece in pieces
    )
    return pieces if may_stand else []


def _find_compared(state: SearchState) -> Outcome | None:
    """Find the one outcome that answers with a comparison; None where none does."""
    plan, outcomes = state.get("plan"), current_outcomes(state)
    final = [outcomes[name] for name in (plan.final_ids if plan else ()) if name in outcomes]
    return final[0] if len(final) == 1 and final[0].answers and final[0].detail.mechanism == COMPARED else None


def _settle_comparison(pieces: Sequence[Piece], winner: str, frame: QueryFrame) -> list[Piece]:
    """Take as computed what says of the thing that wins what the question asks, in its words; code knows who wins."""
    asked = frozenset(key for word in content_words(frame.question) for key in match_keys(word))
    return [
        replace(piece, checked=tuple(_settle_winner(checked, winner, asked, frame) for checked in piece.checked))
        for piece in pieces
    ]


def _settle_winner(checked: CheckedClaim, winner: str, asked: frozenset[str], frame: QueryFrame) -> CheckedClaim:
    """A claim as computed, if it begins with the thing that wins and says nothing else than what was asked."""
    text = fold(checked.claim.text)
    at = {found: subject for subject in frame.subjects if (found := text.find(fold(subject))) >= 0}
    first = fold(at[min(at)]) if at else ""
    figures = [(one.start, one.end) for one in find_dates(text)]
    figures += [(one.start, one.end) for one in find_numbers(text)]
    bare = "".join(" " if any(a <= n < b for a, b in figures) else sign for n, sign in enumerate(text))
    own = all(match_keys(word) & asked for word in content_words(bare))
    wins = first and first in fold(winner) and own and not _DENIES.search(text)
    if not wins or checked.claim.verdict in DOUBTFUL:
        return checked
    return replace(checked, claim=checked.claim.model_copy(update={"verdict": "computed"}))


def _may_stand(piece: Piece) -> bool:
    """Whether code verifies a piece, or leaves what it doubts to a model's judgement."""
    return all(one.claim.verdict not in DOUBTFUL or (is_open(one) and not one.hard) for one in piece.checked)


def _mark_finding(finding: Finding, sources: CitableSources, say: AnswerSanitizer, *, item: bool = False) -> str:
    """A finding with the marks of its passages, as a sentence or as an item of a list."""
    marks = "".join(f"[{n}]" for n in sources.numbers_of(finding.evidence_ids, ()))
    sentence = add_marks(say(finding.text), marks, sources.language)
    return f"- {sentence}\n" if item else sentence


def _statements(outcome: Outcome) -> Sequence[Finding]:
    """What a task found, told in sentences; none where its reader gave none."""
    if outcome.detail.sentence:
        return [Finding(text=outcome.detail.sentence, evidence_ids=outcome.evidence_ids)]
    return outcome.findings if outcome.detail.items is not None else ()
