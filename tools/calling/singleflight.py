"""Single flight: equal concurrent work is done once, and all callers get the result.

The work is a task of its own and belongs to no caller. A caller that is cancelled or runs out of time leaves, and the
others still get the result. When the last caller has left, the work is cancelled too. Each caller waits with its own
timeout, so none can hang.
"""

import asyncio
import math
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

from weiwo.tools.calling.errors import ToolCallError

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Work in progress by key, separate for each event loop. Callers with an equal key share the work."""

    def __init__(self) -> None:
        self._under_way: dict[Hashable, tuple[asyncio.Task[T], set[object]]] = {}

    def __len__(self) -> int:
        return len(self._under_way)

    async def join(
        self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]], seconds: float
    ) -> tuple[asyncio.Task[T], bool]:
        """Start work, or join the work in progress under the same key, and wait for its end.

        Returns:
            The ended task, which may have failed or been cancelled, and whether this caller started it.

        Raises:
            TimeoutError: The work did not end within `seconds`. It continues if other callers are waiting.
        """
        place = (asyncio.get_running_loop(), key)
        task, waiting = self._under_way.get(place, (None, set()))
        begins = task is None or task.done()
        if task is None or begins:
            task, waiting = asyncio.create_task(work()), set()
            self._under_way[place] = task, waiting
            task.add_done_callback(lambda ended: self._finish_flight(place, ended))
        me = object()
        waiting.add(me)
        try:
            await asyncio.wait({task}, timeout=seconds)
        except asyncio.CancelledError:
            waiting.discard(me)
            if self._cancel_abandoned(place, task, waiting):
                await asyncio.wait({task})  # whoever cancels decides how long to wait for it to put itself in order
            raise
        waiting.discard(me)
        self._cancel_abandoned(place, task, waiting)
        if not task.done():
            raise TimeoutError
        return task, begins

    async def run(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Start work, or join the running work of the same key, and return the result.

        There is no timeout: the work limits its own time.

        Raises:
            ToolCallError: Raised by the work. A caller that joined gets a copy with 0 attempts.
        """
        ended, own = await self.join(key, work, math.inf)
        try:
            return ended.result()
        except ToolCallError as error:
            if own:
                raise
            raise error.of_another() from None

    def _cancel_abandoned(self, place: Hashable, task: asyncio.Task[T], waiting: set[object]) -> bool:
        """Cancel unfinished work if no caller waits for it, and report whether it was cancelled."""
        if waiting or task.done():
            return False
        self._forget(place, task)  # new callers must not join cancelled work
        task.cancel()
        return True

    def _finish_flight(self, place: Hashable, task: asyncio.Task[T]) -> None:
        self._forget(place, task)
        if not task.cancelled():
            task.exception()  # retrieve it, so that asyncio does not log it if all callers have left

    def _forget(self, place: Hashable, task: asyncio.Task[T]) -> None:
        if self._under_way.get(place, (None,))[0] is task:
            del self._under_way[place]
