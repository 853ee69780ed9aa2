"""The usage log: every tool call with the result, in a file on this machine.

`WEIWO_TELEMETRY=off` keeps none.
"""

import asyncio
import json
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from weiwo.state import JsonValue
from weiwo.text.printable import redact_secrets
from weiwo.tools.bounded_log import append_record, read_records
from weiwo.tools.built_in import BUILT_IN
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.tool_info import ToolInfo
from weiwo.tools.usage.tool_notes import TEACHING, ToolUsage, summarize_usage

_FILE: Final = "tool_usage.jsonl"
_LONGEST_ARGS: Final = 400


class UsageLog:
    """Usage log of a single user.

    Args:
        home: The folder of Weiwo's own files.
        user: The user. Without a user (empty), no arguments are recorded.
    """

    def __init__(self, home: Path, user: str) -> None:
        self._path = home / _FILE
        self._user = user

    async def record(self, info: ToolInfo, args: Mapping[str, JsonValue], failure: ToolCallError | None) -> None:
        """Record a call.

        The arguments are recorded only for a known user, if the tool is not built in, the call worked or its failure is
        in `TEACHING`, and the arguments are short and contain no secrets.
        """
        definition = _hash(f"{info.description}\0{json.dumps(info.args_schema, sort_keys=True, default=str)}")
        record: dict[str, Any] = {"tool": info.name, "definition": definition, "user": self._user}
        if failure is not None:
            passes = failure.kind == "crash" and failure.transient
            record |= {"kind": "lost" if passes else failure.kind}
        taught = failure is None or record["kind"] in TEACHING
        text = json.dumps(dict(args), default=str)
        may_teach = self._user and taught and info.name not in BUILT_IN
        if may_teach and len(text) <= _LONGEST_ARGS and redact_secrets(text) == text:
            record |= {"args": json.loads(text), "said": "" if failure is None else failure.message}
        await asyncio.to_thread(append_record, self._path, record)

    def reset(self, tool: str) -> bool:
        """Discard the lessons about a tool, and report whether the write succeeded."""
        return append_record(self._path, {"tool": tool, "user": self._user, "reset": True})

    def read(self) -> Mapping[str, ToolUsage]:
        """Return the usage and the note of each tool, by name."""
        return summarize_usage(read_records(self._path), self._user)

    def notes(self) -> dict[str, str]:
        """Return the notes shown to a planner, by tool. Empty without a user."""
        return {name: usage.note for name, usage in self.read().items() if usage.note} if self._user else {}


@lru_cache(maxsize=1 << 12)
def _hash(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()[:12]
