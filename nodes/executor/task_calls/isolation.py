"""Isolation of foreign code, which must not hold up, end or outlive a run unnoticed.

A tool may swallow its cancellation, cancel itself, or try to end the process. It runs in an asyncio task of its own:
when the run moves on, that task is cancelled and waited for, but not for long.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from weiwo.state.errors import WeiwoError

T = TypeVar("T")

PATIENCE: Final = 0.5
"""Seconds that cancelled work has to clean up after itself."""

_left_behind: Final[set[asyncio.Task[Any]]] = set()
"""Work that went on regardless; asyncio itself would forget it."""


class AbnormalExitError(WeiwoError, RuntimeError):
    """Work ended itself by something that is no ordinary exception."""


async def run_isolated(work: Coroutine[Any, Any, T]) -> T:
    """Do some work; when cancelled, be gone within `PATIENCE`, whatever the work does about it.

    Raises:
        AbnormalExitError: It cancelled itself, or raised `SystemExit` or the like.
    """
    running = asyncio.create_task(_contained(work))
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


async def _contained(work: Coroutine[Any, Any, T]) -> T:
    try:
        return await work
    except (Exception, asyncio.CancelledError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        raise AbnormalExitError(f"the work raised {type(error).__name__}: {error}") from error


def _forget(running: asyncio.Task[Any]) -> None:
    _left_behind.discard(running)
    if not running.cancelled():
        running.exception()  # looked at, so that asyncio does not complain
