"""Hedged calls: a call that takes far longer than its tool usually does gets a second one beside it.

That is of a stand-in or, where there is none, of the same tool. The first usable result counts; the other call is
cancelled, and its cost counted (after Dean and Barroso, The Tail at Scale, CACM 2013). It happens inside one saved step
of a task: after a crash that step is done again as a whole, and what was spent is booked with it, once. A tool that
acts is never called beside itself.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any, Final

from langgraph.errors import GraphBubbleUp

from weiwo.nodes.executor.task_calls.isolation import run_isolated
from weiwo.nodes.executor.task_state import OF_CORPUS, Call
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Language
from weiwo.tools.calling.errors import ElicitationError, ToolNotCalledError
from weiwo.tools.calling.invoke import ToolCallError, ToolResult

Ended = tuple[Call, ToolResult | ToolCallError]
"""A call with what it came to."""

_AGAIN: Final[dict[Language, str]] = {
    "en": "{} takes far longer than it usually does; it is called once more beside that",
    "zh": "{} 所用时间远超平常，同时再调用一次",
}
_BESIDE: Final[dict[Language, str]] = {
    "en": "{} takes far longer than it usually does; {} is called beside it",
    "zh": "{} 所用时间远超平常，同时调用 {}",
}


@dataclass
class MeteredCall:
    """A call under way, metered.

    Attributes:
        call: The call.
        is_second: Whether it is the one beside an overdue one.
        begun: Set when it is really made.
        begun_at: When that was, on the loop's clock.
        made: How often it was, retries included.
    """

    call: Call
    is_second: bool = False
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    begun_at: float = 0.0
    made: int = 0

    def metering(self, spend: Callable[[], bool]) -> Callable[[], bool]:
        """The same way to book a call, metered."""

        def book() -> bool:
            if not spend():
                return False
            self.made += 1
            if not self.begun.is_set():
                self.begun_at = asyncio.get_running_loop().time()
                self.begun.set()
            return True

        return book


Ask = Callable[[MeteredCall], Coroutine[Any, Any, ToolResult | ToolCallError]]
"""Makes a call."""


@dataclass(frozen=True)
class HedgedCall:
    """What a call came to, with the one beside it.

    Attributes:
        ended: The calls that ended, the usable one first; of one that was cancelled the cost is with the other.
        slow: The tool that took too long; empty where it did not.
    """

    ended: tuple[Ended, ...]
    slow: str = ""


async def make_hedged(
    call: Call, stand_in: Call | None, ask: Ask, services: RunContext, tell: Callable[[str], None]
) -> HedgedCall:
    """Make a call, and a second one beside it once it is overdue.

    Raises:
        Exception: What is no failure of a tool: somebody is asked, or the run is stopped.
    """
    first, overdue = MeteredCall(call), services.calls.overdue_after(call["tool"])
    if overdue is None or (other := _second_call(call, stand_in, services)) is None:
        return HedgedCall(((call, await ask(first)),))
    second = MeteredCall(other, is_second=True)
    own = asyncio.create_task(run_isolated(ask(first)))
    running = {own: first}
    ended: list[Ended] = []
    slow = ""
    try:
        late = await _is_overdue(first, own, overdue) and services.work_seconds() > 0
        if late and services.budget.spares_tool_call() and services.calls.take_hedge():
            slow = call["tool"]
            said = _AGAIN if slow == other["tool"] else _BESIDE
            tell(said[services.language].format(slow, other["tool"]))
            running[asyncio.create_task(run_isolated(ask(second)))] = second
        while running and not (ended and _is_usable(ended[0][1])):
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in [task for task in running if task.done()]:
                metered = running.pop(task)
                if (done := _result(task, metered)) is not None:
                    ended.insert(len(ended) * (metered.is_second and not _is_usable(done)), (metered.call, done))
    finally:
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)  # isolated, so gone in a moment
    if not slow:
        return HedgedCall(tuple(ended))
    took = asyncio.get_running_loop().time() - first.begun_at
    if first in running.values():
        await services.calls.record_overdue(slow, took)
    return HedgedCall(tuple(_charge(ended, [one.made for one in running.values()], took)), slow)


def _second_call(call: Call, stand_in: Call | None, services: RunContext) -> Call | None:
    """What is called beside a call, should it be overdue: its stand-in, else the same once more where that may help."""
    registry = services.registry
    if stand_in is not None:
        return None if registry.info(stand_in["tool"]).acts else stand_in
    of_one_site = not (registry.get(call["tool"]).metadata or {}).get("any_site")
    return call if of_one_site and call["tool"] not in OF_CORPUS else None


async def _is_overdue(metered: MeteredCall, running: "asyncio.Task[Any]", seconds: float) -> bool:
    """Wait until a call has ended, or has taken so many seconds since it was really begun."""
    begun = asyncio.create_task(metered.begun.wait())
    try:
        await asyncio.wait({running, begun}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        begun.cancel()
    if not running.done():
        await asyncio.wait({running}, timeout=seconds)
    return not running.done()


def _is_usable(done: ToolResult | ToolCallError) -> bool:
    return isinstance(done, ToolResult) and bool(done.passages or done.value is not None)


def _result(
    task: "asyncio.Task[ToolResult | ToolCallError]", metered: MeteredCall
) -> ToolResult | ToolCallError | None:
    """What a call came to; None of a second one that was not made, or would ask a person: the first is waited for."""
    try:
        done = task.result()
    except GraphBubbleUp:
        if not metered.is_second:
            raise
        return None
    return None if metered.is_second and isinstance(done, ToolNotCalledError) else done


def _charge(ended: list[Ended], cancelled: list[int], took: float) -> list[Ended]:
    """The calls that ended, with what those that were cancelled cost, and the time all of them took, on the first."""
    (call, done), *others = ended
    if _is_usable(done):  # nobody need be asked any more
        others = [other for other in others if not isinstance(other[1], ElicitationError)]
    if isinstance(done, ToolResult):
        done = replace(done, attempts=done.attempts + sum(cancelled), seconds=took)
    return [(call, done), *others]
