"""Calling a tool: arguments checked, time and size bounded, failures typed, transient ones tried again.

The one way every tool is called, ours or anyone's. What comes back is a `ToolResult`, or a `ToolFailure` is raised; an
empty result is a result, and for the caller to judge. Cancellation always passes through.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import SystemRandom
from typing import Final
from uuid import uuid4

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool

from state import JsonValue
from tools.arguments import check
from tools.failures import ToolFailure, classify
from tools.results import ToolResult, normalize

__all__ = ["Backoff", "ToolFailure", "ToolResult", "run_tool"]


@dataclass(frozen=True, slots=True)
class Backoff:
    """When a call that failed for the moment is made again.

    Attributes:
        retries: Further calls at most.
        first: Seconds before the first of them; each later wait is twice as long.
        jitter: Share of a wait that is left to chance, so that tasks do not come back all at once.
    """

    retries: int = 2
    first: float = 0.5
    jitter: float = 0.5

    def wait(self, attempt: int, asked: float | None) -> float:
        """Seconds to wait after a call: what the other side asked for, or twice the wait before."""
        grown: float = self.first * 2 ** (attempt - 1)
        return max(asked or 0.0, grown * (1 + _chance.uniform(-self.jitter, self.jitter)))


_chance: Final = SystemRandom()


async def run_tool(
    tool: BaseTool, args: Mapping[str, JsonValue], *, seconds: float, max_bytes: int, backoff: Backoff | None = None
) -> ToolResult:
    """Call a tool.

    Args:
        tool: Any LangChain tool.
        args: Its arguments by name.
        seconds: Time for everything, waits and retries included.
        max_bytes: Bytes of its reply to keep.
        backoff: How to try again; by default twice.

    Returns:
        The reply. Of a tool that is not ours, passages come from its text or JSON, with the source `tool:NAME` where
        the reply names none.

    Raises:
        ToolFailure: No usable reply: `timeout rate_limit auth not_found bad_arguments blocked oversized crash`. Only
            failures that may pass (a timeout of the tool's own, a rate limit, the network) are tried again.
    """
    backoff = backoff or Backoff()
    check(tool, args)
    clock = asyncio.get_running_loop()
    started = clock.time()
    deadline = started + seconds
    attempt = 0
    while True:
        attempt += 1
        try:
            result = await _call(tool, args, deadline, seconds, max_bytes)
        except ToolFailure as failure:
            failure.attempts = attempt
            wait = backoff.wait(attempt, failure.retry_after)
            if not failure.transient or attempt > backoff.retries or clock.time() + wait >= deadline:
                raise
        else:
            return replace(result, seconds=clock.time() - started, attempts=attempt)
        await asyncio.sleep(wait)


async def _call(
    tool: BaseTool, args: Mapping[str, JsonValue], deadline: float, seconds: float, max_bytes: int
) -> ToolResult:
    """One call."""
    call = {"type": "tool_call", "id": f"call_{uuid4().hex}", "name": tool.name, "args": dict(args)}
    bound = asyncio.timeout_at(deadline)
    try:
        async with bound:
            reply = await tool.ainvoke(call)
    except Exception as error:
        if isinstance(error, TimeoutError) and bound.expired():
            raise ToolFailure("timeout", f"{tool.name}: no reply within {seconds:g} s", transient=False) from None
        raise classify(error, tool.name) from error
    if not isinstance(reply, ToolMessage):  # a tool may answer with a graph command, which has no text
        reply = ToolMessage(str(reply), name=tool.name, tool_call_id=call["id"])
    if reply.status == "error":  # the tool turned its own exception into a message
        raise ToolFailure("crash", f"{tool.name}: {reply.text}")
    return await asyncio.to_thread(normalize, reply, args, max_bytes)
