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
    """Caller of tools: a run with its limits, and the task that makes the call."""

    # Limits the calls under way at the same time. Held while a tool works, never while waiting.
    slots: AbstractAsyncContextManager[Any]
    seconds_left: Callable[[], float]  # seconds that the run has left
    spend: Callable[[], bool]  # counts a call about to be made; False if the run may make no more calls
    tell: Callable[[str], None]  # reports a line about a tool to watchers of the run
    task: str = ""  # id of the task that makes the call
    attempt: int = 0  # number of calls that the task made before


@dataclass(frozen=True, eq=False)
class GuardedCall:
    """A call of a tool with its retries, which waits for the tool's circuit breaker and the caller's limits."""

    guard: ToolBreaker  # circuit breaker of the tool
    caller: Caller
    backoff: Backoff  # waits between retries
    patience: float  # longest wait in seconds for a tool that asked for a pause
    # Whether the call may try a tool before the breaker's outage ends. True for the first call of an execution, which
    # was decided on with knowledge of the failures.
    early: bool
    any_site: bool  # whether the tool opens any site, so that the failure of a site does not count against the tool

    book: Callable[[], Awaitable[None]] | None = None  # called right before the call; may raise to prevent it

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[float]:
        """Context manager that waits until the call may be made. Yields the run's remaining seconds.

        Raises:
            ToolNotCalledError: The breaker is open, the tool asked for too long a pause, or the run has no time or
                calls left.
        """
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
        """Wait for the end of a pause that the tool's server asked for (a rate limit).

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
        """Report a failed call to the tool's circuit breaker, as the policy of the failure demands.

        A call that was never made, or that ended because of the run's limits, is not reported. A failure that does not
        show the tool to be broken, like wrong arguments, counts as a success.

        Args:
            failure: The failure.
            cluster: Name of the tool's cluster, see `strain_of`.
        """
        if isinstance(failure, ToolNotCalledError) or POLICIES[failure.kind].last == "give_up" or not failure.attempts:
            return  # not the tool's doing
        strain = strain_of(failure.kind, cluster, transient=failure.transient)
        if strain == "none" or self.any_site:
            self.record_success()
        else:
            self._tell(self.guard.record_failure(self, failure, final=strain == "opens"))

    def record_success(self) -> None:
        """Report to the breaker that the tool works."""
        self._tell(self.guard.record_success(self))

    def release_call(self) -> None:
        """Tell the breaker that the call has ended, successful or not."""
        self.guard.release_call(self)

    def _tell(self, note: str) -> None:
        if note:
            self.caller.tell(note)


def out_of_time_error(name: str) -> ToolNotCalledError:
    """Build the error for a call that was not made because the run has no time left."""
    return ToolNotCalledError("limit", f"{name}: not called, because the run's limit max_seconds was reached")
