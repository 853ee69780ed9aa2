"""The planner: a complex question becomes a DAG of typed tasks bound to tools.

With a model, one call thinks and then sketches the plan (chain of thought → structured sketch, arXiv
2506.17188, section 4.2); the validator's own words repair it at most twice. Behind that stands the plan the rules
make. Replanning is local: finished tasks stay as they are, what failed and what hangs on it is planned anew.
"""

import json
from collections.abc import Collection
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import Field

from models.gateway import ModelFailed
from nodes.passages import as_data
from nodes.plan_check import check_plan
from nodes.replies import Reply
from nodes.rules.plan import repair, rule_plan
from nodes.services import Services, today
from state import JsonValue, Outcome, Plan, PlanFormatError, Reflection
from state.search import SearchState
from text.values import render

REPAIRS = 2

SYSTEM = """You are the Planner of a search system. Turn the question into a plan: a directed acyclic graph of small \
tasks that tools carry out. Think first (`thought`, a few lines), then sketch.

A task (vertex) has
- `id`: task_1, task_2, …
- `description`: one self-contained question or instruction, in the language of the user's question. It is read \
together with the passages found, so name the subject in full.
- `tool_binding`: exactly one tool from the list.
- `args`: that tool's arguments. Search queries are a few keywords, in the language of the documents.
- `ret`: the type of its value: text, number, date, boolean, list[text], list[number], list[date] or passages.
- `for_each` (optional): "{{task_1.ret}}" runs the task once per item of a list; "{{item}}" is the item.
Rules
- Where a task needs another's answer, refer to it as {{task_1.ret}} in description and args; never guess the answer.
- One fact per task. Tasks that do not need each other have no edge between them: they run at the same time.
- Calculate with tools, never in your head: date_difference for years or days between dates, calculator for the rest, \
such as "{{task_1.ret}} - {{task_2.ret}}" or "max({{task_1.ret}}, {{task_2.ret}})". Years BC are negative.
- No task that only writes or summarizes the answer: the Writer does that.
- As few tasks as will do.

Example: "Who was older, Ada Lovelace or Alan Turing, and by how many years?"
{"thought": "Two births, independent; then the difference.", "vertices": [
{"id": "task_1", "description": "When was Ada Lovelace born?", "tool_binding": "corpus_search", \
"args": {"query": "Ada Lovelace born"}, "ret": "date"},
{"id": "task_2", "description": "When was Alan Turing born?", "tool_binding": "corpus_search", \
"args": {"query": "Alan Turing born"}, "ret": "date"},
{"id": "task_3", "description": "How many years lie between the births?", "tool_binding": "date_difference", \
"args": {"start": "{{task_1.ret}}", "end": "{{task_2.ret}}", "unit": "years"}, "ret": "number"}],
"edges": [["task_1", "task_3"], ["task_2", "task_3"]]}
Example of a chain: task_1 "Who wrote Hamlet?" (ret text) → task_2 "When was {{task_1.ret}} born?" with \
args {"query": "{{task_1.ret}} born"}."""

REPLAN = """The plan ran, and part of it failed. Finished tasks stay as they are and can be referred to by their ids: \
do not repeat them. Give only the new tasks (with new ids), another way to what is missing, and every task that builds \
on them. Do not repeat a query that found nothing."""


class Vertex(Reply):
    """One task of a sketched plan."""

    id: str
    description: str
    tool_binding: str
    args: dict[str, JsonValue] = Field(default_factory=dict)
    ret: str = "text"
    for_each: str | None = None


class PlanReply(Reply):
    """A sketched plan."""

    thought: str = ""
    vertices: list[Vertex]
    edges: list[list[str]] = Field(default_factory=list)


async def planner(state: SearchState, services: Services) -> dict[str, Any]:
    """Make the plan, or the next revision of it."""
    question, tools = state["assessment"].question, state["team"].tools
    old, past = state.get("plan"), state.get("reflections", [])
    outcomes = state.get("outcomes", {})
    plan = await _by_model(question, old, outcomes, past[-1] if past else None, tools, services)
    if plan is None:
        if old is None:
            plan = rule_plan(question, services.language, tools)
        else:
            plan = repair(old, past[-1].task_ids if past else (), outcomes, services.language, tools) or old
    if old is not None and plan is not old:
        plan = plan.model_copy(update={"revision": old.revision + 1})
    services.emit(planned(plan))
    replaced = [old] if old is not None and plan is not old else []
    return {"plan": plan, "revisions": [*state.get("revisions", []), *replaced]}


def planned(plan: Plan) -> dict[str, Any]:
    """The event that tells watchers of a plan."""
    return {"type": "planned", "plan": plan.to_json(), "decided_by": plan.decided_by}


async def _by_model(
    question: str,
    old: Plan | None,
    outcomes: dict[str, Outcome],
    last: Reflection | None,
    tools: tuple[str, ...],
    services: Services,
) -> Plan | None:
    """A valid plan sketched by the model; None where there is no model or it gave none."""
    if not services.models.configured("planner"):
        return None
    interfaces = services.interfaces(tools)
    kept = _kept(old, outcomes)
    prompt = f"Tools:\n{services.registry.describe(tools)}\n\nToday: {today()}\nQuestion: {question}"
    if old is not None:
        prompt += f"\n\n{REPLAN}\n{_so_far(old, outcomes, last, services)}"
    messages: list[BaseMessage] = [SystemMessage(SYSTEM), HumanMessage(prompt)]
    for _ in range(REPAIRS + 1):
        try:
            reply = await services.models.structured("planner", "plan", messages, PlanReply)
        except ModelFailed:
            return None  # in the trace; the rules plan instead
        sketch = reply.model_dump(exclude_none=True)
        try:
            new = without_closing_words(Plan.from_json(sketch), interfaces)
            plan = kept.model_copy(update={"tasks": (*kept.tasks, *new.tasks), "links": (*kept.links, *new.links)})
            complaints = check_plan(plan, interfaces, services.settings.limits)
        except PlanFormatError as error:
            complaints = [str(error)]
        else:
            if not complaints:
                return plan.model_copy(update={"decided_by": "model"})
        services.emit({"type": "task_progress", "task_id": "plan", "note": "; ".join(complaints)[:500]})
        messages = [
            *messages[:2],
            AIMessage(json.dumps(sketch, ensure_ascii=False)),
            HumanMessage(
                "The plan is not valid:\n" + "\n".join(f"- {c}" for c in complaints) + "\nGive it whole again."
            ),
        ]
    return None


def without_closing_words(plan: Plan, tools: Collection[str]) -> Plan:
    """The plan without a last task such as "summarize", bound to no tool there is: writing is the Writer's."""
    final = set(plan.final_ids)
    kept = tuple(task for task in plan.tasks if task.tool in tools or task.id not in final)
    if not kept or len(kept) == len(plan.tasks):
        return plan
    ids = {task.id for task in kept}
    return plan.model_copy(update={"tasks": kept, "links": tuple(link for link in plan.links if ids.issuperset(link))})


def _kept(old: Plan | None, outcomes: dict[str, Outcome]) -> Plan:
    """The part of a plan that stays: tasks with a usable outcome, untouched."""
    if old is None:
        return Plan(tasks=())
    tasks = tuple(task for task in old.tasks if task.id in outcomes and outcomes[task.id].usable)
    ids = {task.id for task in tasks}
    links = tuple(link for link in old.links if ids.issuperset(link))
    return Plan(tasks=tasks, links=links, revision=old.revision)


def _so_far(old: Plan, outcomes: dict[str, Outcome], last: Reflection | None, services: Services) -> str:
    finished, open_ = [], []
    for task in old.tasks:
        outcome = outcomes.get(task.id)
        if outcome is not None and outcome.usable:
            value = as_data(render(outcome.value, outcome.type, services.language), 300)
            finished.append(f"- {task.id} ({task.value_type}): {task.description} → {value}")
        else:
            why = as_data(outcome.failure.message, 300) if outcome and outcome.failure else "did not run"
            args = json.dumps(task.args, ensure_ascii=False)
            open_.append(f"- {task.id} ({task.tool} {args}): {task.description} → {why}")
    missing = "; ".join(last.missing) if last and last.missing else (last.reason if last else "")
    return "\n".join(
        [
            "Finished:",
            *(finished or ["- none"]),
            "Not finished:",
            *(open_ or ["- none"]),
            f"Missing: {as_data(missing, 600)}",
        ]
    )
