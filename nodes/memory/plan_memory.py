"""Plan memory: plans that led to complete answers, filled again for the same wording, or shown as examples.

Nothing a page says can get in: kept are first plans only, which are made from the question before anything is
searched, and only of questions in their user's own words.
"""

import time
from collections.abc import Sequence
from typing import Any, Final

from weiwo.nodes.memory.briefing import brief_planner
from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.nodes.memory.plan_templates import (
    MOST_RUNS,
    PlanTemplate,
    fill_template,
    make_template,
    take_out_slots,
    wording_key,
)
from weiwo.nodes.memory.recall import PhraseIndex
from weiwo.nodes.shared.prompting.passage_prompt import quote_as_data
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Language, Plan, PlanFormatError, Usage
from weiwo.state.answer import Status
from weiwo.state.query import QueryFrame
from weiwo.state.search import SearchState

MOST_EXAMPLES: Final = 2
LIKE_FROM: Final = 0.45
"""The score from which a question is like another."""
_LONGEST: Final = 900
"""Characters of one example."""
_FEWEST_TASKS: Final = 2

_EXAMPLES: Final = """Plans that led to complete answers for questions worded alike; ⟨n1⟩ is a name, ⟨d1⟩ a number. \
Take from them what fits this question, and nothing else:"""
_WHY: Final[dict[Language, str]] = {
    "en": "the plan of a question of the same wording, which led to a complete answer before (times: {})",
    "zh": "沿用措辞相同的问题的计划，它曾得出完整的回答（次数：{}）",
}


async def fill_from_memory(frame: QueryFrame, services: RunContext, context: str = "") -> Plan | None:
    """The plan of an earlier question of the same wording, filled with this one's names; None where there is none.

    A template made under another `context`, that of what else a planner would be told, is none.
    """
    memory = _memory(services)
    if memory is None:
        return None
    wording, slots = take_out_slots(frame.question)
    template = await read_template(memory, wording_key(wording, frame.language))
    if template is None or not template.trusted or (template.shape, template.context) != (frame.shape, context):
        return None
    try:
        plan = fill_template(template, slots)
    except PlanFormatError:
        return None
    return plan.model_copy(update={"thought": _WHY[services.language].format(template.wins)})


async def has_plan(question: str, services: RunContext, wishes: Sequence[str] = ()) -> bool:
    """Whether a question is planned from memory or by a procedure, so that nobody else need sketch its plan."""
    briefing = await brief_planner(question, services, wishes, quiet=True)
    if briefing.procedures:
        return True
    frame = parse_question(question, services.language)
    return await fill_from_memory(frame, services, briefing.key) is not None


async def find_examples(frame: QueryFrame, services: RunContext) -> str:
    """Plans of the questions most like this one, as a paragraph of a prompt; empty where none is like it."""
    memory = _memory(services)
    if memory is None:
        return ""
    known = [one for one in await list_templates(memory) if one.language == frame.language and not one.bad]
    index = PhraseIndex([[_bare(one.wording)] for one in known])
    asked = _bare(take_out_slots(frame.question).wording)
    like = [known[number] for number in index.recall(asked, MOST_EXAMPLES, LIKE_FROM)]
    return "\n\n" + "\n".join([_EXAMPLES, *map(_format, like)]) if like else ""


async def learn_plan(state: SearchState, status: Status, services: RunContext) -> None:
    """Keep the plan of a question that was answered, or note that one out of memory did not do."""
    plan, memory = state.get("plan"), _memory(services)
    if plan is None or memory is None:
        return
    frame = state["assessment"].frame
    earlier = state.get("revisions", [])
    first = earlier[0] if earlier else plan
    whole = status == "complete" and not earlier
    if first.decided_by == "memory":
        await _tally(memory, state, services, whole=whole)
        return
    own_words = " ".join(state["question"].split()) == " ".join(frame.question.split())
    made_first = plan.decided_by == "model" and plan.revision == 0 and not (plan.wish or plan.perspectives)
    if not (whole and own_words and made_first and len(plan.tasks) >= _FEWEST_TASKS):
        return
    briefing = await brief_planner(frame.question, services, state.get("wishes", []), quiet=True)
    fared = _describe_run(state, services)
    template = make_template(frame, plan, context=briefing.key, runs=(services.run,), **fared)
    if template is None:
        return
    known = await read_template(memory, template.key)
    if known is None or not (known.pinned or known.bad):
        await _put(memory, template)


async def _tally(memory: MemoryStore, state: SearchState, services: RunContext, *, whole: bool) -> None:
    """Note how a plan out of memory fared."""
    frame = state["assessment"].frame
    wording = take_out_slots(frame.question).wording
    known = await read_template(memory, wording_key(wording, frame.language))
    if known is None:
        return
    update: dict[str, Any] = {"losses": known.losses + 1}
    if whole:
        runs = (*known.runs, services.run)[-MOST_RUNS:]
        update = {"wins": known.wins + 1, "runs": runs, **_describe_run(state, services)}
    await _put(memory, known.model_copy(update=update))


def _describe_run(state: SearchState, services: RunContext) -> dict[str, Any]:
    usage = state.get("usage", Usage()) + services.budget.delta()
    return {"at": time.time(), "model_calls": usage.model_calls, "seconds": round(usage.seconds, 1)}


async def mark_bad(memory: MemoryStore, run: str) -> bool:
    """Note that the answer of a run was bad: its plan is offered no more. Whether there was one."""
    found = [one for one in await list_templates(memory) if run and run in one.runs]
    for one in found:
        await _put(memory, one.model_copy(update={"bad": True, "pinned": False}))
    return bool(found)


async def list_templates(memory: MemoryStore) -> tuple[PlanTemplate, ...]:
    """All templates, those that changed last first; what cannot be read, such as another version's, is left out."""
    return await memory.read_all("plans", PlanTemplate)


async def read_template(memory: MemoryStore, key: str) -> PlanTemplate | None:
    """The template of a wording; None where there is none."""
    return await memory.read("plans", key, PlanTemplate)


async def set_pinned(memory: MemoryStore, template: PlanTemplate, *, pinned: bool) -> None:
    """Pin a template, which a person thereby vouches for, or unpin it."""
    await _put(memory, template.model_copy(update={"pinned": pinned, "bad": template.bad and not pinned}))


def _memory(services: RunContext) -> MemoryStore | None:
    """Where plans are remembered; None where no model plans, or a plan depends on more than its question."""
    settings = services.settings
    on = settings.plan_memory and settings.depth != "deep" and services.models.configured("planner")
    return services.memory if on else None


async def _put(memory: MemoryStore, template: PlanTemplate) -> None:
    await memory.put("plans", template.key, template.model_dump(mode="json"))


def _bare(wording: str) -> str:
    """A wording without its slots."""
    return " ".join(part.partition("⟩")[2] or part for part in wording.split("⟨"))


def _format(template: PlanTemplate) -> str:
    vertices: Sequence[Any] = template.plan.get("vertices") or ()  # type: ignore[assignment]
    calls = [f"{one['tool_binding']}({', '.join(map(str, one['args'].values()))})" for one in vertices]
    lines = [f"{one['id']}: {one['description']} · {c} → {one['ret']}" for one, c in zip(vertices, calls, strict=True)]
    return (
        f"<example>\n{quote_as_data(template.wording, 300)}\n{quote_as_data(chr(10).join(lines), _LONGEST)}\n</example>"
    )
