"""Waiting for what others do, however long a busy machine takes for it.

Without a bound of its own: pytest's `faulthandler_timeout` ends a test that hangs, and shows where.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Process(Protocol):
    """What is waited for: a `subprocess.Popen`, or a command that was forked."""

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""

    def communicate(self) -> object:
        """Wait until it ends, and return what it printed."""


def wait_for(reached: Callable[[], object], process: Process) -> None:
    """Wait until something is so, as long as the process that is to bring it about runs."""
    while not reached():
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


async def until(reached: Callable[[], object]) -> None:
    """Let the event loop go on until something is so."""
    while not reached():  # noqa: ASYNC110 - what it waits for knows no events
        await asyncio.sleep(0.005)


async def settle() -> None:
    """Let every task go on as far as it can, if what the tasks wait for is of the event loop alone."""
    for _ in range(20):
        await asyncio.sleep(0)
