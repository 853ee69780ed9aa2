"""Resources spent by a run.

The module name is kept because checkpoints refer to its types by it.
"""

from operator import not_
from typing import Final, Literal

from pydantic import Field

from weiwo.state.kinds import ROLES
from weiwo.state.values import JsonValue, Value

FaultKind = Literal[
    "refused",
    "denied",
    "overflow",
    "server",
    "busy",
    "loading",
    "unreachable",
    "late",
    "deadline",
    "malformed",
    "empty",
    "declined",
    "incomplete",
    "limit",
]

"""Why a model call gave no usable reply. `weiwo.models.errors.Fault` explains each kind."""


_NOT_NEGATIVE: Final[dict[str, JsonValue]] = {"minimum": 0}


class ModelCall(Value):
    """A chat model call, recorded for the trace.

    Attributes:
        role: The agent that asked: master, planner, executor, reflection or writer, or else the verifier.
        purpose: The purpose: assess, plan, read, analyse, repair, decide, outline, draft, verify, rewrite.
        model: The model's name as configured.
        mode: The way the reply was obtained: json_schema, function_call, json_text, repair or text. `not_sent` for a
            call that could not be made, which is in the trace but costs nothing.
        input_tokens: Tokens of the prompt, as reported by the endpoint, else an upper estimate from the text.
        output_tokens: Tokens of the reply, likewise.
        cached_tokens: Prompt tokens that the endpoint reports as cached from an earlier prompt.
        seconds: Wall time.
        ended: End time, in seconds since 1970. 0 if it is not known. Calls overlap.
        error: One line if the call failed, else None.
        fault: The kind of that failure, if it is known.
    """

    role: str = Field(json_schema_extra={"enum": list(ROLES)})
    purpose: str
    model: str
    mode: str
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0, exclude_if=not_)
    seconds: float = Field(default=0.0, json_schema_extra=_NOT_NEGATIVE)
    ended: float = Field(default=0.0, json_schema_extra=_NOT_NEGATIVE)
    error: str | None = None
    fault: FaultKind | None = Field(default=None, exclude_if=not_)


NOT_SENT = "not_sent"


class Usage(Value):
    """Resources spent by a run so far, without negative figures.

    Adding two usages sums them.

    Attributes:
        model_calls: Chat model calls sent, counting each attempt. Calls that could not be sent are not counted.
        input_tokens: Prompt tokens.
        output_tokens: Reply tokens.
        cost: US dollars, 0 if the price is unknown.
        tool_calls: Tool calls made.
        seconds: Seconds of work. The time that a killed run lay idle is not counted.
        calls: Every model call, in order of completion.
    """

    model_calls: int = Field(default=0, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cost: float = Field(default=0.0, ge=0)
    tool_calls: int = Field(default=0, ge=0)
    seconds: float = Field(default=0.0, ge=0)
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
