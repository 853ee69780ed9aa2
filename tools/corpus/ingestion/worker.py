"""Parser process: opens and parses files, apart from the process holding the index.

Parsers of foreign documents hang, eat memory and crash. Here that costs one file. The parent ends a late worker, the
operating system ends a worker that takes too much memory, and the parent starts another.
"""

import base64
import json
import os
import stat
import sys
import time
from collections.abc import Iterator
from hashlib import file_digest, sha256
from io import BufferedReader
from operator import attrgetter
from typing import Any, BinaryIO, Final

from weiwo.text.printable import one_line
from weiwo.tools.corpus.formats import Part, load_reader, sniff_format
from weiwo.tools.corpus.formats.document_dates import date_part
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.markdown_tables import find_passage_tables
from weiwo.tools.corpus.formats.ocr import start_budget
from weiwo.tools.corpus.formats.parts import detect_part_language
from weiwo.tools.corpus.losses import encode_losses
from weiwo.tools.tables.table_store import store_tables
from weiwo.tools.worker_process import limit_resources, read_frame, serve_requests, write_frame

_FLUSH_BYTES: Final = 250_000
_FLUSH_SECONDS: Final = 0.2
_SMALL: Final = 1_000_000
_OPEN_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags for opening a file without blocking, in case a pipe has taken its place."""

_encode_passage: Final = attrgetter("text", "headings", "locator", "first_line", "last_line", "page", "context")
"""Returns the fields of a passage, in the order of `Passage`."""


def main() -> None:
    """Serve requests from standard input until the input ends."""
    sys.setrecursionlimit(2_000)
    serve_requests(_answer)


def _answer(requests: BinaryIO, replies: BinaryIO) -> None:
    request: dict[str, Any] = json.loads(read_frame(requests))
    limit_resources(request["memory_bytes"], request["seconds"])
    outbox = _Outbox(replies)
    for number, file in enumerate(request["files"]):
        for message in _read_file(file):
            outbox.add([number, message])
    outbox.flush()


class _Outbox:
    """Buffer for replies, which sends frequent messages together."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._held: list[str] = []
        self._size = 0
        self._since = time.monotonic()

    def add(self, message: list[Any]) -> None:
        text = json.dumps(message, separators=(",", ":"))
        self._held.append(text)
        self._size += len(text)
        if self._size >= _FLUSH_BYTES or time.monotonic() - self._since >= _FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        if self._held:
            write_frame(self._stream, f"[{','.join(self._held)}]".encode("ascii"))
        self._held, self._size, self._since = [], 0, time.monotonic()


def _read_file(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Read a file and yield messages: `part` for each part after the first, then `end` with the first or only part.

    Yields only `same` if the file is unchanged. After an error, the last message is `failed`.
    """
    kind = sniff_format(request["path"])
    passing = True
    try:
        with os.fdopen(os.open(request["path"], _OPEN_FLAGS), "rb") as file:
            yield from _read_parts(file, request)
            return
    except UnreadableError as error:
        reason, passing = str(error), error.passing
    except MemoryError:
        reason, passing = "reading it takes too much memory; split it", False
    except RecursionError:
        reason, passing = "nested too deeply", False
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    except Exception as error:  # noqa: BLE001 - parsers raise anything over a broken file
        what = kind.type if kind else "file"
        reason, passing = f"damaged {what}: {one_line(str(error) or type(error).__name__, 150)}", False
    yield {"failed": one_line(reason), "passing": passing}


def _read_parts(file: BufferedReader, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    before = os.fstat(file.fileno())
    if not stat.S_ISREG(before.st_mode):
        raise UnreadableError("no longer a file", passing=True)
    if before.st_size > request["most_bytes"]:
        raise UnreadableError(f"over the {request['most_bytes']:,} bytes allowed: {before.st_size:,}", passing=True)
    kind = sniff_format(request["path"])
    if kind is None:
        raise UnreadableError("unsupported file type; convert it to PDF or text")
    whole = (sha256(file.read()) if before.st_size < _SMALL else file_digest(file, "sha256")).hexdigest()
    file.seek(0)
    stated = {"sha256": whole, "size": before.st_size, "modified_ns": before.st_mtime_ns, "type": kind.type}
    if whole == request["unchanged"]:
        yield {"same": stated}
        return
    start_budget()
    last: dict[str, Any] | None = None
    for part in load_reader(kind)(file, request["name"]):
        part.date = date_part(part, kind.type, os.path.basename(request["path"]))  # noqa: PTH119 - a path stays a string
        message = _encode_part(part, part.sha256 or whole, request["held"].get(part.key, ""))
        if part.key:
            yield {"part": {**stated, **message}, "at": file.tell() if not file.closed else before.st_size}
        else:
            last = message
    after = os.stat(request["path"])  # noqa: PTH116 - what is at that path now
    if (after.st_size, after.st_mtime_ns, after.st_ino) != (before.st_size, before.st_mtime_ns, before.st_ino):
        raise UnreadableError("it changed while it was read; index again", passing=True)
    if last is None:
        raise UnreadableError("empty")
    yield {"end": {**stated, **last}}


def _encode_part(part: Part, sha256: str, held: str) -> dict[str, Any]:
    """Encode a part for JSON. If the index holds the part with this hash, `passages` is None and `tables` is empty."""
    held_already = sha256 == held
    grids = () if held_already else part.tables or find_passage_tables(part.passages)
    tables, losses = store_tables(grids) if grids else ([], [])
    return {
        "sha256": sha256,
        "key": part.key,
        "title": part.title,
        "date": part.date,
        "language": detect_part_language(part),
        "losses": encode_losses([*part.losses, *losses]),
        "passages": None if held_already else [*map(_encode_passage, part.passages)],
        "tables": [(table.name, table.facts, base64.b64encode(table.data).decode("ascii")) for table in tables],
    }
