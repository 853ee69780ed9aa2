"""Standing questions in the server: a background task that asks those of this machine's user when they are due.

They are asked as the command would ask them, with the operator's settings and documents. Cron, the command and further
servers on the same store may ask too: whoever holds the lock of a question runs it, and nobody runs it twice.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.server.access.users import require_operator
from weiwo.app.server.engine import Engine, engine_of
from weiwo.app.server.errors import RequestError, not_found
from weiwo.app.server.wire import read_json, reply
from weiwo.app.session.session import Session
from weiwo.app.session.watch_runs import run_due_watches, watch_as_json
from weiwo.graph import build_graph
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.nodes.memory.watches import WatchRun, describe_change, list_watches, pause_watch
from weiwo.tools.printable import one_line
from weiwo.tools.redaction import redacted

FIRST_SECONDS: Final = 5.0
"""Until the server first looks: it has begun to answer by then."""
PERIOD: Final = 60.0
"""Seconds between two looks; no standing question is asked more often."""

_log: Final = logging.getLogger(__name__)


@asynccontextmanager
async def asking_due_watches(engine: Engine, graph_options: Mapping[str, Any]) -> AsyncIterator[None]:
    """Ask what is due while the server runs; what is under way when it stops is finished at the next start."""
    _log.setLevel(logging.INFO)  # what changed is what somebody asked to be told
    task = asyncio.create_task(watch_forever(engine, graph_options))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def watch_forever(
    engine: Engine, graph_options: Mapping[str, Any], pause: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> None:
    """Look for what is due, again and again.

    Args:
        engine: What is open.
        graph_options: More for `build_graph`, such as models.
        pause: Waits for some seconds.
    """
    await pause(FIRST_SECONDS)
    session: Session | None = None
    while True:
        try:
            session = session or _open_session(engine, graph_options)
            for run in await run_due_watches(session):
                _tell(run)
        except Exception as error:  # noqa: BLE001 - a look that fails, whatever it was, must not end the later ones
            _log.warning("standing questions: %s", one_line(redacted(f"{type(error).__name__}: {error}"), 300))
        await pause(PERIOD)


def _open_session(engine: Engine, graph_options: Mapping[str, Any]) -> Session:
    """The databases with a graph that is not the clients': standing questions are the user's own."""
    graph = build_graph(engine.threads.saver, engine.graph.store, **graph_options)
    return Session(engine.settings, engine.threads.saver, graph, engine.graph.store)


def _tell(run: WatchRun) -> None:
    """Tell in the log what changed and what could not be looked up."""
    for change in run.changes:
        _log.info("%s (thread %s)", one_line(describe_change(change), 1_500), run.watch.thread_id)
    if run.problem:
        _log.warning("%s: %s", one_line(run.watch.question, 300), one_line(redacted(run.problem), 500))


async def watches(request: Request) -> Response:
    """The standing questions of this machine's user: what is known, and what changed last."""
    memory = _memory(request)
    kept = await list_watches(memory) if memory is not None else ()
    return reply({"watches": [watch_as_json(one) for one in kept]})


async def set_paused(request: Request) -> Response:
    """Ask a standing question no more for now, or again."""
    memory, key = _memory(request), request.path_params["key"]
    paused = (await read_json(request)).get("paused")
    if not isinstance(paused, bool):
        raise RequestError(422, "paused; it is neither true nor false; give one of them")
    kept = await pause_watch(memory, key, paused=paused) if memory is not None else None
    if kept is None:
        raise not_found("standing question", key)
    return reply(watch_as_json(kept))


async def remove(request: Request) -> Response:
    """Remove a standing question; what its runs left on their threads stays."""
    memory, key = _memory(request), request.path_params["key"]
    if memory is None or await memory.get("watches", key) is None:
        raise not_found("standing question", key)
    if not await memory.delete("watches", key):
        raise RequestError(500, "the store cannot be written; see weiwo doctor", "无法写入存储；见 weiwo doctor")
    return reply({"removed": key})


def _memory(request: Request) -> MemoryStore | None:
    """The memory of this machine's user, for the operator; None where no store can be used.

    Raises:
        RequestError: It is another user who asks.
    """
    require_operator(request)
    return engine_of(request).memory(OPERATOR)
