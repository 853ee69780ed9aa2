"""Tool invocation: checked arguments, limits of time and size, classified failures, and retries.

Every tool is called this way, built-in or not. The result is a `ToolResult`, or a `ToolCallError` is raised. An empty
result is no error. Cancellation always passes through. `weiwo.tools.calling.policies` sets the number of retries.
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
    """Exponential backoff with jitter between retries."""

    first: float = 0.5  # seconds before the first retry; each later wait is twice as long
    jitter: float = 0.5  # random share of a wait, so that tasks do not retry all at once
    longest: float = math.inf  # limit of a wait in seconds; if a longer one is needed, there is no retry

    def wait(self, attempt: int, asked: float | None) -> float:
        """Return the seconds to wait before a retry: doubled with each attempt, but at least `asked`.

        Args:
            attempt: Number of calls made so far, from 1.
            asked: Seconds that the server asked to wait, or None.
        """
        grown: float = self.first * 2 ** (attempt - 1)
        return max(
            grown * (1 + _chance.uniform(-self.jitter, self.jitter)),
            (asked or 0.0) + _chance.uniform(0, self.jitter) * self.first,
        )


_Admission = Callable[[], AbstractAsyncContextManager[float]]
"""Waits until a call may be made, and yields the seconds that it may take. Entered for each attempt."""


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
        turn: Context manager that admits a call. It is held during each attempt, not between attempts.
        repeats: Whether a failed call may be retried. False if the call may have changed something.

    Returns:
        The reply. For a tool that is not ours, passages come from its text or JSON, with the source `tool:NAME` if
        the reply names none.

    Raises:
        ToolCallError: No usable reply: `timeout rate_limit auth not_found bad_arguments blocked oversized crash`,
            `refused` for an error reported by the tool, or `limit` if the run's time ended during the call. Only
            transient failures (a timeout raised by the tool, a rate limit, the network) are retried, as often as their
            policy says.
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
    """Make a single attempt. Raises `over` if it takes longer than `seconds`, else as `run_tool`."""
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
    except GraphBubbleUp:  # an interrupt to ask a person, or a stop of the run, is no failure of the tool
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
