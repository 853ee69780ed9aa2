"""Two logs: the cost of tasks by tool, and the tools used together for each question.

The files are on this machine, beside the usage log, and limited like it (`WEIWO_TELEMETRY=off` keeps none). The cost of
tasks is read for one user. The cost of a run outside its tasks is recorded under `REST` followed by the level of the
question. A plan whose answer is complete adds a use of tools.
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
"""Least number of tasks of a tool from which a usual cost is computed."""
_MOST_TASKS: Final = 100
"""Number of the latest tasks of a tool from which the usual cost is computed."""


@dataclass(frozen=True)
class TaskCost:
    """Cost of a task, measured or typical."""

    tool_calls: float = 0.0
    model_calls: float = 0.0
    tokens: float = 0.0  # tokens of the model calls, prompts and replies
    cost: float = 0.0  # US dollars
    seconds: float = 0.0


_FIELDS: Final = tuple(field.name for field in fields(TaskCost))


class TaskLog:
    """Task log of a single user."""

    def __init__(self, home: Path, user: str) -> None:
        self._path = home / _FILE
        self._user = user

    def record(self, name: str, cost: TaskCost) -> None:
        """Record the cost of a task under the name of the tool."""
        figures = {key: round(value, 6) for key, value in asdict(cost).items()}
        append_record(self._path, {"tool": name, "user": self._user, **figures})

    def read(self) -> dict[str, TaskCost]:
        """Return the usual cost of a task by tool, as medians of the latest tasks.

        Tools with fewer than three tasks are left out.
        """
        return _find_usual_costs(read_records(self._path), self._user)


def _find_usual_costs(records: Iterable[Mapping[str, Any]], user: str) -> dict[str, TaskCost]:
    """Return the usual cost of a task by tool, as `TaskLog.read`.

    Invalid records and those of other users are skipped.
    """
    kept: defaultdict[str, deque[tuple[float, ...]]] = defaultdict(lambda: deque(maxlen=_MOST_TASKS))
    for record in records:
        figures = [record.get(name) for name in _FIELDS]
        sound = all(isinstance(figure, int | float) and isfinite(figure) and figure >= 0 for figure in figures)
        if sound and record.get("user") == user and isinstance(record.get("tool"), str):
            kept[record["tool"]].append(tuple(figures))  # type: ignore[arg-type]
    known = {name: rows for name, rows in kept.items() if len(rows) >= _LEAST_TASKS}
    return {name: TaskCost(*(median(column) for column in zip(*rows, strict=True))) for name, rows in known.items()}


_HISTORY_FILE: Final = "tool_history.jsonl"
LONGEST_QUESTION: Final = 500
_MOST_TOOLS: Final = 20
"""Limit of the tools recorded for a question."""


def record_use(home: Path, question: str, tools: Iterable[str]) -> bool:
    """Record the tools used together for a question, and report whether the write succeeded.

    Args:
        home: The folder of Weiwo's own files.
        question: The question, cut to 500 characters.
        tools: Names of the tools. Only the first 20 in alphabetical order are recorded.
    """
    use = {"question": question[:LONGEST_QUESTION], "tools": sorted(set(tools))[:_MOST_TOOLS]}
    return append_record(home / _HISTORY_FILE, use)


def read_history(home: Path) -> "tuple[ToolUse, ...]":
    """Read the recorded uses, oldest first. Invalid records are skipped."""
    return tuple(use for record in read_records(home / _HISTORY_FILE) if (use := _parse_use(record)) is not None)


def _parse_use(found: Mapping[str, Any]) -> "ToolUse | None":
    question, tools = found.get("question"), found.get("tools")
    if not isinstance(question, str) or not isinstance(tools, list) or not tools:
        return None
    if not all(isinstance(name, str) for name in tools):
        return None
    from weiwo.tools.selection.tool_scenes import ToolUse

    return ToolUse(question[:LONGEST_QUESTION], frozenset(tools[:_MOST_TOOLS]))
