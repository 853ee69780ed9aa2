"""The table process: holds the engine apart from the run, so that a hostile table costs an answer and no more."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from pydantic import ValidationError

from weiwo.tools.printable import one_line
from weiwo.tools.tables.engine import Engine
from weiwo.tools.tables.request import RequestError, TableRequest
from weiwo.tools.worker_process import limit_resources, read_frame, take_over_streams, write_frame

_MEMORY_BYTES: Final = 4_000_000_000
"""Address space, of which DuckDB reserves far more than it uses."""


def main() -> None:
    """Serve requests from standard input until it ends."""
    requests, replies = take_over_streams()
    write_frame(replies, b"")
    engine: Engine | None = None
    with suppress(EOFError):
        while True:
            asked: dict[str, Any] = json.loads(read_frame(requests))
            limit_resources(_MEMORY_BYTES, asked["seconds"])
            try:
                engine = engine or Engine()
                reply = _SERVED[asked["op"]](engine, asked)
            except RequestError as error:
                reply = {"error": str(error)}
            except ValidationError as error:
                reply = {"error": one_line("; ".join(f"{one['loc']}: {one['msg']}" for one in error.errors()), 300)}
            except MemoryError:
                reply = {"error": "the table takes too much memory"}
            except Exception as error:  # noqa: BLE001 - the engine raises anything over a strange table
                reply = {"error": one_line(f"the table cannot be worked with: {error}", 200)}
            write_frame(replies, json.dumps(reply).encode("ascii"))


def _load(engine: Engine, asked: dict[str, Any]) -> dict[str, Any]:
    return {"tables": engine.load(asked["key"], asked["kind"], asked["source"], asked["passages"])}


def _drop(engine: Engine, asked: dict[str, Any]) -> dict[str, Any]:
    engine.drop(asked["key"])
    return {}


def _query(engine: Engine, asked: dict[str, Any]) -> dict[str, Any]:
    return {"result": engine.run(TableRequest.model_validate(asked["request"]), asked["keys"])}


_SERVED: Final[dict[str, Callable[[Engine, dict[str, Any]], dict[str, Any]]]] = {
    "load": _load,
    "drop": _drop,
    "query": _query,
}
