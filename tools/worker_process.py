"""Worker processes: parsing of foreign documents and pages outside the process of the run.

Workers have limits of memory and time, and know no API key. Requests and replies are frames: four bytes with the
length, then the content. Nothing is pickled, so a hostile document cannot run code in the parent. A worker sends an
empty frame when it is ready.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final

_LARGEST_FRAME: Final = 1_000_000_000
_PASSED_ON: Final = frozenset(
    {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH"}
)
"""Environment variables passed to a worker. Keys and passwords are not among them."""
_GRACE_SECONDS: Final = 30
_START_SECONDS: Final = 30.0


def serve_requests(answer: Callable[[BinaryIO, BinaryIO], None]) -> None:
    """Answer requests in a worker until standard input ends.

    Requests and replies use copies of standard input and output. The originals are redirected to the null device, so
    that parsers that read or print do not interfere.

    Args:
        answer: Reads the frames of one request from the first stream, and writes the frames of its reply to the second.
    """
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    write_frame(replies, b"")
    with suppress(EOFError):
        while True:
            answer(requests, replies)


def limit_resources(memory_bytes: int, seconds: float) -> None:
    """Limit the memory and CPU time of this process, if the platform supports limits."""
    try:
        import resource  # noqa: PLC0415 - not on every platform
    except ImportError:
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, resource.getrlimit(resource.RLIMIT_AS)[1]))
        spent = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        # For the case that the parent was killed and cannot end us.
        resource.setrlimit(resource.RLIMIT_CPU, (int(spent + seconds) + _GRACE_SECONDS, hard))


def write_frame(stream: Any, data: bytes) -> None:
    """Write a frame: the length of `data` in four bytes, then `data`."""
    stream.write(len(data).to_bytes(4, "big"))
    stream.write(data)
    stream.flush()


def read_frame(stream: BinaryIO | Any) -> bytes:
    """Return the content of the next frame.

    Raises:
        EOFError: The stream ends before or within the frame.
        ValueError: The frame is too large.
    """
    head = stream.read(4)
    size = int.from_bytes(head, "big")
    if len(head) < 4:
        raise EOFError
    if size > _LARGEST_FRAME:
        raise ValueError(size)
    data: bytes = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


class WorkerProcess:
    """Worker process in a separate session, for a single request at a time.

    The separate session leaves Ctrl-C to the parent. The methods block. `kill` may be called from another thread, and
    ends the blocked calls.

    Args:
        code: Code for this interpreter to run in the worker, with our `sys.path`. The code signals that it is ready by
            an empty frame.
    """

    def __init__(self, code: str) -> None:
        self.late = False  # whether the process was killed because it took too long
        self._code = f"import sys; sys.path[:] = sys.argv[1:]; {code}"
        self._ready = False
        self._ended = False
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    @property
    def alive(self) -> bool:
        """Report whether the process runs or has yet to start."""
        return not self._ended and (self._process is None or self._process.poll() is None)

    def start(self) -> "subprocess.Popen[bytes]":
        """Start the process if not started yet. The process need not be ready.

        Raises:
            EOFError, OSError: The process was ended, or does not start.
        """
        with self._lock:
            if self._ended:
                raise EOFError
            if self._process is None:
                self._process = subprocess.Popen(  # noqa: S603 - ourselves
                    [sys.executable, "-c", self._code, *(path or "." for path in sys.path)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                    env={name: value for name, value in os.environ.items() if name.upper() in _PASSED_ON},
                )
            return self._process

    def wait_ready(self) -> "subprocess.Popen[bytes]":
        """Wait until the process is ready.

        Raises:
            EOFError, ValueError, OSError: The process does not start.
        """
        process = self.start()
        if not self._ready:
            with self._within(_START_SECONDS):
                read_frame(process.stdout)
            self._ready = True
        return process

    def exchange(self, frames: Sequence[bytes], seconds: float) -> bytes:
        """Send frames and wait for the next reply frame.

        Args:
            frames: The request. Empty if the request was already sent and more frames come back.
            seconds: Time for both.

        Raises:
            EOFError, ValueError, OSError: The process died, was ended, or was killed after `seconds`. Then `late` is
                set.
        """
        process = self.wait_ready()
        with self._within(seconds):
            for frame in frames:
                write_frame(process.stdin, frame)
            return read_frame(process.stdout)

    def kill(self) -> None:
        """Kill the process and close the pipes. The worker cannot be used again."""
        with self._lock:
            self._ended, process = True, self._process
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()

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
        if self._process is not None:
            self._process.kill()
