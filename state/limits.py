"""What a run may spend, and what it has spent."""

from collections.abc import Mapping
from operator import not_
from typing import Any, Final, Literal

from pydantic import Field

from weiwo.state.values import Value


class Limits(Value):
    """Bounds of one run. Each is enforced in code; reaching one is a stop reason, not an exception."""

    max_seconds: float = Field(
        default=120, gt=0, description="Seconds of work for one answer, waiting for a person excluded."
    )
    max_model_calls: int = Field(default=60, ge=0, description="Chat model calls for one answer.")
    max_tool_calls: int | None = Field(default=None, ge=1, description="Tool calls for one answer.")
    max_tokens: int = Field(default=400_000, ge=0, description="Input and output tokens for one answer.")
    max_cost: float | None = Field(default=None, ge=0, description="US dollars for one answer, where prices are known.")
    max_tasks: int = Field(default=20, ge=1, description="Tasks in one plan.")
    max_items: int = Field(
        default=500, ge=1, description="Instances of one for_each task; more are cut, and that is reported."
    )
    max_replans: int = Field(default=2, ge=0, description="Rounds of retrying, replanning or deepening.")
    max_turns: int = Field(default=3, ge=1, description="Searches or page openings inside one task.")
    max_queries: int = Field(default=2, ge=1, description="Queries sent at once in one search of a task.")
    max_pages: int = Field(default=3, ge=0, description="Pages or documents opened in one task.")
    max_parallel: int = Field(default=8, ge=1, description="Tasks that work at the same time.")
    tool_seconds: float = Field(default=30, gt=0, description="Seconds for one tool call.")
    max_page_bytes: int = Field(default=5_000_000, ge=1_000, description="Bytes read of one page or document.")


Depth = Literal["quick", "normal", "deep"]
DEPTHS: Final[Mapping[Depth, Mapping[str, Any]]] = {
    "quick": {"max_turns": 2, "max_queries": 1, "max_pages": 1, "max_replans": 0, "max_seconds": 60},
    "normal": {},
    "deep": {
        "max_turns": 6,
        "max_queries": 3,
        "max_pages": 8,
        "max_replans": 5,
        "max_tasks": 40,
        "max_seconds": 600,
        "max_model_calls": 300,
        "max_tokens": 2_000_000,
    },
}
"""How far a run may go, by how deep it is to look: what differs from the defaults."""


FaultKind = Literal[
    "refused",
    "denied",
    "overflow",
    "server",
    "busy",
    "unreachable",
    "late",
    "deadline",
    "malformed",
    "empty",
    "incomplete",
    "limit",
]

"""Why a model gave nothing; `weiwo.models.faults.Fault` tells each."""


class ModelCall(Value):
    """One call of a chat model, for the trace.

    Attributes:
        role: The agent that asked: master, planner, executor, reflection or writer; or the verifier.
        purpose: What for: assess, plan, read, analyse, repair, decide, outline, draft, verify, rewrite.
        model: The model's name as configured.
        mode: How the reply was obtained: json_schema, function_call, json_text, repair or text; `not_sent` for a call
            that could not be made, which is in the trace but costs nothing.
        input_tokens: Tokens of the prompt, as the endpoint reported them, else an upper estimate from the text.
        output_tokens: Tokens of the reply, likewise.
        cached_tokens: Those of the prompt that the endpoint says it had kept from an earlier one.
        seconds: Wall time.
        ended: When it ended, in seconds since 1970; 0 where that is not known. Calls overlap.
        error: One line when the call failed, else None.
        fault: The kind of that failure, where it is known.
    """

    role: str
    purpose: str
    model: str
    mode: str
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = Field(default=0, exclude_if=not_)
    seconds: float = 0.0
    ended: float = 0.0
    error: str | None = None
    fault: FaultKind | None = Field(default=None, exclude_if=not_)


NOT_SENT = "not_sent"


class Usage(Value):
    """What a run has spent so far. Adding two usages sums them.

    Attributes:
        model_calls: Chat model calls sent, each attempt counted; those that could not be sent are not.
        input_tokens: Prompt tokens.
        output_tokens: Reply tokens.
        cost: US dollars, 0 where the price is unknown.
        tool_calls: Tool calls made.
        seconds: Seconds of work; the time a killed run lay idle is not counted.
        calls: Every model call, in order of completion.
    """

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    tool_calls: int = 0
    seconds: float = 0.0
    calls: tuple[ModelCall, ...] = ()

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            model_calls=self.model_calls + other.model_calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=self.cost + other.cost,
            tool_calls=self.tool_calls + other.tool_calls,
            seconds=self.seconds + other.seconds,
            calls=self.calls + other.calls,
        )
