"""Guarded tool call: the caller, and admission by breaker, slots and limits."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from weiwo.tools.calling.errors import ToolCallError, ToolNotCalledError
from weiwo.tools.calling.invoke import Backoff
from weiwo.tools.calling.policies import POLICIES, strain_of
from weiwo.tools.calling.tool_breaker import ToolBreaker


@dataclass(frozen=True)
class Caller:
    """The caller of tool calls, with slots and limits."""

    # Bounds the work that goes on at the same time; held while a tool works, never while waiting.
    slots: AbstractAsyncContextManager[Any]
    seconds_left: Callable[[], float]  # seconds that the run has left for work
    spend: Callable[[], bool]  # books one call that is really made; False where the run may make no more
    tell: Callable[[str], None]  # tells a watcher one line about a tool
    task: str = ""  # the task that makes the call
    attempt: int = 0  # how many calls it had made before


@dataclass(frozen=True, eq=False)
class GuardedCall:
    """A call with retries, as seen by the tool's breaker and the caller."""

    guard: ToolBreaker  # the breaker of the tool
    caller: Caller  # on whose account
    backoff: Backoff  # how to wait
    patience: float  # seconds worth waiting for the tool
    # Whether the call may try a tool that is out of order before its time: it is the first one of an execution, which
    # somebody decided on knowing what had failed.
    early: bool
    any_site: bool  # whether the tool goes wherever its arguments say, so that what one site does says nothing of it

    book: Callable[[], Awaitable[None]] | None = None  # what is done last before the call; it may refuse it

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[float]:
        """Wait for admission of the call. Yields the run's remaining seconds."""
        guard, caller = self.guard, self.caller
        while True:  # once round for each time that the other side asks to wait; the run's time ends it
            self._request_admission()
            await self._wait_out_pause()
            async with caller.slots:
                self._request_admission()  # much may have happened while this waited for its slot
                if guard.waiting():
                    continue
                left = caller.seconds_left()
                if left <= 0:
                    raise out_of_time_error(guard.tool)
                if not caller.spend():
                    said = f"{guard.tool}: not called, because the run's limit max_tool_calls was reached"
                    raise ToolNotCalledError("limit", said)
                if self.book is not None:
                    await self.book()
                try:
                    yield left
                except ToolCallError as failure:
                    if failure.kind == "rate_limit" and not self.any_site:
                        guard.hold(failure.retry_after or 0.0)
                    raise
                return

    def _request_admission(self) -> None:
        self._tell(self.guard.admit(self, early=self.early))

    async def _wait_out_pause(self) -> None:
        """Wait out a requested pause, if worthwhile.

        The other side asked every caller to wait.

        Raises:
            ToolNotCalledError: The pause is too long.
        """
        wait = self.guard.waiting()
        if not wait:
            return
        if wait > min(self.patience, self.caller.seconds_left()):
            said = f"{self.guard.tool}: not called, because it accepts no requests for another {wait:.0f} s"
            raise ToolNotCalledError("rate_limit", said, retry_after=wait)
        await asyncio.sleep(self.backoff.wait(1, wait))

    def record_failure(self, failure: ToolCallError, cluster: str) -> None:
        """The call came to nothing."""
        if isinstance(failure, ToolNotCalledError) or POLICIES[failure.kind].last == "give_up" or not failure.attempts:
            return  # not the tool's doing
        strain = strain_of(failure.kind, cluster, transient=failure.transient)
        if strain == "none" or self.any_site:
            self.record_success()
        else:
            self._tell(self.guard.record_failure(self, failure, final=strain == "opens"))

    def record_success(self) -> None:
        """The tool answered, if only to say no."""
        self._tell(self.guard.record_success(self))

    def release_call(self) -> None:
        """Release the finished call in the breaker, successful or not."""
        self.guard.release_call(self)

    def _tell(self, note: str) -> None:
        if note:
            self.caller.tell(note)


def out_of_time_error(name: str) -> ToolNotCalledError:
    """The run has no time left for a call."""
    return ToolNotCalledError("limit", f"{name}: not called, because the run's limit max_seconds was reached")
