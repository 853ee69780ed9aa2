"""The usage log: each call of a tool with how it fared, in a file of this machine. `WEIWO_TELEMETRY=off` keeps none."""

import asyncio
import json
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from weiwo.state import JsonValue
from weiwo.text.printable import redacted
from weiwo.tools.bounded_log import append_record, read_records
from weiwo.tools.built_in import BUILT_IN
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.tool_info import ToolInfo
from weiwo.tools.usage.tool_notes import TEACHING, ToolUsage, summarize_usage

_FILE: Final = "tool_usage.jsonl"
_LONGEST_ARGS: Final = 400


class UsageLog:
    """The log as one user writes and reads it.

    Args:
        home: The folder of Weiwo's own files.
        user: Whose calls; empty for somebody without a name, of whom no arguments are kept.
    """

    def __init__(self, home: Path, user: str) -> None:
        self._path = home / _FILE
        self._user = user

    async def record(self, info: ToolInfo, args: Mapping[str, JsonValue], failure: ToolCallError | None) -> None:
        """Keep that a call was made; arguments only of tools that are not ours, and only what is small."""
        record: dict[str, Any] = {"tool": info.name, "definition": _fingerprint(info), "user": self._user}
        if failure is not None:
            passes = failure.kind == "crash" and failure.transient
            record |= {"kind": "lost" if passes else failure.kind}
        taught = failure is None or record["kind"] in TEACHING
        text = json.dumps(dict(args), default=str)
        may_teach = self._user and taught and info.name not in BUILT_IN
        if may_teach and len(text) <= _LONGEST_ARGS and redacted(text) == text:
            record |= {"args": json.loads(text), "said": "" if failure is None else failure.message}
        await asyncio.to_thread(append_record, self._path, record)

    def reset(self, tool: str) -> bool:
        """Forget what was learned of a tool; whether that could be written."""
        return append_record(self._path, {"tool": tool, "user": self._user, "reset": True})

    def read(self) -> Mapping[str, ToolUsage]:
        """How each tool was used and what was learned of it, by name."""
        return summarize_usage(read_records(self._path), self._user)

    def notes(self) -> dict[str, str]:
        """The notes that a planner is shown, by tool; of somebody without a name none."""
        return {name: usage.note for name, usage in self.read().items() if usage.note} if self._user else {}


@lru_cache(maxsize=1 << 12)
def _hash(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()[:12]


def _fingerprint(info: ToolInfo) -> str:
    """What tells a tool's definition from another one."""
    return _hash(f"{info.description}\0{json.dumps(info.args_schema, sort_keys=True, default=str)}")
