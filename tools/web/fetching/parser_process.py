"""Parser processes of web pages: foreign markup is parsed apart from the run, and ended when it is late.

A parser that is stuck in one regular expression holds the interpreter, and with it every deadline, every other task and
every signal of its process. Here it holds a process of its own, which is killed at the time limit, takes no more memory
than it may, and knows no key. Workers are kept warm, since the parser takes a second to import. What they send is
JSON; what comes from a hostile page is never unpickled.
"""

import asyncio
import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Any, BinaryIO, Final

from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.corpus.ingestion.worker import limit_resources
from weiwo.tools.corpus.ingestion.worker_pool import worker_environment
from weiwo.tools.printable import one_line
from weiwo.tools.web.fetching.fetch import FetchedPage
from weiwo.tools.web.fetching.page import WebPage
from weiwo.tools.web.fetching.page_parser import import_parser, parse_page

SECONDS: Final = 15.0
"""How long one page may take; a PDF is read for 10 of them."""
START_SECONDS: Final = 30.0
MEMORY_BYTES: Final = 2_000_000_000
MOST_WORKERS: Final = max(2, min(4, os.cpu_count() or 2))
LARGEST_FRAME: Final = 100_000_000

_COMMAND: Final = (
    "import sys; sys.path[:] = sys.argv[1:]; from weiwo.tools.web.fetching.parser_process import main; main()"
)
_READY: Final = b"R"


def main() -> None:
    """Parse pages from standard input until it ends: in a worker."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # what a parser prints is nobody's reply
        os.dup2(silence, stream)
    import_parser()
    replies.write(_READY)
    replies.flush()
    with suppress(EOFError):
        while True:
            head, body = json.loads(_read_frame(requests)), _read_frame(requests)
            limit_resources(MEMORY_BYTES, SECONDS)
            _write_frame(replies, json.dumps(_parse(FetchedPage(body=body, **head))).encode("ascii"))


def _parse(fetched: FetchedPage) -> dict[str, Any]:
    try:
        return {"page": asdict(parse_page(fetched))}
    except ToolCallError as failure:
        return {"kind": failure.kind, "message": failure.message, "transient": failure.transient}
    except Exception as error:  # noqa: BLE001 - whatever a page makes a parser raise
        said = f"{one_line(fetched.url, 200)}: the page cannot be read: {type(error).__name__}"
        return {"kind": "bad_arguments", "message": said, "transient": False}


class PageParsers:
    """A pool of parser processes, started upon need and kept; safe to use from any thread.

    Args:
        seconds: How long one page may take.
        command: What a worker runs; tests bring their own.
    """

    def __init__(self, seconds: float = SECONDS, command: str = _COMMAND) -> None:
        self._seconds = seconds
        self._command = command
        self._turns = threading.BoundedSemaphore(MOST_WORKERS)
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._count = 0

    async def parse(self, fetched: FetchedPage) -> WebPage:
        """Parse a page, as `parse_page` does, in a worker. Cancelling ends that worker.

        Raises:
            ToolCallError: As `parse_page` does; `bad_arguments` also where the parser was late or died.
        """
        job = _Job()
        try:
            reply = await asyncio.to_thread(self._run, fetched, job)
        except asyncio.CancelledError:
            job.cancel()
            raise
        if "page" in reply:
            return WebPage(**reply["page"])
        raise ToolCallError(reply["kind"], reply["message"], transient=reply["transient"])

    def warm(self) -> None:
        """Start a worker if none is idle and there is room for one."""
        with suppress(OSError):
            if not self._idle and self._count < MOST_WORKERS:
                self._keep(self._start())

    def close(self) -> None:
        """End the idle workers."""
        with self._lock:
            workers, self._idle = self._idle, []
        for worker in workers:
            self._end(worker)

    def _run(self, fetched: FetchedPage, job: "_Job") -> dict[str, Any]:
        """One exchange with a worker, bounded in time. Blocks."""
        while not self._turns.acquire(timeout=0.2):
            job.check()
        try:
            worker = self._take()
            try:
                with job.of(worker):
                    reply = worker.exchange(fetched, self._seconds)
            except (OSError, EOFError, ValueError, RecursionError):
                self._end(worker)
                why = f"not parsed within {self._seconds:g} s" if worker.late else "its parser crashed"
                said = f"{one_line(fetched.url, 200)}: the page cannot be read: {why}"
                raise ToolCallError("bad_arguments", said) from None
            self._keep(worker)
            return reply
        finally:
            self._turns.release()

    def _take(self) -> "_Worker":
        while True:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            if worker is None:
                return self._start()
            if worker.alive:
                return worker
            self._end(worker)

    def _keep(self, worker: "_Worker") -> None:
        with self._lock:
            self._idle.append(worker)

    def _start(self) -> "_Worker":
        worker = _Worker(self._command)
        with self._lock:
            self._count += 1
        return worker

    def _end(self, worker: "_Worker") -> None:
        worker.kill()
        with self._lock:
            self._count -= 1


class _Worker:
    """One parser process, in a session of its own, so that Ctrl-C is the parent's to handle.

    Attributes:
        late: Whether it was killed because it took too long.
    """

    def __init__(self, command: str) -> None:
        self.late = False
        self._ready = False
        self._process = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-c", command, *(path or "." for path in sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=worker_environment(),
        )

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def exchange(self, fetched: FetchedPage, seconds: float) -> dict[str, Any]:
        """Have a page parsed.

        Raises:
            OSError: The worker died or was killed; so do EOFError and ValueError say.
        """
        assert self._process.stdin is not None  # noqa: S101 - we asked for it
        assert self._process.stdout is not None  # noqa: S101 - the same
        if not self._ready:
            with self._within(START_SECONDS):
                if self._process.stdout.read(1) != _READY:
                    raise EOFError
            self._ready = True
        head = {"url": fetched.url, "type": fetched.type, "charset": fetched.charset, "status": fetched.status}
        with self._within(seconds):
            _write_frame(self._process.stdin, json.dumps(head).encode("ascii"))
            _write_frame(self._process.stdin, fetched.body)
            reply: dict[str, Any] = json.loads(_read_frame(self._process.stdout))
        return reply

    def kill(self) -> None:
        """End the process, and what is between us."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def interrupt(self) -> None:
        """End the process; whoever waits for its reply is told so."""
        self._process.kill()

    @contextmanager
    def _within(self, seconds: float) -> Iterator[None]:
        timer = threading.Timer(seconds, self._give_up)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _give_up(self) -> None:
        self.late = True
        self._process.kill()


class _Job:
    """A page that somebody waits for, who may leave."""

    def __init__(self) -> None:
        self._cancelled = False
        self._worker: _Worker | None = None
        self._lock = threading.Lock()

    def cancel(self) -> None:
        """Nobody waits any more."""
        with self._lock:
            self._cancelled = True
            if self._worker is not None:
                self._worker.interrupt()

    def check(self) -> None:
        """Go on while somebody waits.

        Raises:
            EOFError: Nobody does.
        """
        if self._cancelled:
            raise EOFError

    @contextmanager
    def of(self, worker: _Worker) -> Iterator[None]:
        """While this worker is at it."""
        with self._lock:
            self.check()
            self._worker = worker
        try:
            yield
        finally:
            with self._lock:
                self._worker = None


def _write_frame(stream: Any, data: bytes) -> None:
    stream.write(len(data).to_bytes(4, "big"))
    stream.write(data)
    stream.flush()


def _read_frame(stream: BinaryIO | Any) -> bytes:
    """The next frame.

    Raises:
        EOFError: There is none.
        ValueError: It is too large.
    """
    head = stream.read(4)
    size = int.from_bytes(head, "big")
    if len(head) < 4:
        raise EOFError
    if size > LARGEST_FRAME:
        raise ValueError(size)
    data: bytes = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


page_parsers: Final = PageParsers()
"""The workers of this process."""
atexit.register(page_parsers.close)
