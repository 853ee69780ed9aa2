"""A log of JSON objects, one a line, in a file that is bounded: when it has grown large, its older half goes.

Nothing waits for it, and nothing fails because it cannot be read or written. Only its owner may read it.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from sys import intern
from threading import Lock
from typing import Any, BinaryIO, Final

from weiwo.tools.private_files import make_private_file

_MOST_BYTES: Final = 1_000_000

_TAIL: Final = 500
_writing: Final = Lock()
_reading: Final = Lock()


def append_record(path: Path, record: Mapping[str, Any]) -> bool:
    """Append an object; whether it could be written."""
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
    """The objects on record, oldest first; lines that are none are passed over. Only what is new is read again."""
    try:
        with _reading, path.open("rb") as file:
            return _read_on(file, _known(path))
    except OSError:
        return ()


@dataclass
class _Known:
    """What was read of a log."""

    records: list[dict[str, Any]] = field(default_factory=list)  # its objects
    length: int = 0  # the bytes that these took
    tail: bytes = b""  # the last of these bytes, by which a file is known that was written anew


@lru_cache(maxsize=4)
def _known(_path: Path) -> _Known:
    return _Known()


def _read_on(file: BinaryIO, known: _Known) -> tuple[dict[str, Any], ...]:
    """Read what was appended since, up to the end of its last line."""
    file.seek(known.length - len(known.tail))
    if file.read(len(known.tail)) != known.tail:
        known.records, known.length, known.tail = [], 0, b""
        file.seek(0)
    lines, end, _ = file.read(2 * _MOST_BYTES - known.length).rpartition(b"\n")
    if end:
        known.records += [record for line in lines.splitlines() if (record := _parse(line)) is not None]
        known.length += len(lines) + 1
        known.tail = (known.tail + lines + end)[-_TAIL:]
    return tuple(known.records)


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return {intern(key): value for key, value in found.items()} if isinstance(found, dict) else None


def _drop_older_half(path: Path) -> None:
    """Leave the newer half. What another process appends meanwhile may be lost: it is no more than a hint."""
    lines = path.read_bytes().splitlines(keepends=True)
    shorter = path.with_suffix(f".{os.getpid()}.tmp")
    make_private_file(shorter)
    shorter.write_bytes(b"".join(lines[len(lines) // 2 :]))
    shorter.replace(path)
