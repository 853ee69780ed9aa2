"""Tool history: which tools answered a question together, kept in a file of this machine, and nowhere else.

One JSON object a line. A plan adds one when its answer is complete; when the file has grown large, the older half
goes. `WEIWO_TELEMETRY=off` keeps none. No search waits for it, and none fails because it cannot be read or written.
"""

import json
import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from weiwo.tools.retrieval.tool_scenes import ToolUse

FILE: Final = "tool_history.jsonl"
MOST_BYTES: Final = 1_000_000
LONGEST_QUESTION: Final = 500
MOST_TOOLS: Final = 20
"""Tools that are kept of one use."""

_writing: Final = Lock()


def record_use(home: Path, question: str, tools: Iterable[str]) -> bool:
    """Append a use; whether it could be written.

    Args:
        home: The folder of Weiwo's own files.
        question: The question.
        tools: The tools that answered it.
    """
    use = {"question": question[:LONGEST_QUESTION], "tools": sorted(set(tools))[:MOST_TOOLS]}
    line = (json.dumps(use) + "\n").encode()  # ASCII: lone surrogates, too, are text that a question may hold
    path = home / FILE
    try:
        with _writing:
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(handle, line)
                full = os.fstat(handle).st_size > MOST_BYTES
            finally:
                os.close(handle)
            if full:
                _drop_older_half(path)
    except OSError:
        return False
    return True


def read_history(home: Path) -> "tuple[ToolUse, ...]":
    """The uses on record, oldest first; lines that are none are passed over. Remembered until the file changes."""
    path = home / FILE
    try:
        found = path.stat()
        return _read(path, found.st_mtime_ns, found.st_size)
    except OSError:
        return ()


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int, _size: int) -> "tuple[ToolUse, ...]":
    with path.open("rb") as file:
        lines = file.read(2 * MOST_BYTES).splitlines()
    return tuple(use for line in lines if (use := _parse(line)) is not None)


def _parse(line: bytes) -> "ToolUse | None":
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    question, tools = (found.get("question"), found.get("tools")) if isinstance(found, dict) else (None, None)
    if not isinstance(question, str) or not isinstance(tools, list) or not tools:
        return None
    if not all(isinstance(name, str) for name in tools):
        return None
    from weiwo.tools.retrieval.tool_scenes import ToolUse  # noqa: PLC0415 - numpy, where there is a history

    return ToolUse(question[:LONGEST_QUESTION], frozenset(tools[:MOST_TOOLS]))


def _drop_older_half(path: Path) -> None:
    """Leave the newer half. What another process appends meanwhile may be lost: it is no more than a hint."""
    lines = path.read_bytes().splitlines(keepends=True)
    shorter = path.with_suffix(f".{os.getpid()}.tmp")
    shorter.write_bytes(b"".join(lines[len(lines) // 2 :]))
    shorter.replace(path)
