"""A worker process as its parent sees it: started upon need, ended when it is late."""

import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from weiwo.tools.worker_process import read_frame, worker_command, worker_environment, write_frame

_START_SECONDS: Final = 30.0


class WorkerProcess:
    """One worker, in a session of its own, so that Ctrl-C is the parent's to handle. Not for two requests at once.

    Its methods block; `kill` may be called from another thread, and ends them.

    Args:
        code: What it runs, as `worker_command` takes it; it says that it is ready by an empty frame.

    Attributes:
        late: Whether it was ended because it took too long.
    """

    def __init__(self, code: str) -> None:
        self.late = False
        self._code = code
        self._ready = False
        self._ended = False
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    @property
    def alive(self) -> bool:
        """Whether the process runs, or is still to be started."""
        return not self._ended and (self._process is None or self._process.poll() is None)

    def start(self) -> "subprocess.Popen[bytes]":
        """Start the process, if that was not done yet; it need not be ready.

        Raises:
            EOFError, OSError: It was ended, or does not start.
        """
        with self._lock:
            if self._ended:
                raise EOFError
            if self._process is None:
                self._process = subprocess.Popen(  # noqa: S603 - ourselves
                    worker_command(self._code),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                    env=worker_environment(),
                )
            return self._process

    def wait_ready(self) -> "subprocess.Popen[bytes]":
        """Wait until it has started.

        Raises:
            EOFError, ValueError, OSError: It does not start.
        """
        process = self.start()
        if not self._ready:
            with self._within(_START_SECONDS):
                read_frame(process.stdout)
            self._ready = True
        return process

    def exchange(self, frames: Sequence[bytes], seconds: float) -> bytes:
        """Send some frames, and wait for the next one that comes back.

        Args:
            frames: The request; none where it was sent, and more comes back.
            seconds: Time for both.

        Raises:
            EOFError, ValueError, OSError: It died, or was ended.
        """
        process = self.wait_ready()
        with self._within(seconds):
            for frame in frames:
                write_frame(process.stdin, frame)
            return read_frame(process.stdout)

    def kill(self) -> None:
        """End the process, and what is between us."""
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
