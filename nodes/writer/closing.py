"""Closing of the ledger: the parts of the question that the answer gives, its basis, and why it may be incomplete.

Every form of answer is checked here: a sentence, a table, a report and a draft over a whole folder.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from weiwo.nodes.shared.ledger import CONCLUDED, describe_failure, name_part
from weiwo.nodes.shared.planning.references import fill_text
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.document import list_claim_places
from weiwo.nodes.writer.pieces import all_supported
from weiwo.nodes.writer.prompt import current_outcomes
from weiwo.nodes.writer.sources import render_value
from weiwo.nodes.writer.written_answer import WrittenAnswer
from weiwo.state import DOUBTFUL, Claim, Language, MonitorReport, Outcome
from weiwo.state.answer import Gap
from weiwo.state.kinds import item_type
from weiwo.state.ledger import WRITER, Basis, Lead, Ledger, QuestionPart
from weiwo.state.search import SearchState
from weiwo.text.data_files import data_words
from weiwo.text.language import fold
from weiwo.text.localization import localize_message, localized_section
from weiwo.text.patterns import lazy, whole_word
from weiwo.text.terms import terms

NEEDS_NO_SOURCE: Final = frozenset({"small_talk", "writing"})
"""Shapes of questions that a model may answer from its own knowledge without a note that sources are missing."""
_WORDS: Final = localized_section("shared.ledger")
_UNCOVERED: Final = localize_message("shared.gaps", "uncovered")
_UNANSWERED: Final = localize_message("shared.ledger", "unanswered")
_STEM: Final = 4
"""Characters by which two words count as forms of one: `built` and `builder`."""
_HEADING: Final = lazy(r"(?m)^#.*$")
_HARMLESS: Final = frozenset({"slow", "inconsistent"})


def close_ledger(
    ledger: Ledger, state: SearchState, services: RunContext, answer: WrittenAnswer, in_part: Sequence[Gap]
) -> Ledger:
    """Return the ledger with the parts that the answer gives, the answer's basis, stop reasons and gaps. CPU-bound.

    Args:
        ledger: The ledger as filled before the answer.
        state: The state of the run.
        services: The budget and the language.
        answer: The answer.
        in_part: The gaps about documents and tables not or only partly read (`list_documents_in_part`).
    """
    basis, settled = _find_basis(state, answer), set[str]()
    parts = ledger.parts
    if basis != "knowledge" and parts:
        by_rule = answer.stated_task_ids is not None
        parts, missed = _pair_rephrased(parts)
        parts = (
            _enter_told(parts, answer, services.language) if by_rule else _enter_draft(parts, state, answer, services)
        )
        words = _UNCOVERED[services.language]
        settled = {
            words.format(name_part(late, services.language)) for n, late in missed.items() if parts[n].is_answered
        }
        parts = tuple(part if part.is_answered else missed.get(n, part) for n, part in enumerate(parts))
    usual: Lead = "neutral" if basis in {"passages", "none"} else "answer"
    closed = ledger.model_copy(
        update={
            "parts": parts,
            "basis": basis,
            "lead": usual if answer.lead is None else answer.lead,
            "gaps": (*(gap for gap in ledger.gaps if gap.text not in settled), *in_part),
        }
    )
    closed = closed.model_copy(update={"stops": tuple(dict.fromkeys(_list_stops(closed, state, services, answer)))})
    known = {gap.text: gap for gap in (*list_part_gaps(closed, services.language), *closed.gaps)}
    return closed.model_copy(update={"gaps": tuple(known.values())})


def list_part_gaps(ledger: Ledger, language: Language) -> tuple[Gap, ...]:
    """Return a gap for each part of the question without an answer, and for each component that failed for a part.

    A part that only waits for another part has no gap of its own. If passages are shown and no part is answered, the
    parts have no gaps, because the passages may answer them.
    """
    shown = ledger.basis == "passages" and not any(part.is_answered for part in ledger.parts)
    gaps: list[Gap] = []
    for part in ledger.missing:
        task_id = part.task_ids[0] if part.task_ids else ""
        if part.component and part.component != WRITER and part.cause:
            gaps.append(Gap(kind="failed", text=describe_failure(part, language), task_id=task_id))
            if part.outcome == "failed":
                continue
        if (part.outcome == "not_asked" and part.task_ids) or shown:
            continue
        words = _UNANSWERED if part.outcome == "not_asked" or part.component == WRITER else _UNCOVERED
        gaps.append(Gap(kind="uncovered", text=words[language].format(name_part(part, language)), task_id=task_id))
    return tuple({gap.text: gap for gap in reversed(gaps)}.values())[::-1]


def list_unnamed(ledger: Ledger, answer: WrittenAnswer, state: SearchState) -> tuple[Gap, ...]:
    """Return the gaps of failed components and unanswered parts that the text of an answer does not mention.

    Any gap is mentioned by its own text. The gap of an unanswered part is also mentioned by the question of its task,
    or by a word that no other part has. It is never returned if the question has a single part.
    """
    text = fold(answer.text)
    several = len(ledger.parts) > 1
    plan = state.get("plan")
    tasks = plan.tasks if plan is not None else ()
    outcomes = {key: outcome for key, outcome in current_outcomes(state).items() if outcome.usable}
    questions = {task.id: fold(fill_text(task.description, outcomes, answer.sources.language)) for task in tasks}
    gaps = []
    for gap in ledger.gaps_of(frozenset({"failed", "uncovered"})):
        named = fold(gap.text) in text
        if gap.kind == "uncovered":
            asked = questions.get(gap.task_id, "")
            part = next((item for item in ledger.missing if name_part(item, answer.sources.language) in gap.text), None)
            own = _own_words(part, ledger.parts) if part is not None else frozenset()
            told = part is not None and part.component != WRITER and bool(own & _stems(text))
            named = named or told or not several or (bool(asked) and asked in text)
        if not named:
            gaps.append(gap)
    return tuple(gaps)


def find_unchecked(claims: Sequence[Claim]) -> Claim | None:
    """Return the first claim that a model should have judged and did not, or None."""
    return next((claim for claim in claims if claim.verdict == "unchecked"), None)


def is_unjudged(state: SearchState, services: RunContext, answer: WrittenAnswer) -> bool:
    """Report whether the answer has claims that a model deliberately did not judge, because the search is quick.

    Only claims that code did not verify completely count.
    """
    if services.strategy.judges or state["assessment"].level == "simple" or answer.decided_by != "model":
        return False
    return any(claim.verdict in {"matched", "uncited"} for claim in answer.claims)


def _find_basis(state: SearchState, answer: WrittenAnswer) -> Basis:
    """Return what the answer rests on, like "sources" or "knowledge".

    If nothing was searched, this is "conversation", unless a model's answer cites sources of the conversation or rests
    on its own knowledge.
    """
    sourced = answer.decided_by == "model" and answer.cites
    if state["assessment"].level == "simple" and not sourced and answer.basis != "knowledge":
        return "conversation"
    return answer.basis


def _enter_told(parts: Iterable[QuestionPart], answer: WrittenAnswer, language: Language) -> tuple[QuestionPart, ...]:
    """Return the parts as answered by rule: only a part with a statement that passed the check stays answered.

    Any other answered part becomes `not_found`.
    """
    told = answer.stated_task_ids or frozenset()
    cause = _WORDS[language]["not_shown"]
    entered = []
    for part in parts:
        if part.is_answered and told.isdisjoint(part.task_ids):
            entered.append(part.model_copy(update={"outcome": "not_found", "cause": part.cause or cause, "by": ""}))
        else:
            entered.append(part)
    return tuple(_with_claims(part, tuple(entered), answer, ()) for part in entered)


def _enter_draft(
    parts: Sequence[QuestionPart], state: SearchState, answer: WrittenAnswer, services: RunContext
) -> tuple[QuestionPart, ...]:
    """Return the parts as answered by a model's draft.

    The draft answers a part if it has the part's value, cites a passage that only this part rests on, or uses a word
    that only this part has, in a claim without doubt or in the label of a row or column. An answered part of which the
    draft has none of these becomes `failed`, if the draft answers another part.
    """
    outcomes = current_outcomes(state)
    firm = [claim for claim in answer.claims if claim.verdict not in DOUBTFUL]
    text = " ".join((*(claim.text for claim in firm), *_list_labels(answer.text))) if answer.claims else answer.text
    text = fold(text)
    words, cited = _stems(text), answer.list_cited_ids({n for claim in firm for n in claim.citations})
    answering = [
        [outcomes[key] for key in part.task_ids if key in outcomes and outcomes[key].answers] for part in parts
    ]
    grounds = [{key for item in found for key in _list_grounds(item)} for found in answering]
    shared = Counter(key for keys in grounds for key in keys)
    told: list[bool] = []
    for part, found, keys in zip(parts, answering, grounds, strict=True):
        own = _own_words(part, parts)
        told.append(
            any(_gives_value(text, outcome, services.language) for outcome in found)
            or not own
            or bool(own & words)
            or any(shared[key] == 1 and key in cited for key in keys)
        )
    entered = []
    asked = _list_asked_ids(state)
    for part, found, is_told in zip(parts, answering, told, strict=True):
        if part.is_answered or (not part.task_ids and part.outcome == "not_asked"):
            due = not asked or not part.task_ids or not asked.isdisjoint(part.task_ids)
            if not is_told and due and any(told) and len(parts) > 1:
                cause = _WORDS[services.language]["left_out"]
                left = {"outcome": "failed", "component": WRITER, "cause": cause, "severity": "error", "by": ""}
                entered.append(part.model_copy(update=left) if part.task_ids else part)
                continue
            answered = (
                part
                if part.outcome == "assumed"
                else part.model_copy(update={"outcome": "answered", "cause": part.cause if part.task_ids else ""})
            )
            entered.append(_with_claims(answered, parts, answer, found))
        elif (
            answer.is_plain and part.outcome == "not_found" and is_told and (len(parts) == 1 or _own_words(part, parts))
        ):
            answered = part.model_copy(update={"outcome": "answered", "where": ()})  # by the model, not by its task
            entered.append(_with_claims(answered, parts, answer, found))
        else:
            entered.append(part)
    return tuple(entered)


def _gives_value(text: str, outcome: Outcome, language: Language) -> bool:
    """Report whether a folded text has the value of an outcome, or each value of a list, as whole words."""
    whole = fold(render_value(outcome, language))
    return bool(whole) and (
        _has_word(text, whole) or all(_has_word(text, value) for value in _list_values(outcome, language))
    )


def _has_word(text: str, word: str) -> bool:
    return word in text and re.search(whole_word(word), text) is not None


def _list_values(outcome: Outcome, language: Language) -> list[str]:
    """Return the values of an outcome as prose, folded: one for a single value, several for a list."""
    items = outcome.value if isinstance(outcome.value, list) else [outcome.value]
    each = [outcome.model_copy(update={"value": item, "type": item_type(outcome.type)}) for item in items]
    return [text for item in each if (text := fold(render_value(item, language)))]


def _list_labels(text: str) -> Iterator[str]:
    """Yield the text of an answer between its claims, without headings.

    These are labels of rows and columns, and lines that lead to other lines.
    """
    position = 0
    for start, end in (*list_claim_places(text), (len(text), len(text))):
        yield _HEADING.sub("", text[position:start])
        position = end


def _list_grounds(outcome: Outcome) -> tuple[str, ...]:
    """Return the ids of the passages that an outcome quotes, or of all passages it rests on if it quotes none."""
    return tuple(quote.evidence_id for quote in outcome.quotes) or outcome.evidence_ids


def _pair_rephrased(parts: Sequence[QuestionPart]) -> tuple[tuple[QuestionPart, ...], dict[int, QuestionPart]]:
    """Separate parts that the last reflection only named again in its own words.

    Such a part is `not_found` and has no task. It is paired with a part that was never given a task, if the two share a
    word or there is one of each. The reflection's words are the better ones, since they know what "its" means.

    Returns:
        The parts without the paired wordings, and each wording by the position of its part among them.
    """
    missed = [part for part in parts if part.outcome == "not_found" and not part.task_ids]
    others = [part for part in parts if part not in missed]
    asked = [n for n, part in enumerate(others) if part.outcome == "not_asked" and not part.task_ids]
    alone, paired = len(asked) == len(missed) == 1, dict[int, QuestionPart]()
    for late in missed:
        words = _stems(fold(late.attribute))
        same = [n for n in asked if n not in paired and (alone or words & _stems(fold(_part_text(others[n]))))]
        if same:
            paired[same[0]] = late
        else:
            others.append(late)
    return tuple(others), paired


def _part_text(part: QuestionPart) -> str:
    """Return subject and attribute of a part: "Acme founder"."""
    return f"{part.subject} {part.attribute}"


def _list_asked_ids(state: SearchState) -> frozenset[str]:
    """Return the ids of the tasks that the answer must give, or an empty set if it must give all of them.

    For a comparison these are the plan's last tasks, because the compared values need not be told.
    """
    plan = state.get("plan")
    if plan is None or state["assessment"].frame.shape not in CONCLUDED:
        return frozenset()
    return frozenset(plan.final_ids)


def _with_claims(
    part: QuestionPart, parts: Sequence[QuestionPart], answer: WrittenAnswer, found: Sequence[Outcome]
) -> QuestionPart:
    """Return an answered part with the positions of the claims that answer it. Any other part is returned unchanged.

    Claims that are doubtful or cite nothing are left out. If the question has several parts, a claim must also have a
    word of this part or its value.
    """
    if not part.is_answered:
        return part
    sourced = [n for n, claim in enumerate(answer.claims) if claim.verdict not in {*DOUBTFUL, "uncited"}]
    if len(parts) > 1:
        own = _stems(fold(part.subject)) or _own_words(part, parts)
        values = [value for outcome in found for value in _list_values(outcome, answer.sources.language)]
        sourced = [
            n
            for n in sourced
            if own & _stems(fold(answer.claims[n].text))
            or any(_has_word(fold(answer.claims[n].text), value) for value in values)
        ]
    return part.model_copy(update={"claims": tuple(sourced)})


def _own_words(part: QuestionPart, parts: Sequence[QuestionPart]) -> frozenset[str]:
    """Return the words, cut as by `_stems`, that a part has and no other part has.

    Words for the form of an answer are left out: an answer that gives reasons need not contain the word "reasons".
    """
    words = _stems(fold(_part_text(part))) - _form_stems()
    others = (_stems(fold(_part_text(item))) for item in parts if item is not part)
    return words.difference(*others)


@cache
def _form_stems() -> frozenset[str]:
    return _stems(" ".join(data_words("claims", "answer_form")))


def _stems(text: str) -> frozenset[str]:
    """Return the content words of a text, English ones cut to four letters, so that `built` and `builder` are equal."""
    return frozenset(term[:_STEM] if term.isascii() else term for term in terms(text))


def _list_stops(ledger: Ledger, state: SearchState, services: RunContext, answer: WrittenAnswer) -> Iterable[str]:
    """Yield the reasons why an answer may be incomplete, most serious first.

    Reasons are "no_plan", the name of a limit such as "max_tasks", "tool_failure" and "not_found", among others.
    Nothing is yielded if the answer is complete.
    """
    limit = services.budget.find_curtailing_limit()
    if state["assessment"].level == "simple":
        yield from _list_unsearched_stops(state, answer, limit)
        return
    plan, outcomes = state.get("plan"), state.get("outcomes", {})
    if plan is None:
        yield "no_plan"
        return
    if plan.curtailed:
        yield "max_tasks"
    reports = [past.report for past in state.get("reflections", []) if past.report is not None]
    report = reports[-1] if reports else MonitorReport()
    broken = [failure for failure in report.failures if failure.kind not in _HARMLESS]
    if any(failure.kind == "limit" for failure in broken) or (limit and broken):
        yield limit or services.budget.limit_of_tasks()
    tried = [outcomes[name].status for name in plan.ids if name in outcomes]
    if broken and all(status in {"failed", "blocked"} for status in tried) and not report.finished:
        yield "tool_failure"
    if limit:
        yield limit
    if ledger.basis != "passages" and (fault := _find_fault(answer)):
        yield fault
    if broken and answer.stated_task_ids is None and not answer.is_plain:
        yield "not_found"


def _list_unsearched_stops(state: SearchState, answer: WrittenAnswer, limit: str | None) -> Iterable[str]:
    """Yield the reasons why an answer without a search may be incomplete, like "model_failed" or "no_model"."""
    shape = state["assessment"].frame.shape
    by_model = answer.decided_by == "model"
    writable = by_model or shape == "small_talk"
    if answer.broken and (by_model or not writable):
        yield limit or "model_failed"
    elif by_model and answer.cites:  # it cites what the conversation cited
        yield from filter(None, (_find_fault(answer),))
    elif not writable:
        yield "no_model"


def _find_fault(answer: WrittenAnswer) -> str:
    """Return `unsupported_claims` if a claim is doubtful, `not_checked` if a model's judgement is missing, else ""."""
    if not all_supported(answer.claims):
        return "unsupported_claims"
    return "not_checked" if find_unchecked(answer.claims) else ""
