"""What is known of a tool without calling it."""

from dataclasses import dataclass
from typing import Any

from weiwo.state import ValueType


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """What is known of a tool without calling it.

    Attributes:
        name: Its name, by which tasks bind to it.
        description: What it does, for a planner.
        args_schema: Its arguments as JSON schema: `properties` and `required`.
        cluster: Tools of one cluster do the same kind of thing: "search", "open", "compute", "dates", what a tool's
            metadata say (`cluster`), or "other:NAME" after the first of those that `clusters` finds alike.
        available: Whether it can be called.
        why_not: Why it cannot, and what would change that; empty if it can.
        returns: The types of value a task can get from it.
        cache_seconds: How long a result may be used again; 0: not at all.
        acts: Whether it may change something, so that a person is asked before, and no call of it is merged, kept,
            made again or stood in for.
        server: The MCP server it is of; empty for any other.
        idempotent: Whether an acting tool's call, made twice, changes no more than made once.
        always_ask: Whether a person is asked whatever is allowed in general.
        injected: Whether the run gives it something beside its arguments, so that no call of it is merged or kept.
        note: What its calls have taught of how to call it, for a planner; empty where nothing.
    """

    name: str
    description: str
    args_schema: dict[str, Any]
    cluster: str
    available: bool
    why_not: str
    returns: tuple[ValueType, ...]
    cache_seconds: float = 0.0
    acts: bool = False
    server: str = ""
    idempotent: bool = False
    always_ask: bool = False
    injected: bool = False
    note: str = ""
