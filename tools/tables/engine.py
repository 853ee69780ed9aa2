"""The table engine: a process for typed requests over stored tables in DuckDB.

Requests run as parameterized statements. DuckDB was chosen over polars: it has one wheel without dependencies, a memory
limit, a switch that forbids files and network for good, and widely checked joins and medians. The process receives
tables as bytes and keeps them in files of its own. A request opens the files of its own tables and no others
(`allowed_paths`, then `enable_external_access = false`, then `lock_configuration = true`). The engine runs apart from
its parent, so a hostile table costs an answer and no more.
"""

import json
import os
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, Final

from pydantic import ValidationError

from weiwo.text.printable import one_line
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.parts import import_parser
from weiwo.tools.tables.query import Query
from weiwo.tools.tables.relation import Relation, StoredPart
from weiwo.tools.tables.request import TableRequest, TableRequestError
from weiwo.tools.worker_process import limit_resources, read_frame, serve_requests, write_frame

_MOST_MEMORY: Final = "1GB"
_MEMORY_BYTES: Final = 4_000_000_000
"""Limit of the process's address space. DuckDB reserves far more of it than it uses."""


class TableEngine:
    """Engine that keeps tables by key and runs requests on them."""

    def __init__(self) -> None:
        """Load DuckDB.

        Raises:
            TableRequestError: DuckDB is not installed.
        """
        try:
            self._duckdb = import_parser("duckdb")
        except UnreadableError:
            raise TableRequestError("tables need DuckDB: pip install 'weiwo[tables]'") from None
        self._files: dict[str, _TableFile] = {}

    def hold(self, key: str, data: bytes) -> None:
        """Keep a Parquet file under a key until `drop`."""
        self._files[key] = _TableFile(data)

    def drop(self, key: str) -> None:
        """Delete the table of a key. An unknown key is ignored."""
        if (file := self._files.pop(key, None)) is not None:
            file.close()

    def run(self, asked: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Run a request over tables given to `hold` before, and return the result of `Query.run`.

        Args:
            asked: The message of an `EngineRequest`: the request, and the main and joined table by their keys.
            seconds: Time limit.

        Raises:
            TableRequestError: The request does not fit its tables, takes too long or needs too much memory.
        """
        main = self._make_relation(asked["main"])
        joined = self._make_relation(asked["joined"]) if asked.get("joined") else None
        paths = [part.path for relation in (main, joined) if relation is not None for part in relation.parts]
        with self._open_database(paths) as database:
            timer = threading.Timer(seconds, database.interrupt)
            timer.daemon = True
            timer.start()
            try:
                return Query(TableRequest.model_validate(asked["request"]), main, joined, database).run()
            except self._duckdb.InterruptException:
                raise TableRequestError(f"the query took more than {seconds:g} seconds; query fewer rows") from None
            except self._duckdb.OutOfMemoryException:
                raise TableRequestError(
                    f"the query needs more than {_MOST_MEMORY} of memory; query fewer rows"
                ) from None
            finally:
                timer.cancel()

    def _make_relation(self, asked: Mapping[str, Any]) -> Relation:
        parts = [
            StoredPart(item["name"], item["source"], item["facts"], self._files[item["key"]].path)
            for item in asked["parts"]
        ]
        return Relation(asked["name"], asked["source"], parts)

    @contextmanager
    def _open_database(self, paths: list[str]) -> Iterator[Any]:
        """Open an empty database with read access to the given files and nothing else."""
        database = self._duckdb.connect(":memory:", config={"threads": 2, "memory_limit": _MOST_MEMORY})
        try:
            listed = ", ".join(f"'{path}'" for path in paths)
            for statement in (
                "SET autoinstall_known_extensions = false",
                "SET autoload_known_extensions = false",
                f"SET allowed_paths = [{listed}]",
                "SET enable_external_access = false",
                "SET lock_configuration = true",
            ):
                database.execute(statement)
            yield database
        finally:
            database.close()


class _TableFile:
    """Parquet file that DuckDB can open by path.

    The file is anonymous memory on Linux, else a temporary file that `close` or garbage collection deletes.
    """

    def __init__(self, data: bytes) -> None:
        if hasattr(os, "memfd_create"):
            # DuckDB allows what a path leads to: of two files of one name in memory, that would be both.
            number = os.memfd_create(token_hex(16))
            self.path = f"/proc/self/fd/{number}"
            self._close: Callable[[], object] = weakref.finalize(self, os.close, number)
        else:
            number, self.path = tempfile.mkstemp(suffix=".parquet")
            os.close(number)
            self._close = weakref.finalize(self, os.unlink, self.path)
        Path(self.path).write_bytes(data)

    def close(self) -> None:
        """Delete the file."""
        self._close()


def main() -> None:
    """Serve requests from standard input until end of input."""
    serve_requests(_answer)


def _answer(requests: BinaryIO, replies: BinaryIO) -> None:
    asked: dict[str, Any] = json.loads(read_frame(requests))
    sent = {key: read_frame(requests) for key in asked["sent"]}
    limit_resources(_MEMORY_BYTES, asked["seconds"])
    try:
        engine = _open_engine()
        for key in asked["dropped"]:
            engine.drop(key)
        for key, data in sent.items():
            engine.hold(key, data)
        reply: dict[str, Any] = {"result": engine.run(asked, asked["seconds"])}
    except TableRequestError as error:
        reply = {"error": str(error)}
    except ValidationError as error:
        reply = {"error": one_line("; ".join(f"{item['loc']}: {item['msg']}" for item in error.errors()), 300)}
    except MemoryError:
        reply = {"error": "the table takes too much memory"}
    except Exception as error:  # noqa: BLE001 - the engine raises anything over a strange table
        reply = {"error": one_line(f"the table cannot be queried: {error}", 200), "failed": "engine"}
    write_frame(replies, json.dumps(reply).encode("ascii"))


@cache
def _open_engine() -> TableEngine:
    return TableEngine()
