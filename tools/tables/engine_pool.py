"""Pool of table engines: a few processes with a request queue per user.

Users are served in turn. A user's slow requests delay only the same user's next requests: a user has one request
running at a time, and processes go round the waiting users. Threads of the pool wait for the processes, so that no
thread needed elsewhere is held. A request that takes too long is interrupted in the engine. A process is ended only if
it does not answer.
"""

import atexit
import json
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final

from weiwo.state.errors import WeiwoError
from weiwo.tools.tables.request import TableRequestError
from weiwo.tools.worker_process import WorkerProcess

_COMMAND: Final = "from weiwo.tools.tables.engine import main; main()"
_PROCESSES: Final = 2
_QUERY_SECONDS: Final = 10.0
_GRACE_SECONDS: Final = 5.0
"""Extra time beyond a request's limit, in which an engine loads tables and reports that it was interrupted."""
_MOST_HELD: Final = 500_000_000
"""Limit of the tables that a process keeps between requests, in bytes."""
_MOST_WAITING: Final = 50
"""Requests of one user that may wait."""


class EngineError(WeiwoError):
    """Error raised if an engine fails through no fault of the request.

    The message is one line.
    """


@dataclass(frozen=True)
class EngineRequest:
    """Request for an engine, and access to its tables.

    Attributes:
        message: JSON message for the engine: the request, and its tables by their keys.
        tables: For each key, a function that reads the table's Parquet file, and the size in bytes.
    """

    message: Mapping[str, Any]
    tables: Mapping[str, tuple[Callable[[], bytes], int]]


class _EngineProcess:
    """Engine process, with the keys and sizes of the tables that the process holds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._process: WorkerProcess | None = None
        self._held: OrderedDict[str, int] = OrderedDict()

    def run(self, request: EngineRequest) -> dict[str, Any]:
        """Run a request, sending tables that the process lacks along with it.

        Raises:
            TableRequestError: The request does not fit its tables, takes too long or needs too much memory.
            EngineError: The engine failed.
        """
        if self._process is None or not self._process.alive:
            self.close()
            self._process = WorkerProcess(_COMMAND)
        sent = {key: read() for key, (read, _) in request.tables.items() if key not in self._held}
        for key in request.tables:
            self._held[key] = request.tables[key][1]
            self._held.move_to_end(key)
        dropped = self._make_room(request.tables)
        message = {**request.message, "sent": list(sent), "dropped": dropped, "seconds": self._seconds}
        frames = [json.dumps(message).encode("ascii"), *sent.values()]
        try:
            reply = json.loads(self._process.exchange(frames, self._seconds + _GRACE_SECONDS))
        except (OSError, EOFError, ValueError):
            late = self._process.late
            self.close()
            why = "timed out" if late else "crashed, or exceeded its memory limit"
            raise EngineError(f"the table engine {why}; query fewer rows") from None
        if "failed" in reply:
            raise EngineError(reply["error"])
        if "error" in reply:
            raise TableRequestError(reply["error"])
        result: dict[str, Any] = reply["result"]
        return result

    def _make_room(self, needed: Mapping[str, Any]) -> list[str]:
        """Drop the least recently used tables until all are within `_MOST_HELD`.

        Tables needed by the request are kept. Returns the keys of the dropped tables, for the engine to drop as well.
        """
        dropped = []
        for key in list(self._held):
            if sum(self._held.values()) <= _MOST_HELD:
                break
            if key not in needed:
                del self._held[key]
                dropped.append(key)
        return dropped

    def close(self) -> None:
        """End the process. The next request starts a new process."""
        process, self._process = self._process, None
        self._held.clear()
        if process is not None:
            process.kill()


_Waiting = tuple[EngineRequest, "Future[dict[str, Any]]"]


@dataclass
class _Queues:
    """Waiting requests by user, and the users with a running request."""

    waiting: OrderedDict[str, deque[_Waiting]] = field(default_factory=OrderedDict)
    running: set[str] = field(default_factory=set)


class EnginePool:
    """Pool for the requests of several users, with a few requests running at a time."""

    def __init__(self, processes: int = _PROCESSES, seconds: float = _QUERY_SECONDS) -> None:
        self._processes, self._seconds = processes, seconds
        self._queues = _Queues()
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._engines: list[_EngineProcess] = []
        self._closed = False

    def submit(self, user: str, request: EngineRequest) -> "Future[dict[str, Any]]":
        """Queue a request of a user. The future has the result, or the errors of `_EngineProcess.run`.

        Raises:
            TableRequestError: The user has too many requests waiting.
        """
        future: Future[dict[str, Any]] = Future()
        with self._changed:
            queue = self._queues.waiting.setdefault(user, deque())
            if len(queue) >= _MOST_WAITING:
                raise TableRequestError(f"{_MOST_WAITING} table queries are already waiting; try again in a moment")
            queue.append((request, future))
            wanted = sum(map(len, self._queues.waiting.values())) + len(self._queues.running)
            while len(self._threads) < min(self._processes, wanted):
                engine = _EngineProcess(self._seconds)
                thread = threading.Thread(target=self._serve, args=(engine,), name="table-engine", daemon=True)
                self._engines.append(engine)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()
        return future

    def close(self) -> None:
        """Stop the processes and cancel waiting requests."""
        with self._changed:
            self._closed = True
            for queue in self._queues.waiting.values():
                for _, future in queue:
                    future.cancel()
            self._queues.waiting.clear()
            engines = list(self._engines)
            self._changed.notify_all()
        for engine in engines:
            engine.close()

    def _serve(self, engine: _EngineProcess) -> None:
        while (taken := self._take()) is not None:
            user, request, future = taken
            try:
                if future.set_running_or_notify_cancel():
                    future.set_result(engine.run(request))
            except BaseException as error:  # noqa: BLE001 - it is raised where the request was made
                future.set_exception(error)
            finally:
                with self._changed:
                    self._queues.running.discard(user)
                    self._changed.notify_all()

    def _take(self) -> "tuple[str, EngineRequest, Future[dict[str, Any]]] | None":
        """Wait for the next request of the user served longest ago.

        Users with a running request are passed over. Returns None when the pool is closed.
        """
        with self._changed:
            while not self._closed:
                for user, queue in self._queues.waiting.items():
                    if queue and user not in self._queues.running:
                        request, future = queue.popleft()
                        self._queues.running.add(user)
                        self._queues.waiting.move_to_end(user)
                        if not queue:
                            del self._queues.waiting[user]
                        return user, request, future
                self._changed.wait()
        return None


_pool: "Sequence[EnginePool]" = ()
_guard: Final = threading.Lock()


def open_pool() -> EnginePool:
    """Return the pool of this Python process, started on first use."""
    global _pool  # noqa: PLW0603 - one of a process
    with _guard:
        if not _pool:
            _pool = (EnginePool(),)
        return _pool[0]


def close_pool() -> None:
    """Stop the processes of the pool. The next request starts new processes."""
    global _pool
    with _guard:
        closed, _pool = _pool, ()
    for pool in closed:
        pool.close()


atexit.register(close_pool)
