"""Tool history: which tools answered a question together, kept in a file of this machine, and nowhere else.

A plan adds a use when its answer is complete. `WEIWO_TELEMETRY=off` keeps none.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from weiwo.tools.bounded_log import append_record, read_records

if TYPE_CHECKING:
    from weiwo.tools.selection.tool_scenes import ToolUse

_FILE: Final = "tool_history.jsonl"
LONGEST_QUESTION: Final = 500
_MOST_TOOLS: Final = 20
"""Tools that are kept of one use."""


def record_use(home: Path, question: str, tools: Iterable[str]) -> bool:
    """Append a use; whether it could be written."""
    use = {"question": question[:LONGEST_QUESTION], "tools": sorted(set(tools))[:_MOST_TOOLS]}
    return append_record(home / _FILE, use)


def read_history(home: Path) -> "tuple[ToolUse, ...]":
    """The uses on record, oldest first; what is none is passed over."""
    return tuple(use for record in read_records(home / _FILE) if (use := _parse(record)) is not None)


def _parse(found: Mapping[str, Any]) -> "ToolUse | None":
    question, tools = found.get("question"), found.get("tools")
    if not isinstance(question, str) or not isinstance(tools, list) or not tools:
        return None
    if not all(isinstance(name, str) for name in tools):
        return None
    from weiwo.tools.selection.tool_scenes import ToolUse

    return ToolUse(question[:LONGEST_QUESTION], frozenset(tools[:_MOST_TOOLS]))
