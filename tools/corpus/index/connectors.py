"""Connectors of a corpus: document loaders run at intervals, with the outcome of the last run.

`weiwo index --every` writes the connectors into the folder of the corpus. `weiwo serve` and `weiwo index --due` run the
connectors that are due. Arguments are kept as they were typed, so that a secret is only ever the name of an environment
variable.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from errno import EAGAIN
from pathlib import Path
from typing import Any, Final

from weiwo.tools.file_lock import FileLock
from weiwo.tools.private_files import make_private_file

_FILE: Final = "connectors.json"
_LOCK: Final = "connectors.lock"
_LOCK_SECONDS: Final = 10.0
_POLL_SECONDS: Final = 0.01
_LATE: Final = 2
"""Intervals without a run after which a connector counts as late."""


@dataclass(frozen=True, slots=True)
class Connector:
    """A document loader with an interval for repeated runs.

    Attributes:
        module: The module of its class.
        name: The name of its class.
        arguments: Its keyword arguments. `${NAME}` in a text stands for an environment variable.
        seconds: The interval.
        place: The working directory that paths in the arguments are relative to.
        tried_at: Start of the last run, in seconds since 1970. 0 before the first.
        done_at: End of the last complete run, in seconds since 1970. 0 before the first.
        problem: The reason for a failure of the last run, in one line. Empty after a success.
    """

    module: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    place: str = ""
    tried_at: float = 0.0
    done_at: float = 0.0
    problem: str = ""

    @property
    def label(self) -> str:
        """Return the loader as written by the user: MODULE:NAME."""
        return f"{self.module}:{self.name}"

    @property
    def due(self) -> bool:
        """Report whether the next run is due."""
        return time.time() >= self.tried_at + self.seconds

    @property
    def late(self) -> bool:
        """Report whether no run has started for two intervals. Then no process seems to run the connector."""
        return time.time() >= self.tried_at + _LATE * self.seconds

    def is_same(self, other: "Connector") -> bool:
        """Report whether another connector has the same loader and arguments. Interval and runs may differ."""
        mine, others = (
            (item.module, item.name, json.dumps(item.arguments, sort_keys=True, default=str)) for item in (self, other)
        )
        return mine == others


def read_connectors(folder: Path) -> tuple[Connector, ...]:
    """Read the connectors of a corpus folder. Empty if the file cannot be read."""
    try:
        rows = json.loads((folder / _FILE).read_text(encoding="ascii"))
        return tuple(Connector(**row) for row in rows)
    except (OSError, ValueError, TypeError):
        return ()


def note_connector(folder: Path, connector: Connector) -> None:
    """Save a connector, replacing the connector with the same loader and arguments.

    Raises:
        OSError: The folder cannot be written.
    """
    with _lock_connectors(folder):
        others = [item for item in read_connectors(folder) if not item.is_same(connector)]
        _write(folder, [*others, connector])


def forget_connector(folder: Path, connector: Connector) -> bool:
    """Remove a connector. The connector's documents stay.

    Returns:
        Whether the connector existed.

    Raises:
        OSError: The folder cannot be written.
    """
    if not (folder / _FILE).exists():
        return False
    with _lock_connectors(folder):
        known = read_connectors(folder)
        left = [item for item in known if not item.is_same(connector)]
        if len(left) < len(known):
            _write(folder, left)
    return len(left) < len(known)


def begin_run(folder: Path, connector: Connector, started: float) -> bool:
    """Claim a due run by recording its start, so that only one of several processes makes it.

    Args:
        folder: The corpus folder.
        connector: The connector as read when it was due.
        started: Start of the run, in seconds since 1970.

    Returns:
        True if the caller must make the run. False if another process has begun it, or the connector was removed.

    Raises:
        OSError: The folder cannot be written.
    """
    return _change(folder, connector, lambda kept: kept.due, tried_at=started)


def note_run(folder: Path, connector: Connector, started: float, problem: str = "") -> None:
    """Record the end of a connector's run. A connector that was removed meanwhile is ignored.

    Args:
        folder: The corpus folder.
        connector: The connector, by loader and arguments.
        started: Start of the run, in seconds since 1970.
        problem: The reason for a failure. Empty after a success.

    Raises:
        OSError: The folder cannot be written.
    """
    done: dict[str, Any] = {} if problem else {"done_at": time.time()}
    _change(folder, connector, tried_at=started, problem=problem, **done)


def put_off_run(folder: Path, connector: Connector, started: float) -> None:
    """Undo `begin_run` for a run that could not be made, so that the run is due again.

    Raises:
        OSError: The folder cannot be written.
    """
    _change(folder, connector, lambda kept: kept.tried_at == started, tried_at=connector.tried_at)


def _change(
    folder: Path, connector: Connector, condition: Callable[[Connector], bool] = lambda _: True, **fields: Any
) -> bool:
    """Change fields of a saved connector if the condition holds for it, and report whether it was changed."""
    with _lock_connectors(folder):
        known = read_connectors(folder)
        kept = next((item for item in known if item.is_same(connector)), None)
        if kept is None or not condition(kept):
            return False
        _write(folder, [*(item for item in known if item is not kept), replace(kept, **fields)])
        return True


@contextmanager
def _lock_connectors(folder: Path) -> Iterator[None]:
    """Context manager for reading and writing the connectors in a single process at a time.

    Raises:
        OSError: The folder cannot be written, or another process kept the lock.
    """
    until = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            lock = FileLock(folder / _LOCK)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise BlockingIOError(EAGAIN, "another process keeps the connectors busy", str(folder)) from None
            time.sleep(_POLL_SECONDS)
        else:
            break
    try:
        yield
    finally:
        lock.remove()


def _write(folder: Path, connectors: list[Connector]) -> None:
    beside = folder / f"{_FILE}.{os.getpid()}"
    make_private_file(beside)
    beside.write_text(json.dumps([asdict(connector) for connector in connectors]), encoding="ascii")
    beside.replace(folder / _FILE)
