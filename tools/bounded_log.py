"""Bounded log of JSON objects in a file, with an object per line.

When the file has more than 1 MB, its older half is dropped. An unreadable log reads as empty, and a failed write is
only reported by the return value. The file is readable only by its owner.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Final

from weiwo.tools.private_files import replace_private_file

_MOST_BYTES: Final = 1_000_000
_writing: Final = Lock()


def append_record(path: Path, record: Mapping[str, Any]) -> bool:
    """Append an object to the log. Returns False if it could not be written."""
    line = (json.dumps(record) + "\n").encode()  # ASCII: lone surrogates, too, are text that a question may hold
    try:
        with _writing:
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(handle, line)
                full = os.fstat(handle).st_size > _MOST_BYTES
            finally:
                os.close(handle)
            if full:
                _drop_older_half(path)
    except OSError:
        return False
    return True


def read_records(path: Path) -> tuple[dict[str, Any], ...]:
    """Return the logged objects, oldest first, skipping invalid lines and an unfinished last line."""
    try:
        with path.open("rb") as file:
            lines, _, _ = file.read(2 * _MOST_BYTES).rpartition(b"\n")
    except OSError:
        return ()
    return tuple(record for line in lines.splitlines() if (record := _parse(line)) is not None)


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _drop_older_half(path: Path) -> None:
    """Drop the older half of the log.

    Records appended by another process meanwhile may be lost, because the log is only a hint.
    """
    lines = path.read_bytes().splitlines(keepends=True)
    replace_private_file(path, b"".join(lines[len(lines) // 2 :]))
