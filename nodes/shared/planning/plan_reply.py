"""Reply schema for a plan sketched by a model."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final

from pydantic import AliasChoices, AliasPath, BeforeValidator, Field, WithJsonSchema

from weiwo.nodes.shared.prompting.reply_types import Edges, Line, Reply
from weiwo.state import JsonValue

_NO_TOOL = "none"
"""Name put in for a tool that the model did not name. `autofix_plan` or the validator then handles the task."""


def _name(value: Any) -> Any:
    """Return the name of a tool or type that a model gave as an object. Any other value is returned unchanged."""
    if isinstance(value, dict):
        return value.get("name") or value.get("type") or value
    return value


def _tool(value: Any) -> Any:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return _NO_TOOL if value is None or value in ("", []) else _name(value)


def _reference(value: Any) -> Any:
    empty = value is False or (isinstance(value, str) and value.strip().lower() in {"", "null", "none", "false", "no"})
    return None if empty else value


_SCALARS: Final = [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]
PlanArgument = Annotated[
    JsonValue, WithJsonSchema({"anyOf": [*_SCALARS, {"type": "array", "items": {"anyOf": _SCALARS}}]})
]
"""An argument of a tool. The schema names the possible types, since endpoints refuse a value of any type."""


class SecondWay(Reply):
    """Another tool, or another call, for the same task."""

    tool_binding: Annotated[str, BeforeValidator(_tool)] = Field(
        validation_alias=AliasChoices("tool_binding", "tool", "tool_name")
    )
    args: dict[str, PlanArgument] = Field(default_factory=dict, validation_alias=AliasChoices("args", "arguments"))


class Vertex(Reply):
    """Task of a sketched plan."""

    bounds: ClassVar[Mapping[str, int]] = {"description": 800}

    id: str
    description: str = Field(validation_alias=AliasChoices("description", "question"))
    tool_binding: Annotated[str, BeforeValidator(_tool)] = Field(
        validation_alias=AliasChoices("tool_binding", "tool", "tool_name")
    )
    args: dict[str, PlanArgument] = Field(
        default_factory=dict, validation_alias=AliasChoices("args", "arguments", "parameters")
    )
    ret: Annotated[str, BeforeValidator(_name)] = "text"
    for_each: Annotated[str | None, BeforeValidator(_reference)] = None
    thought: Line = Field("", description="Why, in a few words; only where it is not plain.")
    parent: Line = Field("", description="The task whose finding raised it, if one did.")
    is_answer: bool = False
    alternative: SecondWay | None = Field(None, description="What to call if that fails; only where another tool fits.")


class PlanReply(Reply):
    """A sketched plan."""

    bounds: ClassVar[Mapping[str, int]] = {"thought": 1000, "vertices": 60, "edges": 100}
    tokens: ClassVar[int] = 2000

    thought: str = ""
    procedure: Line = Field("", description="The procedure it follows; only where some are given.")
    departure: Line = Field("", description="Where it departs from that, and why.")
    need: Line = Field("", description="A kind of tool that is missing; only where told that there are more.")
    vertices: list[Vertex] = Field(
        validation_alias=AliasChoices(
            "vertices", "tasks", "nodes", AliasPath("plan", "vertices"), AliasPath("plan", "tasks"), "plan"
        )
    )
    edges: Edges = Field(default_factory=list, validation_alias=AliasChoices("edges", AliasPath("plan", "edges")))
