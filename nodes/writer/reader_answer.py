"""The answer that came with its values: the sentences that readers gave, told as they are; no draft is asked for."""

from collections.abc import Sequence

from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer
from weiwo.nodes.writer.draft import Draft, Piece, add_marks
from weiwo.nodes.writer.entailment import is_open
from weiwo.nodes.writer.prompt import current_outcomes
from weiwo.state import DOUBTFUL, Finding, Outcome
from weiwo.state.search import SearchState


def read_out(state: SearchState, draft: Draft, say: AnswerSanitizer) -> list[Piece]:
    """The sentences that came with the values asked for, if code finds no fault in them; none: write a draft.

    What code alone cannot verify in them is still to be judged, as in a draft. What is disputed, implied or noted has
    to be told as such, and is for a draft; so is what was not found.
    """
    plan, outcomes = state.get("plan"), current_outcomes(state)
    if plan is None or (len(plan.ids) > 1 and not all(plan.task(name).is_answer for name in plan.final_ids)):
        return []
    final = [outcomes[name] for name in plan.final_ids if name in outcomes]
    told = [one for outcome in final for one in _statements(outcome)]
    if len(plan.ids) == 1 and len(final) == 1 and final[0].detail.gave_up:
        return _tell_not_found(final[0], state, draft, say)
    firm = all(one.answers and not one.rivals and not one.note and one.basis == "stated" for one in outcomes.values())
    if not firm or len(final) < len(plan.final_ids) or not all(map(_statements, final)):
        return []
    question = state["assessment"].question
    pieces = [draft.read(_marked(one, draft, say, item=len(told) > 1), question) for one in told]
    cited = all(any(one.claim.citations for one in piece.checked) and _may_stand(piece) for piece in pieces)
    return pieces if cited else []


def _tell_not_found(outcome: Outcome, state: SearchState, draft: Draft, say: AnswerSanitizer) -> list[Piece]:
    """What the reader says who gave the question up, if code finds nothing in it to doubt."""
    if not outcome.detail.sentence:
        return []
    finding = Finding(text=outcome.detail.sentence, evidence_ids=outcome.evidence_ids)
    piece = draft.read(_marked(finding, draft, say), state["assessment"].question)
    return [piece] if piece.checked and _may_stand(piece) else []


def _may_stand(piece: Piece) -> bool:
    """Whether code verifies a piece, or leaves what it doubts to a model's judgement."""
    return all(one.claim.verdict not in DOUBTFUL or (is_open(one) and not one.hard) for one in piece.checked)


def _marked(finding: Finding, draft: Draft, say: AnswerSanitizer, *, item: bool = False) -> str:
    """A finding with the marks of its passages, as a sentence or as an item of a list."""
    marks = "".join(f"[{n}]" for n in draft.sources.numbers_of(finding.evidence_ids, ()))
    sentence = add_marks(say(finding.text), marks, draft.sources.language)
    return f"- {sentence}\n" if item else sentence


def _statements(outcome: Outcome) -> Sequence[Finding]:
    """What a task found, told in sentences; none where its reader gave none."""
    if outcome.detail.sentence:
        return [Finding(text=outcome.detail.sentence, evidence_ids=outcome.evidence_ids)]
    return outcome.findings if outcome.detail.items is not None else ()
