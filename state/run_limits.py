"""Limits of a run, derived from the search depth."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of a run, each enforced in code. Reaching a limit is a stop reason, not an exception.

    The field of the same name in `Context` describes each limit.
    """

    max_seconds: float = 120
    max_model_calls: int = 60
    max_tool_calls: int | None = None
    max_tokens: int = 400_000
    max_cost: float | None = None
    max_tasks: int = 20
    max_items: int = 500
    max_replans: int = 2
    max_turns: int = 3
    max_queries: int = 2
    max_pages: int = 3
    max_parallel: int = 8
    tool_seconds: float = 30
    max_page_bytes: int = 5_000_000


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
"""Limits of each search depth that differ from the defaults of `Limits`."""
