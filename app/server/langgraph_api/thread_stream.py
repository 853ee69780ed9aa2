"""The runs of a thread as one stream: that which is under way, or else the newest, and each that follows."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final

from weiwo.app.server.engine import Engine
from weiwo.app.server.storage.records import UNDER_WAY, Event, RunRecord
from weiwo.app.server.storage.run_log import BEGINNING, HEARTBEAT_SECONDS
from weiwo.app.server.wire import dump

MOST_RUNS: Final = 1_000
"""Runs of a thread that are looked through, the newest."""
_AFTER_ALL: Final = 10**9
"""The number of an end that was never logged, after those of all events."""


async def follow_thread(
    engine: Engine, thread_id: str, run_id: str = "", after: tuple[int, int] = BEGINNING, since: float = 0.0
) -> AsyncIterator[tuple[RunRecord, Event] | None]:
    """The events of a thread's runs, one run after the other, for as long as somebody watches.

    Args:
        engine: The server's.
        thread_id: The thread.
        run_id: The run whose events were seen last; empty: none was.
        after: The place of that event within its run.
        since: The time, in seconds of the epoch, up to which events were seen, where that is all that is known.

    Yields:
        A run and its next event, to its `end`; None now and then while nothing happens.
    """
    begun = await _begun(engine, thread_id)
    todo, seen = begun[_first(begun, run_id, since) :], 0.0
    while not engine.runs.closing:
        for run in todo:
            seen = run.created
            async for event in _to_end(engine, run, after if run.run_id == run_id else BEGINNING):
                yield None if event is None else (run, event)
        coming = engine.log.next_run()
        todo = [run for run in await _begun(engine, thread_id) if run.created > seen]
        if not todo and not engine.runs.closing:
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await coming.wait()
            yield None


async def _begun(engine: Engine, thread_id: str) -> list[RunRecord]:
    """The runs of a thread, oldest first, without one that is recorded but does not have its log yet."""
    newest = await engine.records.runs(thread_id, MOST_RUNS)
    return [run for run in reversed(newest) if run.status not in UNDER_WAY or run.run_id in engine.log.live]


def _first(runs: list[RunRecord], run_id: str, since: float) -> int:
    """Where to begin: at the run seen last, else at the oldest of which something is still to be seen."""
    for n, run in enumerate(runs):
        if run.run_id == run_id or (not run_id and (run.status in UNDER_WAY or 0 < since < run.updated)):
            return n
    return max(0, len(runs) - 1)


async def _to_end(engine: Engine, run: RunRecord, after: tuple[int, int]) -> AsyncIterator[Event | None]:
    """A run's events with its `end`, also where none was logged: its servers were killed, or its events are dropped."""
    ended = False
    async for event in engine.log.follow(run.run_id, (after[0], max(0, after[1] - 1))):  # what was seen may be the end
        ended = ended or (event is not None and event.name == "end")
        if event is None or (event.attempt, event.seq) > after:
            yield event
    now = None if ended else await engine.records.run(run.run_id)
    if now is not None and now.status not in UNDER_WAY and after < (now.attempt, _AFTER_ALL):
        if now.error:
            yield Event(
                now.attempt, _AFTER_ALL - 1, "error", dump({"error": "Error", "message": now.error}), now.updated
            )
        yield Event(now.attempt, _AFTER_ALL, "end", dump({"run_id": run.run_id, "status": now.status}), now.updated)
