"""What is tried on one database: which stories, killed where, and a row of figures for each."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from tests.torture.child import Job, Kill
from tests.torture.harness import Run, boundaries, cut_off, faults, moments, paused, play
from tests.torture.log import Event, events
from tests.torture.server import Server
from tests.torture.story import HIDDEN

NEVER = Kill(1_000_000, "event")
"""A life that is not killed, before one that is."""

"""The tool that never replies, and the one beside it."""

PAUSE = 1.0
"""Seconds for which a process stands still."""


@dataclass
class Row:
    """What one kind of trouble came to."""

    trouble: str  # its name
    kills: int = 0  # processes killed
    resumes: int = 0  # processes that went on where one had died or waited
    effects: int = 0  # tool and model calls
    again: int = 0  # calls made again though they were finished
    repeated: int = 0  # calls made again because they were in flight
    unresumable: int = 0  # threads that came to no result
    faults: list[str] = field(default_factory=list)  # everything that is wrong, each with the trial that shows it
    notes: list[str] = field(default_factory=list)  # what is worth telling and no fault

    def add(self, trial: str, run: Run, whole: Run) -> None:
        """Count one run."""
        self.kills += run.kills
        self.resumes += run.resumes
        self.effects += run.book.effects
        self.again += len(run.book.again)
        self.repeated += run.book.repeated
        self.unresumable += "result" not in run.end
        self.faults += [f"{trial}: {fault}" for fault in faults(run, whole)]


@dataclass(frozen=True)
class Database:
    """Where the threads of some trials are kept."""

    name: str  # for people
    folder: Path  # for logs, results and SQLite files; a trial has its own folder and its own thread
    url: str | None = None  # a Postgres database; without one each trial has a SQLite file
    jobs: int = min(2, os.cpu_count() or 1)  # trials at the same time
    _numbers: Iterator[int] = field(default_factory=count)

    def job(self, **more: Any) -> Job:
        """A run that nobody has played yet."""
        name = f"{self.name}-{next(self._numbers)}"
        return Job(self.folder / name, self.url, name, **more)

    def undisturbed(self, **more: Any) -> tuple[Run, list[Event]]:
        """A run that nothing happens to, and its log."""
        job = self.job(**more)
        run = play(job)
        if "result" not in run.end:
            raise RuntimeError(f"the undisturbed run came to nothing: {run.end}")
        if twice := [key for key, times in run.book.started.items() if times > 1]:
            raise RuntimeError(f"the undisturbed run makes calls twice, so it cannot tell repeated ones: {twice}")
        return run, events(job.log)

    def killed(self, trouble: str, whole: Run, plans: Iterable[Sequence[Kill]], **more: Any) -> Row:
        """Play a story once for each of these series of kills."""
        row = Row(trouble)
        played = self._each(list(plans), lambda kills: play(self.job(**more), kills))
        for kills, run in played:
            row.add(" then ".join(map(str, kills)), run, whole)
        return row

    def stopped(self, whole: Run, at: Iterable[int]) -> Row:
        """Let a process stand still for a second, from each of these events on."""
        row = Row("stopped and continued")
        for event, run in self._each(list(at), lambda event: paused(self.job(), event, PAUSE)):
            row.add(f"stopped at event {event}", run, whole)
        return row

    def restarted(self, server: Server, whole: Run, at: Iterable[int]) -> Row:
        """Break off the database server at each of these events; it has to be this database's own."""
        row = Row("server restarted")
        for event in at:
            run, error = cut_off(self.job(), server, event)
            row.add(f"server restarted at event {event}", run, whole)
            row.notes.append(f"event {event}: {error or 'survived'}")
            if "\n" in error:
                row.faults.append(f"server restarted at event {event}: not one line: {error!r}")
        return row

    def _each(self, of: list[Any], work: Callable[[Any], Run]) -> Iterator[tuple[Any, Run]]:
        with ThreadPoolExecutor(self.jobs) as pool:
            yield from zip(of, pool.map(work, of), strict=True)


def writes(log: Iterable[Event]) -> int:
    """How often the checkpointer was asked to write."""
    return sum(event["event"] == "save" for event in log)


def replan_round(log: Iterable[Event]) -> range:
    """The writes between the model's word that the plan must change and the first call of the new plan."""
    done = [number for number, word in _calls(log) if word.startswith("model ReflectionReply")]
    first = [number for number, word in _calls(log) if word.startswith("tool archive")]
    return range(done[0], first[0] + 1)


def repair_round(log: Iterable[Event]) -> range:
    """The writes from the first word that a task came to nothing to the last call of what took a task's place."""
    calls = _calls(log)
    first = next(number for number, word in calls if word.startswith("tool corpus_search"))
    last = [number for number, word in calls if word.startswith("tool archive")][-1]
    return range(first - 6, last + 8)


def items_round(log: Iterable[Event]) -> range:
    """The writes from the first call for an item to the first for what waits for the join."""
    calls = _calls(log)
    first = next(number for number, word in calls if word == f"tool lookup {HIDDEN}")
    last = next(number for number, word in calls if word.startswith("tool calculator sum"))
    return range(first, last + 2)


def question_round(log: list[Event], *, thorough: bool) -> list[list[Kill]]:
    """The last writes before a person is asked for the first time, and the first after the answer."""
    first = [event for event in log if event["pid"] == log[0]["pid"]]
    last_writes = range(writes(first) - (4 if thorough else 0), writes(first) + 1)
    first_writes = range(1, 12 if thorough else 2)
    return [*boundaries(last_writes), *([NEVER, *kills] for kills in boundaries(first_writes))]


def _calls(log: Iterable[Event]) -> list[tuple[int, str]]:
    """The calls, each with how often the checkpointer had been asked to write before."""
    before, calls = 0, []
    for event in log:
        before += event["event"] == "save"
        if event["event"] == "start":
            calls.append((before, event["key"]))
    return calls


def trials(database: Database, *, thorough: bool, seed: int, server: Server | None = None) -> Iterator[Row]:
    """Everything that is tried, or a part of it that takes some seconds.

    Args:
        database: Where.
        thorough: All of it.
        seed: For the random moments.
        server: The database's own server, if it may be restarted.
    """
    whole, log = database.undisturbed()
    last = len(log)
    some = sorted({*range(1, 10), *range(10, writes(log), 15), writes(log)})  # the first of run and plan, then samples
    first_some = 0 if database.url is None else 3  # what SQLite is not killed at, Postgres is
    plans = boundaries(range(1, writes(log) + 1)) if thorough else boundaries(some)[first_some::6]
    yield database.killed("every step" if thorough else "some steps", whole, plans)
    random = moments(seed, 50 if thorough else 4, last)
    yield database.killed(f"random moments, seed {seed}", whole, random)
    stops = range(20, last, last // 6) if thorough else (last // 2,)
    yield database.stopped(whole, stops)
    if server is not None:
        yield database.restarted(server, whole, range(10, last, last // 12) if thorough else (last // 3,))

    replanned, log = database.undisturbed(story="replan")
    plans = boundaries(replan_round(log))[:: 1 if thorough else 6]
    yield database.killed("replanning", replanned, plans, story="replan")

    repaired, log = database.undisturbed(story="repair")
    plans = boundaries(repair_round(log))[:: 1 if thorough else 120]
    yield database.killed("repairing", repaired, plans, story="repair")

    itemized, log = database.undisturbed(story="items")
    plans = boundaries(items_round(log))[:: 1 if thorough else 120]
    yield database.killed("repairing an item", itemized, plans, story="items")

    asked: dict[str, dict[str, Any]] = {
        "waiting for approval": {"approve": True, "answer": "approve"},
        "waiting inside a repair": {"story": "consent", "answer": "yes"},
    }
    for trouble, how in asked.items():
        approved, log = database.undisturbed(**how)
        yield database.killed(trouble, approved, question_round(log, thorough=thorough), **how)


def durability(database: Database, seed: int, runs: int) -> Row:
    """How much is repeated where LangGraph does not wait for the checkpointer; nothing is asked of it."""
    whole, log = database.undisturbed()
    row = database.killed("durability async", whole, moments(seed, runs, len(log)), durability="async")
    return replace(row, notes=row.faults, faults=[])
