"""The answer that came with its values: the sentences that readers gave, told as they are; no draft is asked for."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer
from weiwo.nodes.shared.strategy import COMPARED
from weiwo.nodes.writer.draft import Draft, Piece, add_marks
from weiwo.nodes.writer.entailment import is_open
from weiwo.nodes.writer.prompt import current_outcomes
from weiwo.nodes.writer.verification.clauses import content_words, match_keys
from weiwo.state import DOUBTFUL, Finding, Outcome
from weiwo.state.query import QueryFrame
from weiwo.state.search import SearchState
from weiwo.text.dates import find_dates
from weiwo.text.language import fold
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy

_DENIES: Final = lazy(r"\b(?:no|not|never|neither|nor|cannot)\b|n['’]t\b|[不没未非无]")


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
    if len(final) == 1 and final[0].detail.mechanism == COMPARED:
        _settle_comparison(pieces, str(final[0].value), state["assessment"].frame)
    cited = all(any(one.claim.citations for one in piece.checked) and _may_stand(piece) for piece in pieces)
    return pieces if cited else []


def _settle_comparison(pieces: Sequence[Piece], winner: str, frame: QueryFrame) -> None:
    """Take as computed what says of the thing that wins what the question asks, in its words; code knows who wins."""
    asked = frozenset(key for word in content_words(frame.question) for key in match_keys(word))
    for piece in pieces:
        for n, checked in enumerate(piece.checked):
            text = fold(checked.claim.text)
            at = {found: subject for subject in frame.subjects if (found := text.find(fold(subject))) >= 0}
            first = fold(at[min(at)]) if at else ""
            figures = [(one.start, one.end) for one in find_dates(text)]
            figures += [(one.start, one.end) for one in find_numbers(text)]
            bare = "".join(" " if any(a <= n < b for a, b in figures) else sign for n, sign in enumerate(text))
            own = all(match_keys(word) & asked for word in content_words(bare))
            if first and first in fold(winner) and own and not _DENIES.search(text):
                settled = checked.claim.model_copy(update={"verdict": "computed"})
                if checked.claim.verdict not in DOUBTFUL:
                    piece.checked[n] = replace(checked, claim=settled)


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
