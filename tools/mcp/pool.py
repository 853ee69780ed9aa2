"""MCP connections of this process, on a dedicated event loop and thread.

Nodes of the graph may run on a separate loop per `graph.invoke`, which ends with that call, and a session works only on
the loop where it was opened. Connections therefore live on a loop that keeps running, and callers on any loop wait for
the results.
"""

import asyncio
import atexit
import logging
import threading
import warnings
from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

from weiwo.tools.mcp.connection import Connection
from weiwo.tools.mcp.problems import describe_problem
from weiwo.tools.mcp.servers import McpServer

_log: Final = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_SECONDS: Final = 20.0
"""Seconds that a run waits for servers that have not been tried yet. They continue to connect in the background."""
_EXIT_SECONDS: Final = 4.0


class McpPool:
    """Pool of MCP connections, keyed by the identity of the server's configuration."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._held: dict[str, tuple[Connection, Future[None]]] = {}

    async def connections(self, servers: Sequence[McpServer], seconds: float | None = None) -> list[Connection]:
        """Return the connections to the given servers, starting those that are missing.

        Waits up to `seconds` (20 by default) until each server that is new has been tried once. A returned connection
        may still be starting or be down, as `Connection.health` says.
        """
        return await self.submit(self._connections(servers, FIRST_SECONDS if seconds is None else seconds))

    async def submit(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the pool's loop. Cancelling the caller cancels the coroutine."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._running_loop()))

    def close(self) -> None:
        """Close all connections and end the server processes."""
        with self._lock:
            loop, self._loop = self._loop, None
            held, self._held = list(self._held.values()), {}
        if loop is None:
            return
        for connection, _ in held:
            asyncio.run_coroutine_threadsafe(connection.stop(), loop)
        for _, owner in held:
            with suppress(Exception):
                owner.result(_EXIT_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        if self._thread is not None:
            self._thread.join(_EXIT_SECONDS)

    async def _connections(self, servers: Sequence[McpServer], seconds: float) -> list[Connection]:
        loop = asyncio.get_running_loop()
        found: list[Connection] = []
        with self._lock:
            for server in servers:
                if server.identity not in self._held:
                    connection = Connection(server)
                    owner = asyncio.run_coroutine_threadsafe(connection.run(), loop)
                    self._held[server.identity] = connection, owner
                    owner.add_done_callback(partial(self._drop_failed, connection))
                found.append(self._held[server.identity][0])
        fresh = [connection for connection in found if not connection.settled.is_set()]
        if fresh:
            waits = [asyncio.create_task(connection.settled.wait()) for connection in fresh]
            await asyncio.wait(waits, timeout=seconds)
            for wait in waits:
                wait.cancel()
        for connection in found:
            connection.refresh()
        return found

    def _drop_failed(self, connection: Connection, owner: Future[None]) -> None:
        """Log the failure of a connection's task, and drop the connection, so that the next run opens another."""
        error = None if owner.cancelled() else owner.exception()
        if error is None:
            return
        # An error may quote the keys of a configuration: the log gets the type alone.
        name = type(error).__name__
        _log.error("the connection to MCP server %s has ended: %s", connection.server.name, name)
        with self._lock:
            if self._held.get(connection.server.identity) == (connection, owner):
                del self._held[connection.server.identity]
        connection.health, connection.why = "down", describe_problem("said", name)
        connection.settled.set()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                for name in ("fastmcp", "mcp", "httpx2", "httpcore2"):  # what they report we tell in a line
                    logging.getLogger(name).setLevel(logging.CRITICAL + 1)
                # A server that floods us leaves coroutines that are never awaited. Python would warn of each at exit.
                warnings.filterwarnings("ignore", "coroutine 'JSONRPCDispatcher", RuntimeWarning)
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_serve, args=(self._loop,), name="weiwo-mcp", daemon=True)
                self._thread.start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.set_exception_handler(lambda *_: None)  # what a broken session leaves behind is no news to anybody
    try:
        loop.run_forever()
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        with suppress(Exception):
            loop.run_until_complete(asyncio.wait_for(asyncio.gather(*left, return_exceptions=True), _EXIT_SECONDS))
            loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


mcp_pool: Final = McpPool()
atexit.register(mcp_pool.close)
