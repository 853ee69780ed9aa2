"""Tool invocation: checked arguments, bounded time and size, typed failures, and retries.

Every tool is called this way, ours or anyone's. The result is a `ToolResult`, or a `ToolCallError` is raised. An empty
result is a result, and for the caller to judge. Cancellation always passes through. The number of retries is set in
`weiwo.tools.calling.policies`.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from random import SystemRandom
from typing import Final
from uuid import uuid4

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp

from weiwo.state import JsonValue
from weiwo.text.offloading import offload_long
from weiwo.tools.calling.arguments import check_arguments
from weiwo.tools.calling.call_context import current_call
from weiwo.tools.calling.errors import ToolCallError, classify_error
from weiwo.tools.calling.injection import injected_arguments
from weiwo.tools.calling.policies import POLICIES
from weiwo.tools.calling.results import ToolResult, normalize_reply

__all__ = ["Backoff", "ToolCallError", "ToolResult", "run_tool"]

_chance: Final = SystemRandom()


@dataclass(frozen=True, slots=True)
class Backoff:
    """Backoff: the wait before each retry."""

    first: float = 0.5  # seconds before the first further call; each later wait is twice as long
    jitter: float = 0.5  # share of a wait that is left to chance, so that tasks do not come back all at once
    longest: float = math.inf  # seconds that are worth waiting at most; where more is asked for, the call has failed

    def wait(self, attempt: int, asked: float | None) -> float:
        """Return the seconds to wait after a call.

        Each wait is twice the wait before, and never less than the other side asked for.
        """
        grown: float = self.first * 2 ** (attempt - 1)
        return max(
            grown * (1 + _chance.uniform(-self.jitter, self.jitter)),
            (asked or 0.0) + _chance.uniform(0, self.jitter) * self.first,
        )


_Admission = Callable[[], AbstractAsyncContextManager[float]]
"""Waits until a call may be made and gives the seconds it may take; entered anew for each call, retries included."""


@asynccontextmanager
async def _admit_at_once() -> AsyncIterator[float]:
    yield math.inf


async def run_tool(
    tool: BaseTool,
    args: Mapping[str, JsonValue],
    *,
    seconds: float,
    max_bytes: int,
    backoff: Backoff | None = None,
    turn: _Admission = _admit_at_once,
    repeats: bool = True,
) -> ToolResult:
    """Call a tool.

    Args:
        tool: Any LangChain tool.
        args: The arguments by name.
        seconds: Time for everything, the waits between calls included, waiting for the turn to call excluded.
        max_bytes: Maximum bytes of the reply to keep.
        backoff: Wait between calls.
        turn: Admission of a call. It is held while calling, not while waiting to call again.
        repeats: Whether a failed call may be made again. False if the call may have changed something.

    Returns:
        The reply. For a tool that is not ours, passages come from its text or JSON, with the source `tool:NAME` if
        the reply names none.

    Raises:
        ToolCallError: No usable reply: `timeout rate_limit auth not_found bad_arguments blocked oversized crash`, or
            `limit` if the turn's time was shorter than the call's. Only transient failures (a timeout of the
            tool's own, a rate limit, the network) are tried again, as often as their policy says.
    """
    backoff = backoff or Backoff()
    check_arguments(tool, args)
    clock = asyncio.get_running_loop()
    attempt, spent = 0, 0.0
    while True:
        begun: float | None = None
        try:
            async with turn() as left:
                attempt += 1
                begun = clock.time()
                bound = min(seconds - spent, left)
                over = ToolCallError("limit", f"{tool.name}: stopped, because the run's limit max_seconds was reached")
                if bound < left:
                    over = ToolCallError("timeout", f"{tool.name}: no reply within {seconds:g} s", transient=False)
                result = await _call_once(tool, args, bound, max_bytes, over)
        except ToolCallError as failure:
            spent += clock.time() - begun if begun else 0.0
            failure.attempts, failure.seconds = attempt, spent
            wait = backoff.wait(attempt, failure.retry_after)
            if not (repeats and failure.transient) or attempt > POLICIES[failure.kind].retries:
                raise
            if wait > backoff.longest or spent + wait >= seconds:
                raise
        else:
            return replace(result, seconds=spent + clock.time() - begun, attempts=attempt)
        await asyncio.sleep(wait)
        spent += wait


async def _call_once(
    tool: BaseTool, args: Mapping[str, JsonValue], seconds: float, max_bytes: int, over: ToolCallError
) -> ToolResult:
    """Make a single call. `over` is raised on timeout."""
    call_id = f"call_{uuid4().hex}"
    given = {**args, **injected_arguments(tool, call_id, current_call())}
    call = {"type": "tool_call", "id": call_id, "name": tool.name, "args": given}
    bound = asyncio.timeout(seconds)
    try:
        async with bound:
            reply = await tool.ainvoke(call)
    except asyncio.CancelledError:
        running = asyncio.current_task()
        if running is not None and running.cancelling():
            raise
        raise ToolCallError("crash", f"{tool.name}: it cancelled itself") from None  # nobody cancelled us
    except GraphBubbleUp:  # the tool asks a person, or the run is stopped: no failure of its own
        raise
    except Exception as error:
        if isinstance(error, TimeoutError) and bound.expired():
            raise over from None
        raise classify_error(error, tool.name) from error
    if not isinstance(reply, ToolMessage):  # a tool may answer with a graph command, which has no text
        reply = ToolMessage(str(reply), name=tool.name, tool_call_id=call_id)
    if reply.status == "error":  # the tool turned its own exception into a message
        raise ToolCallError("refused", f"{tool.name}: {reply.text}", transient=False)
    return await offload_long(len(reply.text), normalize_reply, reply, args, max_bytes)
