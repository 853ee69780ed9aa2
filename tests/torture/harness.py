"""Plays a story in child processes, kills them, and judges what came of it.

Children are forked by a server that has everything imported (`multiprocessing`'s fork server), so that a life costs
milliseconds to begin. They are processes all the same: SIGKILL leaves nothing of one but its database and its log.
"""

import json
import os
import signal
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from multiprocessing.process import BaseProcess
from random import Random
from typing import Any, Literal

from tests.support.command import FORKS
from tests.torture.child import Job, Kill, live
from tests.torture.ledger import Ledger, ledger
from tests.torture.log import events
from tests.torture.server import Server
from tests.torture.story import comparable

LONGEST = 300.0
"""Seconds after which a life that has not ended is taken to be stuck."""

MOST_QUESTIONS = 3
"""How often a run may ask a person."""

_children = threading.Lock()


@dataclass(frozen=True)
class Life:
    """How one process ended."""

    killed: bool  # by SIGKILL
    end: dict[str, Any]  # what it says for itself, if it was not killed


@dataclass(frozen=True)
class Run:
    """How a run ended, over all its lives."""

    kills: int  # processes killed
    resumes: int  # processes that went on where another had died
    book: Ledger  # its effects
    end: dict[str, Any]  # what the last process came to: a `result`, or an `error`


def start(job: Job) -> BaseProcess:
    """Start one life."""
    job.folder.mkdir(parents=True, exist_ok=True)
    job.end.unlink(missing_ok=True)
    process = FORKS.Process(target=live, args=(job,))
    with _children:
        process.start()
    return process


def finish(process: BaseProcess, job: Job) -> Life:
    """Wait for its end."""
    stuck = _code(process, LONGEST) is None
    if stuck:
        process.kill()
    code = _code(process, LONGEST)
    if stuck or code not in (0, -signal.SIGKILL):
        return Life(
            killed=False, end={"error": f"no end after {LONGEST:g} s" if stuck else f"the process ended with {code}"}
        )
    if code == -signal.SIGKILL:
        return Life(killed=True, end={})
    return Life(killed=False, end=json.loads(job.end.read_text()))


def _code(process: BaseProcess, seconds: float) -> int | None:
    """The exit code of a process, once it has one. Asked under a lock: the fork server tells it only once."""
    until = time.monotonic() + seconds
    while True:
        with _children:
            if (code := process.exitcode) is not None or time.monotonic() > until:
                return code
        time.sleep(0.005)


def play(job: Job, kills: Sequence[Kill] = ()) -> Run:
    """Play a story to its end, each life killed at the next of these moments; one that lies beyond its end is none.

    A life that ends because a person is asked goes on in the next, with what `job.answer` says.
    """
    died = lives = 0
    coming = [*kills]
    while True:
        job = replace(job, kill=coming.pop(0) if coming else None)
        life = finish(start(job), job)
        lives += 1
        died += life.killed
        asked = "waiting" in life.end and lives <= len(kills) + MOST_QUESTIONS
        if not (life.killed or asked):
            return Run(died, lives - 1, ledger(events(job.log)), life.end)


def paused(job: Job, event: int, seconds: float) -> Run:
    """Play a story whose process stands still for a while from some event on, as a laptop's does with its lid shut."""
    process = start(job)
    if _reached(job, event, process):
        os.kill(process.pid or 0, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(process.pid or 0, signal.SIGCONT)
    life = finish(process, job)
    return Run(0, 0, ledger(events(job.log)), life.end)


def cut_off(job: Job, server: Server, event: int) -> tuple[Run, str]:
    """Play a story whose database server breaks off at some event and comes back at once, then resume it.

    Returns:
        The run, and the error with which the process ended that met with this; none if it lived through it.
    """
    process = start(job)
    if _reached(job, event, process):
        server.stop()
        server.start()
    life = finish(process, job)
    error = str(life.end.get("error", ""))
    return play(job), error


def _reached(job: Job, event: int, process: BaseProcess) -> bool:
    """Wait until that many events stand in the log; False if the process has ended before."""
    while not job.log.exists() or job.log.read_bytes().count(b"\n") < event:
        if _code(process, 0) is not None:
            return False
        time.sleep(0.001)
    return _code(process, 0) is None


def faults(run: Run, whole: Run) -> list[str]:
    """Everything in which a run differs from an undisturbed one though it may not; empty if all is well."""
    if "result" not in run.end:
        return [f"cannot be resumed: {run.end.get('error') or run.end or 'it ended without a word'}"]
    found = [f"finished, and made again: {key}" for key in run.book.again]
    found += [f"never made: {key}" for key in whole.book.started.keys() - run.book.started.keys()]
    found += [f"not made undisturbed: {key}" for key in run.book.started.keys() - whole.book.started.keys()]
    if (mine := comparable(run.end["result"])) != (theirs := comparable(whole.end["result"])):
        pairs = zip(mine.splitlines(), theirs.splitlines(), strict=False)
        found.append(
            "another result: " + next((f"{a} instead of {b}" for a, b in pairs if a != b), "longer or shorter")
        )
    if run.end["messages"] != whole.end["messages"]:
        found.append(f"{run.end['messages']} messages on the thread instead of {whole.end['messages']}")
    usage = run.end["result"]["usage"]
    for kind in ("model", "tool"):
        made, counted = run.book.of(kind), usage[f"{kind}_calls"]
        if not len(made.finished) <= counted <= made.effects:
            found.append(f"usage: {counted} {kind} calls; {made.effects} made, {len(made.finished)} of them finished")
    return found


def boundaries(writes: Iterable[int]) -> list[list[Kill]]:
    """Right before each of these writes of the checkpointer, and right after each."""
    return [[Kill(number, when)] for number in writes for when in _SIDES]


def moments(seed: int, count: int, last_event: int) -> list[list[Kill]]:
    """Random moments: of some event of the log, and up to 12 ms after it. Every third run dies two or three times."""
    random = Random(seed)  # noqa: S311 - no secret

    def kill(last: int) -> Kill:
        return Kill(random.randint(1, last), "event", round(random.uniform(0, 0.012), 4))

    return [
        [kill(last_event), *(kill(last_event // 3) for _ in range(random.randint(1, 2) if number % 3 == 0 else 0))]
        for number in range(count)
    ]


_SIDES: tuple[Literal["before", "after"], ...] = ("before", "after")
