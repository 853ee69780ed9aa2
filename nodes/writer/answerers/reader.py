"""The answer that came with its values: the sentences that readers gave, told as they are."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer
from weiwo.nodes.writer.claims import CheckedClaim, check_cited
from weiwo.nodes.writer.compared import Comparison, find_comparison
from weiwo.nodes.writer.context import WriterContext
from weiwo.nodes.writer.entailment import is_open
from weiwo.nodes.writer.generate import settle_pieces
from weiwo.nodes.writer.pieces import Piece, add_marks, read_piece
from weiwo.nodes.writer.prompt import current_outcomes
from weiwo.nodes.writer.sources import CitableSources
from weiwo.nodes.writer.verification.check import is_absence
from weiwo.nodes.writer.written_answer import Answering, AnswerPart
from weiwo.state import DOUBTFUL, Finding, Outcome
from weiwo.state.search import SearchState
from weiwo.text.language import sentences

_MOST_LISTED: Final = 3
"""Items of a list that a reader's sentence tells."""


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

    What is disputed or noted has to be told as such, and is for a draft; so are what was not found, a long list, and an
    implied value among others. A single implied value is told in its sentence, and named among the gaps.
    """
    plan, outcomes = state.get("plan"), current_outcomes(state)
    if plan is None or (len(plan.ids) > 1 and not all(plan.task(name).is_answer for name in plan.final_ids)):
        return []
    final = [outcomes[name] for name in plan.final_ids if name in outcomes]
    if len(plan.ids) == 1 and len(final) == 1 and final[0].trace.gave_up:
        return [*_statements(final[0])][:1]
    firm = all(
        one.answers and not one.rivals and not one.note and (len(plan.ids) == 1 or one.basis == "stated")
        for one in outcomes.values()
    )
    if (
        not firm
        or not all(map(_is_short, final))
        or len(final) < len(plan.final_ids)
        or not all(map(_statements, final))
    ):
        return []
    return [one for outcome in final for one in _statements(outcome)]


def _read_told(state: SearchState, sources: CitableSources, say: AnswerSanitizer) -> list[Piece]:
    """The sentences that came with the values asked for, if code finds no fault in them; none: write a draft.

    What code alone cannot verify in them is still to be judged, as in a draft.
    """
    told, question, compared = list_told(state), state["assessment"].question, _find_compared(state, sources)
    pieces = [
        read_piece(_mark_finding(one, sources, say, question, item=len(told) > 1), (), sources, question)
        for one in told
    ]
    gave_up = bool(told) and not any(outcome.answers for outcome in current_outcomes(state).values())
    settle = _settle_absence if gave_up else compared.settle if compared is not None else None
    if settle is not None:
        pieces = [replace(piece, checked=tuple(map(settle, piece.checked))) for piece in pieces]
    may_stand = all(
        piece.checked and (gave_up or any(one.claim.citations for one in piece.checked)) and _may_stand(piece)
        for piece in pieces
    )
    return pieces if may_stand else []


def _find_compared(state: SearchState, sources: CitableSources) -> Comparison | None:
    """What code knows of the one outcome that answers with a comparison; None where none does."""
    plan, outcomes, frame = state.get("plan"), current_outcomes(state), state["assessment"].frame
    final = [outcomes[name] for name in (plan.final_ids if plan else ()) if name in outcomes]
    if len(final) != 1 or not final[0].answers or frame.shape != "comparison":
        return None
    return find_comparison(final[0], frame, sources.evidence)


def _settle_absence(checked: CheckedClaim) -> CheckedClaim:
    """A claim as settled, if it only says that something was not found: its reader, a model, has judged that."""
    only_denies = checked.claim.verdict not in DOUBTFUL and is_absence(checked.claim.text)
    return replace(checked, settled=checked.settled or only_denies)


def _is_short(outcome: Outcome) -> bool:
    """Whether one sentence can tell a value: a list of many items is better told as a list."""
    return outcome.detail.items is not None or not isinstance(outcome.value, list) or len(outcome.value) <= _MOST_LISTED


def _may_stand(piece: Piece) -> bool:
    """Whether code verifies a piece, or leaves what it doubts to a model's judgement."""
    return all(one.claim.verdict not in DOUBTFUL or (is_open(one) and not one.hard) for one in piece.checked)


def _mark_finding(
    finding: Finding, sources: CitableSources, say: AnswerSanitizer, question: str, *, item: bool = False
) -> str:
    """A finding with the marks of its passages, as a sentence or as an item of a list.

    Of several sentences each gets the marks of the passages that may carry it; one that only denies gets none.
    """
    text, numbers, given = say(finding.text), sources.numbers_of(finding.evidence_ids, ()), sources.for_claims(question)
    parts = [text[start:end] for start, end in sentences(text)] or [text]
    several = len(parts) > 1
    for part in parts:
        carry = (
            [n for n in numbers if check_cited(part.strip(), (n,), given).verdict not in DOUBTFUL] if several else []
        )
        marks = "" if several and is_absence(part) else "".join(f"[{n}]" for n in carry or numbers)
        text = text.replace(part, add_marks(part, marks, sources.language), 1)
    return f"- {text}\n" if item else text


def _statements(outcome: Outcome) -> Sequence[Finding]:
    """What a task found, told in sentences; none where its reader gave none."""
    if outcome.detail.sentence:
        return [Finding(text=outcome.detail.sentence, evidence_ids=outcome.evidence_ids)]
    return outcome.findings if outcome.detail.items is not None else ()
