"""Parser processes for web pages.

A parser that is stuck in a regular expression holds Python's interpreter lock, and with it every deadline, every other
task and every signal of the process. Foreign markup is therefore parsed in worker processes, which are killed at the
time limit, have a memory limit and know no API key. Workers are kept, since the parser takes a second to import.
"""

import asyncio
import atexit
import json
import os
import threading
from dataclasses import asdict
from typing import Any, BinaryIO, Final

from weiwo.text.printable import one_line
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.web.fetching.fetch import FetchedPage
from weiwo.tools.web.fetching.page_cache import WebPage
from weiwo.tools.web.fetching.page_parser import import_parser, parse_page
from weiwo.tools.worker_process import WorkerProcess, limit_resources, read_frame, serve_requests, write_frame

_SECONDS: Final = 15.0
"""Time limit for a page. A PDF is read for up to 10 seconds."""
_MEMORY_BYTES: Final = 2_000_000_000
_MOST_WORKERS: Final = max(2, min(4, os.cpu_count() or 2))
_COMMAND: Final = "from weiwo.tools.web.fetching.parser_process import main; main()"
_LOOK_SECONDS: Final = 0.05
"""Polling interval while waiting for a free worker, since all event loops share the workers."""


def main() -> None:
    """Parse pages requested on standard input until its end, and reply on standard output. Runs in a worker."""
    import_parser()
    serve_requests(_answer)


def _answer(requests: BinaryIO, replies: BinaryIO) -> None:
    head, body = json.loads(read_frame(requests)), read_frame(requests)
    limit_resources(_MEMORY_BYTES, _SECONDS)
    fetched = FetchedPage(body=body, **head)
    reply: dict[str, Any]
    try:
        reply = {"page": asdict(parse_page(fetched))}
    except ToolCallError as failure:
        reply = {"kind": failure.kind, "message": failure.message, "transient": failure.transient}
    except Exception as error:  # noqa: BLE001 - whatever a page makes a parser raise
        said = f"{one_line(fetched.url, 200)}: the page cannot be read: {type(error).__name__}"
        reply = {"kind": "bad_arguments", "message": said, "transient": False}
    write_frame(replies, json.dumps(reply).encode("ascii"))


class _PageParsers:
    """Thread-safe pool of parser processes, started on demand and kept."""

    def __init__(self, seconds: float = _SECONDS, command: str = _COMMAND) -> None:
        self._seconds = seconds
        self._command = command
        self._turns = threading.BoundedSemaphore(_MOST_WORKERS)
        self._lock = threading.Lock()
        self._idle: list[WorkerProcess] = []
        self._count = 0

    async def parse(self, fetched: FetchedPage) -> WebPage:
        """Parse a page in a worker, as `parse_page` does. Cancelling stops the worker.

        Raises:
            ToolCallError: As in `parse_page`. Also `bad_arguments` if the parser was late or died.
        """
        while not self._turns.acquire(blocking=False):  # noqa: ASYNC110 - its turns are those of all event loops
            await asyncio.sleep(_LOOK_SECONDS)
        try:
            reply = await self._exchange(self._take(), fetched)
        finally:
            self._turns.release()
        if "page" in reply:
            return WebPage(**reply["page"])
        raise ToolCallError(reply["kind"], reply["message"], transient=reply["transient"])

    def warm(self) -> None:
        """Start a worker if no worker is idle and the limit allows a new worker."""
        if self._idle or self._count >= _MOST_WORKERS:
            return
        worker = self._make()
        try:
            worker.start()
        except OSError:
            self._end(worker)
        else:
            self._keep(worker)

    def close(self) -> None:
        """End the idle workers."""
        with self._lock:
            workers, self._idle = self._idle, []
        for worker in workers:
            self._end(worker)

    async def _exchange(self, worker: WorkerProcess, fetched: FetchedPage) -> dict[str, Any]:
        """Parse a page in a worker and return the reply of `_answer`.

        The worker returns to the pool, or is killed if it is late, crashes or the task is cancelled.

        Raises:
            ToolCallError: `bad_arguments`, if the worker was late or crashed.
        """
        head = {"url": fetched.url, "type": fetched.type, "charset": fetched.charset}

        def exchange() -> dict[str, Any]:
            frames = [json.dumps(head).encode("ascii"), fetched.body]
            reply: dict[str, Any] = json.loads(worker.exchange(frames, self._seconds))
            return reply

        try:
            reply = await asyncio.to_thread(exchange)
        except (OSError, EOFError, ValueError, RecursionError):
            await asyncio.to_thread(self._end, worker)
            why = f"not parsed within {self._seconds:g} s" if worker.late else "its parser crashed"
            said = f"{one_line(fetched.url, 200)}: the page cannot be read: {why}"
            raise ToolCallError("bad_arguments", said) from None
        except asyncio.CancelledError:
            asyncio.get_running_loop().run_in_executor(None, self._end, worker)
            raise
        self._keep(worker)
        return reply

    def _take(self) -> WorkerProcess:
        while True:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            if worker is None:
                return self._make()
            if worker.alive:
                return worker
            self._end(worker)

    def _keep(self, worker: WorkerProcess) -> None:
        with self._lock:
            self._idle.append(worker)

    def _make(self) -> WorkerProcess:
        worker = WorkerProcess(self._command)
        with self._lock:
            self._count += 1
        return worker

    def _end(self, worker: WorkerProcess) -> None:
        worker.kill()
        with self._lock:
            self._count -= 1


page_parsers: Final = _PageParsers()
"""Pool of parser workers of this Python process."""
atexit.register(page_parsers.close)
