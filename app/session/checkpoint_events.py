"""Events reconstructed from a checkpoint, for `show` and `resume` to draw like a live run."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from weiwo.state import Outcome
from weiwo.text.values import render

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.types import StateSnapshot


def events_of(values: Mapping[str, Any], more: Mapping[str, Outcome]) -> Iterator[dict[str, Any]]:
    """Yield the events that a live run would have sent to reach a state, as JSON objects.

    First `assessed`, then `planned`, the events of each task, and `reflected` for each reflection.

    Args:
        values: The state of a thread.
        more: Outcomes that have not reached the state, of a run that was interrupted inside the executor.
    """
    assessment, team, plan = values.get("assessment"), values.get("team"), values.get("plan")
    language = "en"
    if assessment is not None:
        language = assessment.language
        yield {
            "type": "assessed",
            "level": assessment.level,
            "team": team.name if team is not None else "",
            "score": assessment.score,
            "reason": assessment.reason,
            "decided_by": assessment.decided_by,
            "question": assessment.question,
            "language": language,
            "tools": list(team.tools) if team is not None else [],
        }
    if plan is not None:
        yield {"type": "planned", "plan": plan.to_json()}
    outcomes = {**(values.get("outcomes") or {}), **more}
    for outcome in outcomes.values():
        if plan is not None and outcome.task_id not in plan.ids:
            continue
        # The findings of a chain of look-ups appear as separate tasks: `task_1.2` is the second finding.
        for n, hop in enumerate(outcome.detail.hops, 1):
            name = f"{outcome.task_id}.{n}"
            yield {"type": "task_started", "task_id": name, "description": hop.question, "tool": outcome.tool}
            yield {"type": "task_finished", "task_id": name, "status": "succeeded", "value": hop.value}
        yield _finished_event(outcome, language)
    for past in values.get("reflections") or ():
        yield {
            "type": "reflected",
            "decision": past.decision,
            "reason": past.reason,
            "decided_by": past.decided_by,
            "task_ids": list(past.task_ids),
        }


def _finished_event(outcome: Outcome, language: str) -> dict[str, Any]:
    """The `task_finished` event of an outcome."""
    value = ""
    if outcome.value is not None:
        try:
            value = render(outcome.value, outcome.type, language)
        except ValueError:  # written by another version, say
            value = str(outcome.value)
    return {
        "type": "task_finished",
        "task_id": outcome.task_id,
        "status": outcome.status,
        "value": value,
        "tool": outcome.tool,
        "attempts": outcome.attempts,
        "seconds": outcome.seconds,
        "decided_by": outcome.decided_by,
        "failure": outcome.failure.message if outcome.failure else "",
        "failure_kind": outcome.failure.kind if outcome.failure else "",
        "note": outcome.note,
    }


async def finished_tasks(saver: "BaseCheckpointSaver[Any]", snapshot: "StateSnapshot") -> dict[str, Outcome]:
    """Return the outcomes of tasks finished before an interruption of the executor, by task id. Empty without one."""
    from weiwo.graph.persistence.forks import read_interrupted_results

    return (await read_interrupted_results(saver, snapshot)).outcomes
