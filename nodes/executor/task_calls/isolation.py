"""Isolation of foreign code, so that no tool delays, ends or outlives a run unnoticed.

A tool may swallow its cancellation, cancel itself, or try to end the process. It runs in an asyncio task of its own:
when the run moves on, that task is cancelled and awaited for a short time.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from weiwo.state.errors import WeiwoError

T = TypeVar("T")

PATIENCE: Final = 0.5
"""Seconds that cancelled work has for cleaning up."""

_left_behind: Final[set[asyncio.Task[Any]]] = set()
"""Cancelled tasks that may still be running. asyncio itself keeps only weak references to tasks."""


class AbnormalExitError(WeiwoError, RuntimeError):
    """Error raised if isolated work cancelled itself, or raised `SystemExit` or the like."""


async def run_isolated(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in an asyncio task of its own and return its result.

    If the caller is cancelled, the work is cancelled too, and `CancelledError` is raised within `PATIENCE` seconds even
    if the work goes on.

    Raises:
        AbnormalExitError: The work cancelled itself, or raised `SystemExit` or the like.
    """
    running = asyncio.create_task(_contain_abnormal_exit(work))
    try:
        await asyncio.wait({running})
    except asyncio.CancelledError:
        running.cancel()
        running.add_done_callback(_forget)
        _left_behind.add(running)
        await asyncio.wait({running}, timeout=PATIENCE)
        raise
    if running.cancelled():
        raise AbnormalExitError("the work cancelled itself")
    return running.result()


async def _contain_abnormal_exit(work: Coroutine[Any, Any, T]) -> T:
    try:
        return await work
    except (Exception, asyncio.CancelledError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        raise AbnormalExitError(f"the work raised {type(error).__name__}: {error}") from error


def _forget(running: asyncio.Task[Any]) -> None:
    _left_behind.discard(running)
    if not running.cancelled():
        # Retrieve the exception, or asyncio logs that it was never retrieved.
        running.exception()
