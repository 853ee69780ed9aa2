"""A plan as text: each question under the one it came from, with its result.

The text takes few tokens. (After the graph of MindSearch, arXiv 2407.20183, which grows as answers arrive.) A planner
reads it before planning anew, and `weiwo show --questions` prints it. `weiwo show --json` has it nested.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from weiwo.nodes.shared.planning.references import fill_text
from weiwo.nodes.shared.prompting.passage_prompt import quote_as_data
from weiwo.state import Language, Outcome, Plan, Task
from weiwo.text.values import render

_LONGEST: Final = 300
_LONGEST_THOUGHT: Final = 120


def format_question_graph(
    plan: Plan,
    outcomes: Mapping[str, Outcome],
    language: Language,
    *,
    remarks: Mapping[str, str] | None = None,
    finished: Collection[str] | None = None,
) -> str:
    """Return the tasks of a plan as text, a line each: "- task_1 (date): When was Acme founded? → May 1900".

    A line may also have further inputs (←) and the reason for asking [in brackets].

    Args:
        plan: The plan.
        outcomes: Outcomes of its tasks, by id. A task without an outcome has not ended.
        language: The language of the values.
        remarks: Further remarks on tasks, by id.
        finished: The tasks that count as finished. None means tasks with an answer. The results of others are marked ✗.
    """
    usable = {task_id: outcome for task_id, outcome in outcomes.items() if outcome.usable}
    lines: list[str] = []
    for task, depth in _in_order(plan):
        outcome = outcomes.get(task.id)
        done = outcome is not None and outcome.answers if finished is None else task.id in finished
        asked = quote_as_data(fill_text(task.description, usable, language), _LONGEST)
        line = f"{' ' * depth}- {task.id} ({task.value_type}): {asked}"
        if inputs := [source for source in plan.upstream(task.id) if source != plan.parents[task.id]]:
            line += f" ← {', '.join(inputs)}"
        if task.thought:
            line += f" [{quote_as_data(task.thought, _LONGEST_THOUGHT)}]"
        line += _came_to(outcome, language, done=done)
        lines.append(line + (remarks or {}).get(task.id, ""))
        lines += [
            f"{' ' * depth} · {quote_as_data(hop.question, _LONGEST)} → {quote_as_data(hop.value, _LONGEST)}"
            for hop in (outcome.detail.hops if outcome is not None else ())
        ]
    return "\n".join(lines)


def nest_questions(plan: Plan, outcomes: Mapping[str, Outcome], language: Language) -> dict[str, Any]:
    """Return the tasks of a plan as nested JSON values, each below its parent, and the number of tasks by state.

    The states are answered, pending and failed.

    Args:
        plan: The plan.
        outcomes: Outcomes of its tasks, by id. A task without an outcome is pending.
        language: The language of the values.
    """
    usable = {task_id: outcome for task_id, outcome in outcomes.items() if outcome.usable}
    below: dict[str, list[dict[str, Any]]] = {"": []}
    counts = {"answered": 0, "pending": 0, "failed": 0}
    for task, _ in _in_order(plan):
        outcome = outcomes.get(task.id)
        state = "pending" if outcome is None else "answered" if outcome.answers else "failed"
        counts[state] += 1
        below[task.id] = []
        node = {"id": task.id, "question": fill_text(task.description, usable, language), "state": state}
        value = {"value": outcome.value} if outcome is not None and outcome.answers else {}
        below[plan.parents[task.id]].append({**node, **value, "questions": below[task.id]})
    return {"questions": below[""], "counts": counts}


def _in_order(plan: Plan) -> Iterator[tuple[Task, int]]:
    """Yield each task after its parent, with the depth at which it is nested, from 0."""
    children: dict[str, list[str]] = {}
    for task_id, parent in plan.parents.items():
        children.setdefault(parent, []).append(task_id)
    todo = [(task_id, 0) for task_id in reversed(children.get("", ()))]
    while todo:
        task_id, depth = todo.pop()
        yield plan.task(task_id), depth
        todo += [(child, depth + 1) for child in reversed(children.get(task_id, ()))]


def _came_to(outcome: Outcome | None, language: Language, *, done: bool) -> str:
    if outcome is None:
        return ""
    if outcome.answers:
        told = quote_as_data(render(outcome.value, outcome.type, language), _LONGEST)
    else:
        told = quote_as_data(outcome.failure.message, _LONGEST) if outcome.failure is not None else outcome.status
    note = f" ({quote_as_data(outcome.note, 200)})" if outcome.note else ""
    return f" → {'' if done else '✗ '}{told}{note}"
