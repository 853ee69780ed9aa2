"""Single flight: equal work under way at the same time is done once, and all who asked get what comes of it.

The work is a task of its own, so that it belongs to nobody: whoever is cancelled or runs out of time leaves, and the
others get their result all the same; when the last has left, the work is cancelled too. Nobody waits for
anything but that task and their own time, so nobody can hang.
"""

import asyncio
import math
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

from weiwo.tools.calling.errors import ToolCallError

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Work under way, by key; one event loop's never meets another's."""

    def __init__(self) -> None:
        self._under_way: dict[Hashable, tuple[asyncio.Task[T], set[object]]] = {}

    def __len__(self) -> int:
        return len(self._under_way)

    async def join(
        self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]], seconds: float
    ) -> tuple[asyncio.Task[T], bool]:
        """Do some work, or wait for it where it is under way.

        Returns:
            The work, which has ended, and whether this call began it.

        Raises:
            TimeoutError: It has not ended within that time; for others it goes on.
        """
        place = (asyncio.get_running_loop(), key)
        task, waiting = self._under_way.get(place, (None, set()))
        begins = task is None or task.done()
        if task is None or begins:
            task, waiting = asyncio.create_task(work()), set()
            self._under_way[place] = task, waiting
            task.add_done_callback(lambda ended: self._landed(place, ended))
        me = object()
        waiting.add(me)
        try:
            await asyncio.wait({task}, timeout=seconds)
        except asyncio.CancelledError:
            waiting.discard(me)
            if self._abandoned(place, task, waiting):
                await asyncio.wait({task})  # whoever cancels decides how long to wait for it to put itself in order
            raise
        waiting.discard(me)
        self._abandoned(place, task, waiting)
        if not task.done():
            raise TimeoutError
        return task, begins

    async def run(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of some work, begun or joined; the work bounds its own time.

        Raises:
            ToolCallError: As the work does; whoever joined it gets a copy, for they made no call.
        """
        ended, own = await self.join(key, work, math.inf)
        try:
            return ended.result()
        except ToolCallError as error:
            if own:
                raise
            raise error.of_another() from None

    def _abandoned(self, place: Hashable, task: asyncio.Task[T], waiting: set[object]) -> bool:
        """End work that nobody waits for any more."""
        if waiting or task.done():
            return False
        self._forget(place, task)  # nobody may join what is being cancelled
        task.cancel()
        return True

    def _landed(self, place: Hashable, task: asyncio.Task[T]) -> None:
        self._forget(place, task)
        if not task.cancelled():
            task.exception()  # seen, should nobody be left to see it

    def _forget(self, place: Hashable, task: asyncio.Task[T]) -> None:
        if self._under_way.get(place, (None,))[0] is task:
            del self._under_way[place]
