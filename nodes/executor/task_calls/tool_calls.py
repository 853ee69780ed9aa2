"""Tool calls of a turn of a task, made concurrently on a single slot."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, zip_longest
from typing import Final

from weiwo.nodes.executor.resources import Lease
from weiwo.nodes.executor.task_calls.walls import find_wall
from weiwo.nodes.executor.task_state import Call
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Evidence, PassageList
from weiwo.state.events import TaskProgressEvent
from weiwo.state.evidence import PassageCall
from weiwo.text.offloading import offload_reading
from weiwo.tools.calling.guarded_call import Caller
from weiwo.tools.calling.invoke import ToolCallError, ToolResult
from weiwo.tools.calling.results import TOOL_SOURCE
from weiwo.tools.registry import Registry

_OWN_SOURCES: Final = (TOOL_SOURCE, "mcp://")
"""Prefixes of sources that stand for a tool's own reply instead of a page or document."""


@dataclass(frozen=True)
class CallBatch:
    """Tool calls of a turn, with the result or error of each call at the same index.

    Attributes:
        calls: The calls.
        done: The result or the error of each call.
    """

    calls: tuple[Call, ...]
    done: tuple[ToolResult | ToolCallError, ...]

    @property
    def results(self) -> list[tuple[Call, ToolResult]]:
        """Successful calls with results, including empty results."""
        return [(call, done) for call, done in zip(self.calls, self.done, strict=True) if isinstance(done, ToolResult)]

    @property
    def failures(self) -> list[tuple[Call, ToolCallError]]:
        """Failed calls with errors."""
        return [
            (call, done) for call, done in zip(self.calls, self.done, strict=True) if isinstance(done, ToolCallError)
        ]

    @property
    def cached_results(self) -> list[tuple[Call, ToolResult]]:
        """Calls with results cached from earlier calls."""
        return [(call, result) for call, result in self.results if result.cached]

    @property
    def all_cached(self) -> bool:
        """Report whether all results come from the cache. True without results."""
        return len(self.cached_results) == len(self.results)

    @property
    def computed_result(self) -> ToolResult | None:
        """First result with a value and a type, rather than passages. None if there is none."""
        valued = (result for _, result in self.results if result.value is not None and result.type is not None)
        return next(valued, None)

    @property
    def passage_lists(self) -> list[PassageList]:
        """Tool, arguments and content hash of each successful call."""
        return [
            PassageList(tool=call["tool"], arguments=call["args"], digest=digest_result(result))
            for call, result in self.results
        ]

    @property
    def attempts(self) -> int:
        """Number of calls made, including retries. Results from the cache or from another task's equal call count 0."""
        return sum(done.attempts for done in self.done)

    @property
    def notes(self) -> list[str]:
        """Notes on the results for the user."""
        return [note for _, result in self.results for note in result.notes]

    @property
    def seconds(self) -> float:
        """Time of the slowest call, in seconds."""
        return max((done.seconds for done in self.done), default=0.0)

    def passages(self, task_id: str, registry: Registry) -> list[Evidence]:
        """Return the passages found: the best of each call, then the second of each, and so on, with each text once.

        Args:
            task_id: The task. The passages of an instance such as `task_2[1]` belong to `task_2`.
            registry: The tools. Passages that are a tool's own reply get the call attached.
        """
        own = task_id.partition("[")[0]
        ranks = zip_longest(*(_own_replies(call, result, registry) for call, result in self.results))
        kept: dict[str, Evidence] = {}
        for passage in (passage for rank in ranks for passage in rank if passage is not None):
            known = kept.get(passage.id)
            stamped = passage.model_copy(update={"task_ids": (own,)})
            kept[passage.id] = stamped if known is None else known.merge_passage(stamped)
        return list(kept.values())


def digest_result(result: ToolResult) -> str:
    """Return a hash of the content of a result: the ids of its passages, in any order, and its value."""
    content = [sorted(passage.id for passage in result.passages), result.value]
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _own_replies(call: Call, result: ToolResult, registry: Registry) -> list[Evidence]:
    """Return the passages of a result, with the call attached to those that are the tool's own reply.

    A search hit is not an own reply: it is found by its words, and need not be about the subject of the search. Nor is
    a passage with a source of its own.
    """
    if registry.info(call["tool"]).cluster == "search":
        return list(result.passages)
    calls = (PassageCall(tool=call["tool"], arguments=call["args"]),)
    return [
        passage.model_copy(update={"calls": calls}) if passage.source.startswith(_OWN_SOURCES) else passage
        for passage in result.passages
    ]


async def make_calls(
    calls: Sequence[Call],
    task_id: str,
    services: RunContext,
    lease: Lease,
    replaceable: Sequence[bool],
    *,
    made: int = 0,
    known: Sequence[Evidence] = (),
) -> CallBatch:
    """Make the calls of a turn at the same time, wait for all, and return them with their results and errors.

    Args:
        calls: The calls.
        task_id: The task that makes them.
        services: Pays for the calls and makes them.
        lease: The task's slot, shared by the calls.
        replaceable: For each call, whether another tool could be asked, so that a long wait is unnecessary.
        made: Number of calls made by the task so far.
        known: The passages found by the task so far.

    Raises:
        Exception: Anything that is not a failure of a tool, such as a stopped run.
    """
    shared = _SharedLease(lease)

    async def ask(call: Call, number: int, *, has_substitute: bool) -> ToolResult | ToolCallError:
        name = call["tool"]
        caller = Caller(
            shared,
            services.work_seconds,
            services.budget.take_tool_call,
            lambda note: services.emit(TaskProgressEvent(task_id=task_id, tool=name, note=note)),
            task_id,
            number,
        )
        try:
            result = await services.calls.call(name, call["args"], caller, has_substitute=has_substitute)
        except ToolCallError as failure:
            return failure
        return await offload_reading(result.passages, find_wall, call, result.passages, known) or result

    if len(calls) == 1:
        return CallBatch(tuple(calls), (await ask(calls[0], made, has_substitute=replaceable[0]),))
    each = zip(calls, count(made), replaceable, strict=False)
    asked = (ask(call, number, has_substitute=other) for call, number, other in each)
    ended = await asyncio.gather(*asked, return_exceptions=True)
    done: list[ToolResult | ToolCallError] = []
    for end in ended:
        if isinstance(end, BaseException) and not isinstance(end, ToolCallError):
            raise end
        done.append(end)
    return CallBatch(tuple(calls), tuple(done))


class _SharedLease:
    """Slot of a task, shared by calls made at the same time.

    The slot is taken when the first call begins to work, and released when the last ends.
    """

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._inside = 0
        self._entering = asyncio.Lock()

    async def __aenter__(self) -> None:
        async with self._entering:
            if not self._inside:
                await self._lease.__aenter__()
            self._inside += 1

    async def __aexit__(self, *error: object) -> None:
        self._inside -= 1
        if not self._inside:
            await self._lease.__aexit__(*error)  # type: ignore[arg-type]
