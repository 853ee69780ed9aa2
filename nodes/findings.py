"""The writer's material in its prompt: what each task came to, what was not found, and the numbered sources."""

from collections.abc import Iterator, Mapping
from typing import Final

from nodes.handoff import fill_text
from nodes.passages import as_data, passage_block
from nodes.rules.facts import UNNAMED, Book
from nodes.services import Services
from nodes.sources import UNITS, Sources, relied_on
from state import REFERENCE, Language, Outcome, Task, item_type
from state.search import SearchState
from text.values import render

SPARE_PASSAGES = 2
"""Passages shown for each task that found nothing: more would bury those that carry the answer."""


def findings(state: SearchState, services: Services, sources: Sources) -> str:
    """The prompt: the question, a line a task, calculations, passages."""
    plan, outcomes = state.get("plan"), current(state)
    tasks = plan.tasks if plan else ()
    lines = [f"Question: {state['assessment'].question}", "", "Findings:"]
    asked = {task.id: _asked(task, state, services.language) for task in tasks}
    lines += [f"- {as_data(asked[task.id], 300)} → {_told(outcomes.get(task.id), services, sources)}" for task in tasks]
    carrying = {key for outcome in outcomes.values() for key in relied_on(outcome)}
    lost = sum(not (task.id in outcomes and outcomes[task.id].usable) for task in tasks)
    passages = [source.evidence for source in sources.items if source.evidence is not None]
    shown = sum(passage.id in carrying for passage in passages) + SPARE_PASSAGES * lost
    lines += ["", "Sources:"]
    lines += [
        f'<calculation n="{s.n}">{as_data(s.quote, 600)}</calculation>' for s in sources.items if s.outcome is not None
    ]
    lines.append(passage_block(passages[:shown]))
    return "\n".join(lines)


def current(state: SearchState) -> dict[str, Outcome]:
    """The outcomes of the plan in force; those of tasks that were replaced are in the state as well."""
    plan, outcomes = state.get("plan"), state.get("outcomes", {})
    return {task_id: outcomes[task_id] for task_id in (plan.ids if plan else ()) if task_id in outcomes}


def usable(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """The outcomes whose values may stand in a sentence."""
    return {key: outcome for key, outcome in outcomes.items() if outcome.usable}


def _asked(task: Task, state: SearchState, language: Language) -> str:
    """What a task asks, with its references written out; what was not found is described, never shown by its mark."""
    plan, outcomes = state.get("plan"), current(state)
    question = fill_text(task.description, usable(outcomes), language)
    if plan is None or not REFERENCE.search(question):
        return question
    question = Book(plan, outcomes, state.get("evidence", {}), language).asked(task)
    return question if UNNAMED not in question else _HANGING[language]


_HANGING: Final = {"en": "What hangs on something that was not found", "zh": "要先找到上面没有找到的内容才能得知的事"}


def _told(outcome: Outcome | None, services: Services, sources: Sources) -> str:
    if outcome is None or not outcome.usable:
        why = outcome.failure.message if outcome is not None and outcome.failure else "it did not run"
        if outcome is not None and outcome.status == "blocked":
            why = "it needs what was not found"  # without the tasks' names, which would reach the answer
        return f"not found: {as_data(why, 200)}"
    computed = (outcome.task_id,) if outcome.detail.get("computed") else ()
    marks = "".join(f"[{n}]" for n in sources.numbers_of(() if computed else outcome.evidence_ids, computed))
    note = f" (note: {as_data(outcome.note, 200)})" if outcome.note else ""
    backed = f" ({outcome.support} independent sources)" if outcome.support > 1 else ""
    told = f"{as_data(_value(outcome, services), 600)} {marks}{backed}{note}".strip()
    return "; ".join([told, *_disagreeing(outcome, services, sources)])


def _disagreeing(outcome: Outcome, services: Services, sources: Sources) -> Iterator[str]:
    """What other sources give instead, each with its words and number."""
    for rival in outcome.rivals:
        marks = "".join(f"[{n}]" for n in sources.numbers_of(rival.evidence_ids, ()))
        value = _value(outcome.model_copy(update={"value": rival.value}), services)
        words = as_data(rival.quotes[0].text, 200) if rival.quotes else ""
        yield f"SOURCES DISAGREE, say so: {as_data(value, 200)} {marks} (“{words}”)"


def _value(outcome: Outcome, services: Services) -> str:
    """The value in prose: with its unit, and, for a `for_each` task, beside the item it belongs to."""
    items = outcome.detail.get("items")
    if isinstance(items, list) and isinstance(outcome.value, list) and len(items) == len(outcome.value):
        one = item_type(outcome.type)
        pairs = zip(items, outcome.value, strict=True)
        return "; ".join(f"{item}: {render(value, one, services.language)}" for item, value in pairs)
    unit = str(outcome.detail.get("unit") or "")
    unit = UNITS[services.language].get(unit, unit)
    return f"{render(outcome.value, outcome.type, services.language)} {unit}".strip()
