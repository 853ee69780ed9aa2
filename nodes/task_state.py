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


class TaskProgress(TaskOutput, total=False):
    """The channels of the task graph: how far one task has come."""

    call: Call
    """The call to make next."""

    tried: list[str]
    """Fingerprints of the calls made, so that none is made twice."""

    passages: list[Evidence]
    """What was found so far, best first."""

    fresh: int
    """Passages that the last call brought and none before."""

    turn: int
    """Searches and openings so far, however many calls each took."""

    attempts: int
    """Calls really made: further ones and those of substitutes counted, kept results not."""

    failed: dict[str, str]
    """Tools that failed the task, and how, so that they are left alone and the last failure can name them."""

    cached: bool
    """Whether the latest result was kept from an earlier call."""

    seconds: float
    """Time spent working."""


class TaskState(TaskInput, TaskProgress, total=False):
    """A task with all that is known while it works."""


def fingerprint(call: Call) -> str:
    """The identity of a call: its tool and arguments as canonical JSON."""
    return json.dumps([call["tool"], call["args"]], sort_keys=True, ensure_ascii=False)
