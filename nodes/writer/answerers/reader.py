"""Reader answerer: the answer made of the sentences that the readers wrote for the plan's tasks.

A reader is the model that reads the passages of one task.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from weiwo.nodes.shared.ledger import CONCLUDED
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
from weiwo.state import DOUBTFUL, Finding, Outcome, Plan
from weiwo.state.search import SearchState
from weiwo.state.task import references
from weiwo.text.language import sentences
from weiwo.text.offloading import offload_reading

_MOST_LISTED: Final = 3
"""Longest list that is given in a reader's sentence, in items. A longer list is left to a draft."""


async def answer(context: WriterContext) -> Answering:
    """Emit the readers' sentences as pieces, then the part with judged claims, as for a draft.

    The part has no pieces if the answer is left to a draft.
    """
    citable, say = context.prompt.citable, context.sanitizer(context.prompt.citable)
    pieces = await offload_reading(citable.evidence, _read_told, context.state, citable, say)
    for piece in pieces:
        yield piece
    settled = await settle_pieces(context.prompt, context.services, pieces, context.question, say) if pieces else []
    yield AnswerPart(tuple(settled), basis="sources" if settled else None, shows_more=not context.has_found)


def list_told(state: SearchState) -> list[Finding]:
    """Return the readers' sentences that make up the whole answer, or an empty list if the answer is left to a draft.

    They tell the values of the plan's last tasks, before them those of other tasks that the question asks for. If the
    only task of the plan was given up, its first sentence is returned. Empty if the plan has several tasks of which a
    last one does not answer the question, or if a value is missing, disputed, has a note, is a long list or, in a plan
    of several tasks, is not stated outright.
    """
    plan, outcomes = state.get("plan"), current_outcomes(state)
    if plan is None or (len(plan.ids) > 1 and not all(plan.task(name).is_answer for name in plan.final_ids)):
        return []
    wanted = (*_list_asked_links(state, plan), *plan.final_ids)
    final = [outcomes[name] for name in wanted if name in outcomes]
    if len(plan.ids) == 1 and len(final) == 1 and final[0].trace.gave_up:
        return [*_statements(final[0])][:1]
    firm = all(
        outcome.answers
        and not outcome.rivals
        and not outcome.note
        and (len(plan.ids) == 1 or outcome.basis == "stated")
        for outcome in outcomes.values()
    )
    # A list of many items is better given as a list.
    short = all(
        outcome.detail.items is not None or not isinstance(outcome.value, list) or len(outcome.value) <= _MOST_LISTED
        for outcome in final
    )
    if not firm or not short or len(final) < len(wanted) or not all(map(_statements, final)):
        return []
    return [statement for outcome in final for statement in _statements(outcome)]


def _list_asked_links(state: SearchState, plan: Plan) -> list[str]:
    """Return the ids of tasks that are not the last of the plan, but answer a part of the question.

    A question in one part counts as asking for all of them only if it has the shape "several". A task with a list is
    left out if another task runs for each item, since the sentences of that task name the items. Empty for comparisons.
    """
    frame, ledger, finals = state["assessment"].frame, state.get("ledger"), frozenset(plan.final_ids)
    listed = {name for task in plan.tasks for name in references(task.for_each)}
    links = [name for name in plan.ids if name not in finals and name not in listed]
    if ledger is None or frame.shape in CONCLUDED or (len(ledger.parts) == 1 and frame.shape != "several"):
        return []
    asked = {key for part in ledger.parts if finals.isdisjoint(part.task_ids) for key in part.task_ids}
    return links if len(ledger.parts) == 1 else [name for name in links if name in asked]


def _read_told(state: SearchState, sources: CitableSources, say: AnswerSanitizer) -> list[Piece]:
    """Return the readers' sentences as checked pieces, or an empty list if a draft must be written.

    A draft is needed if there are no sentences, or code finds a fault in one. Claims that code alone cannot verify do
    not count as a fault, because a model judges them later.
    """
    told, question, compared = list_told(state), state["assessment"].question, _find_compared(state, sources)
    pieces = [
        read_piece(_mark_finding(item, sources, say, question, item=len(told) > 1), (), sources, question)
        for item in told
    ]
    gave_up = bool(told) and not any(outcome.answers for outcome in current_outcomes(state).values())
    settle = _settle_absence if gave_up else compared.settle if compared is not None else None
    if settle is not None:
        pieces = [replace(piece, checked=tuple(map(settle, piece.checked))) for piece in pieces]
    may_stand = all(
        piece.checked
        and (gave_up or any(item.claim.citations for item in piece.checked))
        # Code verifies the piece, or a model has yet to judge the doubtful claims.
        and all(item.claim.verdict not in DOUBTFUL or (is_open(item) and not item.hard) for item in piece.checked)
        for piece in pieces
    )
    return pieces if may_stand else []


def _find_compared(state: SearchState, sources: CitableSources) -> Comparison | None:
    """Return the winner and dates of a comparison known to code. None unless one last task answers a comparison."""
    plan, outcomes, frame = state.get("plan"), current_outcomes(state), state["assessment"].frame
    final = [outcomes[name] for name in (plan.final_ids if plan else ()) if name in outcomes]
    if len(final) != 1 or not final[0].answers or frame.shape != "comparison":
        return None
    return find_comparison(final[0], frame, sources.evidence)


def _settle_absence(checked: CheckedClaim) -> CheckedClaim:
    """Return a claim, marked as needing no judgement if it only says that something was not found.

    The reader, a model, has already judged that.
    """
    only_denies = checked.claim.verdict not in DOUBTFUL and is_absence(checked.claim.text)
    return replace(checked, settled=checked.settled or only_denies)


def _mark_finding(
    finding: Finding, sources: CitableSources, say: AnswerSanitizer, question: str, *, item: bool = False
) -> str:
    """Return a reader's text with citation marks, as a sentence or, with `item`, as a line of a list.

    Each of several sentences gets the marks of those passages that may support it, or all marks if none may. A sentence
    that says "not found" gets no mark then.
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
    """Return the findings of a task in whole sentences. Empty if the reader gave no sentence."""
    if outcome.detail.sentence:
        return [Finding(text=outcome.detail.sentence, evidence_ids=outcome.evidence_ids)]
    return outcome.findings if outcome.detail.items is not None else ()
