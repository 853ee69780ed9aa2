"""The log that outlives a killed process: one JSON line an event, each appended by one system call.

What the kernel has taken survives SIGKILL, so nothing is flushed to the disk. A kill may tear the line that is being
written where it crosses a page of memory: what its process did then had not happened yet for anyone, so the torn line
is no event; the next process marks it so and begins another. Events are

    start, done     of a tool or model call: `key` says which, `ns` the checkpoint namespace it was made in
    save, saved     a write of the checkpointer, begun and acknowledged: `n` its number in this process, `ns` the
                    namespace of the graph, `task` the step whose outcome it carries (none: a whole checkpoint)
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

Event = dict[str, Any]

_TORN = "\x18"
"""Ends a line whose process was killed while it wrote it (ASCII's "cancel"); JSON holds none."""


class Log:
    """Appends events; `watch` is told the number of each, from 1, once it stands in the file."""

    def __init__(self, path: Path, watch: Callable[[int], None] = lambda _: None) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        if (before := path.read_bytes()) and not before.endswith(b"\n"):
            os.write(self._file, _TORN.encode() + b"\n")
        self._pid = os.getpid()
        self._count = 0
        self._watch = watch

    def note(self, event: str, **more: Any) -> None:
        """Append an event."""
        line = json.dumps({"pid": self._pid, "event": event, **more}, ensure_ascii=False)
        os.write(self._file, line.encode() + b"\n")
        self._count += 1
        self._watch(self._count)

    def call(self, event: str, key: str) -> None:
        """Append what happens to a tool or model call, with the namespace of the step that makes it."""
        from langgraph.config import get_config  # noqa: PLC0415 - known inside a graph only

        self.note(event, key=key, ns=get_config()["configurable"]["checkpoint_ns"])


def events(path: Path) -> list[Event]:
    """What a log holds so far; nothing if it is not there yet."""
    if not path.exists():
        return []
    lines = path.read_text(errors="replace").split("\n")
    return [json.loads(line) for line in lines[:-1] if not line.endswith(_TORN)]
