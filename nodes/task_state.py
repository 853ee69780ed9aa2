"""The channels of the task graph: what one task knows while it works."""

import json
from typing import Annotated, TypedDict

from state import Evidence, JsonValue, Outcome, Task, Usage
from state.search import add_usage, merge_evidence


class Call(TypedDict):
    """A tool call to make."""

    tool: str
    args: dict[str, JsonValue]


class TaskInput(TypedDict):
    """What a task starts from."""

    task: Task
    inputs: dict[str, Outcome]


class TaskOutput(TypedDict, total=False):
    """What a task brings in."""

    outcome: Outcome
    evidence: Annotated[dict[str, Evidence], merge_evidence]
    usage: Annotated[Usage, add_usage]


class TaskState(TaskInput, TaskOutput, total=False):
    """The channels of the task graph."""

    call: Call
    """The call to make next."""

    tried: list[str]
    """Fingerprints of the calls made, so that none is made twice."""

    passages: list[Evidence]
    """What was found so far, best first."""

    fresh: int
    """Passages that the last call brought and none before."""

    turn: int
    """Calls made."""

    seconds: float
    """Time spent working."""


def fingerprint(call: Call) -> str:
    """The identity of a call: its tool and arguments as canonical JSON."""
    return json.dumps([call["tool"], call["args"]], sort_keys=True, ensure_ascii=False)
