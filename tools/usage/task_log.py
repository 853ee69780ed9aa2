"""The task log: what tasks took, by tool, and which tools answered a question together; files of this machine.

Kept beside the log of calls (`WEIWO_TELEMETRY=off` keeps none), bounded like it. What tasks took is read for one user;
what a run took that was no task's stands under `REST` and the level of its question. A plan adds a use of tools when
its answer is complete.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from weiwo.tools.bounded_log import append_record, read_records

if TYPE_CHECKING:
    from weiwo.tools.selection.tool_scenes import ToolUse


_FILE: Final = "task_usage.jsonl"
REST: Final = "rest:"
_LEAST_TASKS: Final = 3
"""Tasks from which on it is known what those of a tool usually take."""
_MOST_TASKS: Final = 100
"""The latest tasks of a tool that count."""


@dataclass(frozen=True)
class TaskCost:
    """What a task took, or usually takes."""

    tool_calls: float = 0.0  # tool calls
    model_calls: float = 0.0  # model calls
    tokens: float = 0.0  # tokens of these, prompts and replies
    cost: float = 0.0  # US dollars
    seconds: float = 0.0  # seconds of work


_FIELDS: Final = tuple(one.name for one in fields(TaskCost))


class TaskLog:
    """The log as one user writes and reads it."""

    def __init__(self, home: Path, user: str) -> None:
        self._path = home / _FILE
        self._user = user

    def record(self, name: str, cost: TaskCost) -> None:
        """Keep what a task took, by the name of its tool."""
        figures = {key: round(value, 6) for key, value in asdict(cost).items()}
        append_record(self._path, {"tool": name, "user": self._user, **figures})

    def read(self) -> dict[str, TaskCost]:
        """What tasks usually take, by tool: each figure the median of the latest ones."""
        return _find_usual_costs(read_records(self._path), self._user)


def _find_usual_costs(records: Iterable[Mapping[str, Any]], user: str) -> dict[str, TaskCost]:
    """What tasks usually take, of the tools with enough of them; records that are none are passed over."""
    kept: defaultdict[str, deque[tuple[float, ...]]] = defaultdict(lambda: deque(maxlen=_MOST_TASKS))
    for record in records:
        figures = [record.get(name) for name in _FIELDS]
        sound = all(isinstance(one, int | float) and isfinite(one) and one >= 0 for one in figures)
        if sound and record.get("user") == user and isinstance(record.get("tool"), str):
            kept[record["tool"]].append(tuple(figures))  # type: ignore[arg-type]
    known = {name: rows for name, rows in kept.items() if len(rows) >= _LEAST_TASKS}
    return {name: TaskCost(*(median(column) for column in zip(*rows, strict=True))) for name, rows in known.items()}


_HISTORY_FILE: Final = "tool_history.jsonl"
LONGEST_QUESTION: Final = 500
_MOST_TOOLS: Final = 20
"""Tools that are kept of one use."""


def record_use(home: Path, question: str, tools: Iterable[str]) -> bool:
    """Append a use; whether it could be written."""
    use = {"question": question[:LONGEST_QUESTION], "tools": sorted(set(tools))[:_MOST_TOOLS]}
    return append_record(home / _HISTORY_FILE, use)


def read_history(home: Path) -> "tuple[ToolUse, ...]":
    """The uses on record, oldest first; what is none is passed over."""
    return tuple(use for record in read_records(home / _HISTORY_FILE) if (use := _parse_use(record)) is not None)


def _parse_use(found: Mapping[str, Any]) -> "ToolUse | None":
    question, tools = found.get("question"), found.get("tools")
    if not isinstance(question, str) or not isinstance(tools, list) or not tools:
        return None
    if not all(isinstance(name, str) for name in tools):
        return None
    from weiwo.tools.selection.tool_scenes import ToolUse

    return ToolUse(question[:LONGEST_QUESTION], frozenset(tools[:_MOST_TOOLS]))
