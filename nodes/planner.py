"""The planner: a complex question becomes a DAG of typed tasks bound to tools.

With a model, one call thinks and then sketches the plan (chain of thought → structured sketch, arXiv
2506.17188, section 4.2); the validator's own words repair it at most twice. Behind that stands the plan the rules
make. Replanning is local: finished tasks stay as they are, what failed and what hangs on it is planned anew.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from models.gateway import ModelFailed
from nodes.passages import as_data
from nodes.plan_check import ToolInterface, check_plan
from nodes.plan_mend import mend_plan
from nodes.plan_reply import PlanReply
from nodes.replan import another_way
from nodes.rules.plan import rule_plan
from nodes.services import Services, today
from state import Outcome, Plan, Reflection, Task
from state.search import SearchState
from text.values import render

REPAIRS = 2
MAX_TRIED = 12
"""Tasks of earlier revisions that a model is reminded of."""

SYSTEM = """You are the Planner of a search system. Turn the question into a plan: a directed acyclic graph of small \
tasks that tools carry out. Think first (`thought`, a few lines), then sketch.

A task (vertex) has
- `id`: task_1, task_2, …
- `description`: one self-contained question, such as "When was Ada Lovelace born?", in the language of the user's \
question. It is read together with the passages found, so name the subject in full. If the value is a number, name its \
unit: "How long is the Nile, in kilometres?"
- `tool_binding`: exactly one tool from the list.
- `args`: that tool's arguments. Search queries are a few keywords, in the language of the user's question unless the \
documents are likely to be in another.
- `ret`: the type of its value: text, number, date, boolean, list[text], list[number], list[date] or passages. A year \
or a day is a date, never a number.
- `for_each` (optional): "{{task_1.ret}}" runs the task once per item of a list; "{{item}}" is the item. `ret` is then \
the type for one item; tasks that refer to it receive the list of values, in the order of the items.
Rules
- Where a task needs another's answer, refer to it as {{task_1.ret}} in description and args; never guess the answer.
- One fact per task. Tasks that do not need each other have no edge between them: they run at the same time.
- Calculate with tools, never in your head: date_difference for years or days between dates, calculator for the rest, \
such as "{{task_1.ret}} - {{task_2.ret}}" or "max({{task_1.ret}}, {{task_2.ret}})". Years BC are negative. max and min \
give the value, not whose it is: the Writer sees all values and says whose.
- No task that only writes, compares in words or summarizes: the Writer does that.
- As few tasks as will do, and at most {max_tasks}.

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


async def planner(state: SearchState, services: Services) -> dict[str, Any]:
    """Make the plan, or the next revision of it."""
    question, tools = state["assessment"].question, state["team"].tools
    old, past = state.get("plan"), state.get("reflections", [])
    outcomes = state.get("outcomes", {})
    earlier = state.get("revisions", [])
    plan = await _by_model(question, old, outcomes, past[-1] if past else None, tools, services, earlier=earlier)
    if plan is None:
        if old is None:
            plan = rule_plan(question, services.language, tools)
        else:
            failed = past[-1].task_ids if past else ()
            plan = another_way(question, old, failed, outcomes, services.language, tools, earlier=earlier) or old
    if old is not None and plan is not old:
        plan = plan.model_copy(update={"revision": old.revision + 1})
    services.emit(planned(plan))
    replaced = [old] if old is not None and plan is not old else []
    return {"plan": plan, "revisions": [*earlier, *replaced]}


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
    *,
    earlier: Sequence[Plan],
) -> Plan | None:
    """A valid plan sketched by the model; None where there is no model or it gave none."""
    if not services.models.configured("planner"):
        return None
    interfaces = services.interfaces(tools)
    kept = _kept(old, outcomes)
    prompt = f"Tools:\n{services.registry.describe(tools)}\n\nToday: {today()}\nQuestion: {question}"
    if old is not None:
        prompt += f"\n\n{REPLAN}\n{_so_far(old, earlier, outcomes, last, services)}"
    system = SYSTEM.replace("{max_tasks}", str(services.settings.limits.max_tasks))
    messages: list[BaseMessage] = [SystemMessage(system), HumanMessage(prompt)]
    for _ in range(REPAIRS + 1):
        try:
            reply = await services.models.structured("planner", "plan", messages, PlanReply)
        except ModelFailed:
            return None  # in the trace; the rules plan instead
        sketch = reply.model_dump(exclude_none=True)
        plan, complaints = _checked(sketch, kept, interfaces, services)
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


def _checked(
    sketch: Mapping[str, Any], kept: Plan, interfaces: Mapping[str, ToolInterface], services: Services
) -> tuple[Plan, list[str]]:
    """The plan that a sketch makes of what is kept, and everything that is wrong with it."""
    new, complaints, broken = Plan.read(sketch)
    plan = kept.model_copy(update={"tasks": (*kept.tasks, *new.tasks), "links": (*kept.links, *new.links)})
    plan, notes = mend_plan(plan, interfaces, kept.ids)
    if notes:
        services.emit({"type": "task_progress", "task_id": "plan", "note": f"mended: {'; '.join(notes)}"[:500]})
    if not new.tasks:
        return plan, list(complaints)
    return plan, [*complaints, *check_plan(plan, interfaces, services.settings.limits, given=broken)]


def _kept(old: Plan | None, outcomes: dict[str, Outcome]) -> Plan:
    """The part of a plan that stays: tasks with a usable outcome, untouched."""
    if old is None:
        return Plan(tasks=())
    tasks = tuple(task for task in old.tasks if task.id in outcomes and outcomes[task.id].usable)
    ids = {task.id for task in tasks}
    links = tuple(link for link in old.links if ids.issuperset(link))
    return Plan(tasks=tasks, links=links, revision=old.revision)


def _so_far(
    old: Plan, earlier: Sequence[Plan], outcomes: dict[str, Outcome], last: Reflection | None, services: Services
) -> str:
    finished, open_ = [], []
    for task in old.tasks:
        outcome = outcomes.get(task.id)
        if outcome is not None and outcome.usable:
            value = as_data(render(outcome.value, outcome.type, services.language), 300)
            note = f" ({as_data(outcome.note, 200)})" if outcome.note else ""
            finished.append(f"- {task.id} ({task.value_type}): {task.description} → {value}{note}")
        else:
            why = as_data(outcome.failure.message, 300) if outcome and outcome.failure else "did not run"
            open_.append(f"- {task.id} ({_call(task)}): {task.description} → {why}")
    calls = {_call(task) for task in old.tasks}
    dropped = {_call(task): task for plan in earlier for task in plan.tasks}
    tried = [f"- {call}: {task.description}" for call, task in dropped.items() if call not in calls][-MAX_TRIED:]
    missing = "; ".join(last.missing) if last and last.missing else (last.reason if last else "")
    return "\n".join(
        [
            "Finished:",
            *(finished or ["- none"]),
            "Not finished:",
            *(open_ or ["- none"]),
            *(["Tried in vain in earlier plans:", *tried] if tried else []),
            f"Missing: {as_data(missing, 600)}",
        ]
    )


def _call(task: Task) -> str:
    """The call a task makes, as it was planned."""
    return f"{task.tool} {json.dumps(task.args, ensure_ascii=False)}"
