"""Tool calls of a run: each made once, by a working tool, and cached for later callers.

`ToolCalls` is the only way from tasks to tools. A call goes through, in this order:

1. merging: an equal call in progress anywhere in the process is joined, not repeated (`singleflight`)
2. the cache: a recent result is used again (`weiwo.tools.calling.result_cache`), unless the run wants everything fresh
3. its turn: a slot for work, the tool's circuit breaker (`weiwo.tools.calling.tool_breaker`), the run's time
4. the call itself, with its retries (`weiwo.tools.calling.invoke`)

A call that acts is neither merged, nor cached for others, nor retried. It is recorded before it is made, so that a
process that resumes the run after a crash knows that it may have been made (`weiwo.tools.calling.acting_calls`).

`policies` decides on failures. Breakers are global by run and tool, and calls in progress global in the process, since
each execution of a node creates a `ToolCalls` of its own.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from langchain_core.tools import BaseTool

from weiwo.state import JsonValue
from weiwo.tools.calling.acting_calls import ActingCalls, ActingLog, StoreLog
from weiwo.tools.calling.call_context import CallContext, set_current_call
from weiwo.tools.calling.errors import ToolCallError, ToolNotCalledError
from weiwo.tools.calling.guarded_call import Caller, GuardedCall, out_of_time_error
from weiwo.tools.calling.invoke import Backoff, run_tool
from weiwo.tools.calling.policies import PATIENCE, POLICIES
from weiwo.tools.calling.result_cache import ResultCache, cache_key
from weiwo.tools.calling.results import ToolResult
from weiwo.tools.calling.singleflight import SingleFlight
from weiwo.tools.calling.tool_breaker import ToolBreaker, tool_breaker
from weiwo.tools.tool_info import ToolInfo

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

_MERGES: Final = 8
"""Limit of joined calls that end because of another caller's limits, before a caller makes its own call."""

_NOTHING_DONE: Final = frozenset({"bad_arguments", "auth", "blocked", "not_found", "rate_limit"})
"""Kinds of failure after which an acting tool is known to have changed nothing."""

_single_flight: Final[SingleFlight[ToolResult]] = SingleFlight()


class _Toolbox(Protocol):
    """Callable tools by name, for example `weiwo.tools.registry.Registry`."""

    def get(self, name: str) -> BaseTool:
        """Return a callable tool."""

    def info(self, name: str) -> ToolInfo:
        """Return the metadata of a tool."""

    def substitutes(self, name: str, args: Mapping[str, JsonValue]) -> dict[str, dict[str, JsonValue]]:
        """Return the tools that can replace a call, with their arguments."""


_Recorder = Callable[[ToolInfo, Mapping[str, JsonValue], ToolCallError | None], Awaitable[None]]
"""Records a call that was made: the tool, the arguments, and the failure or None."""


@dataclass(eq=False)
class ToolCalls:
    """Makes the tool calls of a run."""

    run: str  # id of the run, the same after a restart
    toolbox: _Toolbox
    store: "BaseStore | None" = None  # LangGraph store for caches; None for the memory of this process
    _: KW_ONLY
    seconds: float = 30.0  # time limit of a call, retries included
    max_bytes: int = 5_000_000  # limit of a reply
    fresh: bool = False  # whether to ignore cached results
    backoff: Backoff = field(default_factory=Backoff)  # waits between retries
    cache: ResultCache | None = None  # replaces the cache in the store
    state: Mapping[str, Any] = field(default_factory=dict)  # state of the run, for injected arguments
    acting_log: ActingLog | None = None  # replaces the log of acting calls in the store
    record: _Recorder | None = None  # called after each call that was made
    user: str = ""  # user of the run

    def __post_init__(self) -> None:
        self._cache = self.cache or ResultCache(self.store)
        kept = StoreLog(self.store)
        self._acting = ActingCalls(kept) if self.acting_log is None else ActingCalls(self.acting_log, kept)
        self._asked: set[str] = set()

    def breaker(self, name: str) -> ToolBreaker:
        """Return the breaker of a tool in this run."""
        return tool_breaker(self.run, name)

    def substitutes(self, name: str, args: Mapping[str, JsonValue]) -> dict[str, dict[str, JsonValue]]:
        """Return the tools that can replace a call, with their arguments. Tools with a closed breaker come first."""
        found = self.toolbox.substitutes(name, args)
        health = {"closed": 0, "warned": 1, "half_open": 2, "open": 3}
        return dict(sorted(found.items(), key=lambda item: health[self.breaker(item[0]).state]))

    async def call(
        self,
        name: str,
        args: Mapping[str, JsonValue],
        caller: Caller,
        *,
        has_substitute: bool = False,
    ) -> ToolResult:
        """Make a call, or return the result of an equal call that is cached or in progress.

        Args:
            name: Name of the tool.
            args: Arguments by name.
            caller: Limits of the run, and the task that makes the call.
            has_substitute: Whether another tool can replace the call, so that long waits are not worthwhile.

        Returns:
            The result. `attempts` is 0 if the result was cached or shared from another caller.

        Raises:
            ToolCallError: As `run_tool` does. `limit` if the run's time or calls are used up. If the breaker of the
                tool is open, no call is made, and the kind is that of the failure that opened it.
        """
        tool, info = self.toolbox.get(name), self.toolbox.info(name)
        if info.acts:
            return await self._act(info, args, caller, has_substitute=has_substitute)
        if info.injected:
            return await self._make_call(name, args, caller, has_substitute=has_substitute)
        key = cache_key(tool, args, info.args_schema, self.max_bytes)

        async def work() -> ToolResult:
            if not self.fresh and info.cache_seconds and (kept := await self._cache.get(key)) is not None:
                return kept
            result = await self._make_call(name, args, caller, has_substitute=has_substitute)
            if not result.notes:  # the next may fare better
                await self._cache.store_result(key, result, info.cache_seconds)
            return result

        for _ in range(_MERGES):
            left = caller.seconds_left()
            if left <= 0:
                break
            try:
                ended, own = await _single_flight.join((key, self.fresh, self.seconds), work, left)
            except TimeoutError:
                break
            failure = None if ended.cancelled() else ended.exception()
            if own or not isinstance(failure, ToolCallError):
                return ended.result() if own else replace(ended.result(), attempts=0)
            if not (isinstance(failure, ToolNotCalledError) or POLICIES[failure.kind].last == "give_up"):
                raise failure.of_another()
        else:
            return await work()
        raise out_of_time_error(name)

    async def has_begun(self, name: str, task: str, attempt: int) -> bool:
        """Report whether an acting call was already made or started in this run.

        The process that made the call may have crashed since.

        Args:
            name: Name of the tool.
            task: Id of the task.
            attempt: Number of calls that the task made before.
        """
        key = CallContext(self.run, task=task, attempt=attempt, tool=name).idempotency_key
        return await self._acting.has_begun(key)

    async def _act(
        self, info: ToolInfo, args: Mapping[str, JsonValue], caller: Caller, *, has_substitute: bool
    ) -> ToolResult:
        """Make an acting call at most once, even across process crashes, unless the tool is idempotent.

        Raises:
            ToolNotCalledError: `incomplete`: an earlier attempt may have had its effect, or the log failed.
        """
        key = CallContext(self.run, task=caller.task, attempt=caller.attempt, tool=info.name).idempotency_key
        if (known := await self._acting.result(key)) is not None:
            return replace(known, cached=False)
        if await self._acting.has_begun(key) and not info.idempotent:
            said = (
                f"{info.name}: not called, because it may have made its change before the run was "
                "interrupted; check, then ask again"
            )
            raise ToolNotCalledError("incomplete", said)
        booked = False

        async def book() -> None:
            nonlocal booked
            booked = await self._acting.begin(key)
            if not booked and not info.idempotent:
                raise ToolNotCalledError("incomplete", f"{info.name}: not called, because the call cannot be recorded")

        try:
            result = await self._make_call(info.name, args, caller, has_substitute=has_substitute, book=book)
        except ToolCallError as failure:
            if booked and (isinstance(failure, ToolNotCalledError) or failure.kind in _NOTHING_DONE):
                await self._acting.forget(key)
            raise
        await self._acting.end(key, result)
        return result

    async def _make_call(
        self,
        name: str,
        args: Mapping[str, JsonValue],
        caller: Caller,
        *,
        has_substitute: bool,
        book: Callable[[], Awaitable[None]] | None = None,
    ) -> ToolResult:
        """Make a call, and record the outcome in the tool's breaker and with `record`.

        `book` runs right before the call, and may raise to prevent it.
        """
        context = CallContext(
            self.run,
            self.store,
            self.fresh,
            task=caller.task,
            attempt=caller.attempt,
            tool=name,
            user=self.user,
            state=self.state,
        )
        set_current_call(context)
        patience = PATIENCE if has_substitute else self.seconds
        conduct = GuardedCall(
            self.breaker(name),
            caller,
            self.backoff,
            patience,
            early=name not in self._asked,
            any_site=(self.toolbox.get(name).metadata or {}).get("any_site") is True,
            book=book,
        )
        self._asked.add(name)
        try:
            result = await run_tool(
                self.toolbox.get(name),
                args,
                seconds=self.seconds,
                max_bytes=self.max_bytes,
                backoff=replace(self.backoff, longest=patience),
                turn=conduct.turn,
                repeats=not self.toolbox.info(name).acts,
            )
        except ToolCallError as failure:
            conduct.record_failure(failure, self.toolbox.info(name).cluster)
            await self._keep(name, args, failure)
            raise
        else:
            conduct.record_success()
            await self._keep(name, args, None)
            return replace(result, cached=result.cached or context.used_kept, notes=tuple(dict.fromkeys(context.notes)))
        finally:
            conduct.release_call()

    async def _keep(self, name: str, args: Mapping[str, JsonValue], failure: ToolCallError | None) -> None:
        """Pass the outcome of a call to `record`, unless it was not made or ended because of a limit of the run."""
        of_the_run = failure is not None and (
            isinstance(failure, ToolNotCalledError) or POLICIES[failure.kind].last == "give_up"
        )
        if self.record is not None and not of_the_run:
            await self.record(self.toolbox.info(name), args, failure)
