"""Worker processes: they parse foreign documents and pages apart from the run, bounded, and know no key.

Requests and replies are JSON in frames of four bytes of length and that many bytes: what comes from a hostile document
is never unpickled. A worker says that it is ready by an empty frame.
"""

import os
import sys
from contextlib import suppress
from typing import Any, BinaryIO, Final

_LARGEST_FRAME: Final = 1_000_000_000
_PASSED_ON: Final = frozenset(
    {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH"}
)
"""What a worker knows of the environment; keys and passwords are none of a parser's business."""
_GRACE_SECONDS: Final = 30


def worker_command(code: str) -> list[str]:
    """How a worker is started: code that takes its arguments for `sys.path`, run by this interpreter."""
    return [sys.executable, "-c", code, *(path or "." for path in sys.path)]


def worker_environment() -> dict[str, str]:
    """What a worker knows of the environment."""
    return {name: value for name, value in os.environ.items() if name.upper() in _PASSED_ON}


def take_over_streams() -> tuple[BinaryIO, BinaryIO]:
    """In a worker: the streams of requests and replies, out of reach of what its parsers read and print."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    return requests, replies


def limit_resources(memory_bytes: int, seconds: float) -> None:
    """Bound what this process may take from now on, where the platform can."""
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
    """Send a frame."""
    stream.write(len(data).to_bytes(4, "big"))
    stream.write(data)
    stream.flush()


def read_frame(stream: BinaryIO | Any) -> bytes:
    """The next frame.

    Raises:
        EOFError: There is none.
        ValueError: It is too large.
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
