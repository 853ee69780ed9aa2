"""The append-only log of runs' events: written to SQLite in groups, followed by any number of watchers.

The events of a running run are in memory, up to a limit, and each watcher reads them from its own position, so a slow
watcher delays nobody. Events of ended runs, and of attempts of a killed server, are read from the database. Watchers
receive an event before it is on disk. Ids include the attempt, so an id lost with its process is never given twice.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from weiwo.app.records import Event, Records
from weiwo.graph.persistence.storage import StorageError

MOST_BYTES: Final = 32_000_000
"""Bytes of events of one attempt. Beyond this limit, only `error` and `end` are kept."""
HEARTBEAT_SECONDS: Final = 5.0
_GROUP_SECONDS: Final = 0.02
"""Seconds in which events are gathered, for watchers and for the disk."""
_FINAL: Final = frozenset({"error", "end"})
BEGINNING: Final = (0, 0)
"""Position before every event. A position is an attempt and the number of an event within it."""
_log: Final = logging.getLogger(__name__)


@dataclass(eq=False)
class LiveRun:
    """A current run of this process."""

    run_id: str
    attempt: int = 1  # which attempt this is
    events: list[Event] = field(default_factory=list)  # its events so far, in this attempt
    ended: bool = False  # whether there will be no more
    _size: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _waking: asyncio.TimerHandle | None = None

    def add(self, name: str, data: bytes) -> Event | None:
        """Append an event. Beyond the size limit, only `error` and `end` are added, and None is returned for others."""
        self._size += len(data)
        if self._size > MOST_BYTES and name not in _FINAL:
            return None
        event = Event(self.attempt, len(self.events) + 1, name, data, time.time())
        self.events.append(event)
        if self._waking is None:
            self._waking = asyncio.get_running_loop().call_later(_GROUP_SECONDS, self.wake)
        return event

    def end(self) -> None:
        """Mark the run as ended and wake the watchers."""
        self.ended = True
        self.wake()

    def wake(self) -> None:
        """Wake all who wait."""
        if self._waking is not None:
            self._waking.cancel()
            self._waking = None
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait_for_change(self, seconds: float) -> bool:
        """Wait for new events or the end of the run. Returns False if the seconds pass without either."""
        try:
            await asyncio.wait_for(self._changed.wait(), seconds)
        except TimeoutError:
            return False
        return True


class RunLog:
    """The log of all runs.

    Attributes:
        live: The runs under way, by id.
    """

    def __init__(self, records: Records) -> None:
        self.live: dict[str, LiveRun] = {}
        self._records = records
        self.begun = asyncio.Event()  # set when the next run begins, or the server stops
        self._unwritten: list[tuple[str, Event]] = []
        self._writing: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()

    def begin(self, run_id: str, attempt: int) -> LiveRun:
        """Open the log of a starting run."""
        live = self.live[run_id] = LiveRun(run_id, attempt)
        self.wake()
        return live

    def wake(self) -> None:
        """Wake the clients waiting for a run."""
        self.begun.set()
        self.begun = asyncio.Event()

    def add(self, run: LiveRun, name: str, data: bytes) -> None:
        """Append an event of a run. Watchers receive the event at once, the disk soon after."""
        event = run.add(name, data)
        if event is None:
            return
        self._unwritten.append((run.run_id, event))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())

    async def flush(self) -> None:
        """Wait until all added events are on disk."""
        self._hurry.set()
        while self._writing is not None and not self._writing.done():
            await asyncio.wait([self._writing])

    async def follow(self, run_id: str, after: tuple[int, int] = BEGINNING) -> AsyncIterator[Event | None]:
        """Yield the events of a run after a position until the end, and None now and then while nothing happens."""
        async for group in self.follow_groups(run_id, after):
            for event in group:
                yield event
            if not group:
                yield None

    async def follow_groups(self, run_id: str, after: tuple[int, int] = BEGINNING) -> AsyncIterator[list[Event]]:
        """Yield the events of a run after a position until the end, in groups.

        A group has the events that are available at the same time. An empty group is yielded now and then while nothing
        happens.
        """
        live = self.live.get(run_id)
        while found := await self._records.events(run_id, after):
            earlier = [event for event in found if live is None or event.attempt < live.attempt]
            if earlier:
                yield earlier
                after = (earlier[-1].attempt, earlier[-1].seq)
            if len(earlier) < len(found):
                break
        if live is None:
            return
        position = after[1] if after[0] == live.attempt else 0
        while True:
            while group := live.events[position:]:
                yield group
                position += len(group)
            if live.ended:
                return
            if not await live.wait_for_change(HEARTBEAT_SECONDS):
                yield []

    async def _write(self) -> None:
        while self._unwritten:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), _GROUP_SECONDS)
            self._hurry.clear()
            some, self._unwritten = self._unwritten, []
            try:
                await self._records.append(some)
            except StorageError as error:  # those who watch now have them; the answer is in its thread
                _log.warning("events cannot be saved: %s", error)


def parse_event_id(text: str) -> tuple[int, int]:
    """Parse a `Last-Event-ID` to a position: "2-15" gives `(2, 15)`. An invalid id gives `BEGINNING`."""
    attempt, _, seq = text.strip().partition("-")
    if attempt.isascii() and attempt.isdecimal() and seq.isascii() and seq.isdecimal() and len(text) <= 24:
        return int(attempt), int(seq)
    return BEGINNING
