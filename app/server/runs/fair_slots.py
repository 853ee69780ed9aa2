"""Fair queueing of runs: each user has a share of the slots, and who waits is served round-robin."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class FairSlots:
    """Slots for concurrent runs, divided evenly between users if `shared`.

    Otherwise a user may take all slots, as on a server without logins. Running work is never interrupted, so each share
    leaves room for one more user, who can begin at once: two users of 16 slots may hold 5 each.
    """

    def __init__(self, most: int, *, shared: bool) -> None:
        self._most, self._shared = most, shared
        self._held: Counter[str] = Counter()
        self._waiting: OrderedDict[str, list[asyncio.Future[None]]] = OrderedDict()

    def share(self, user: str) -> int:
        """Return the number of slots a user may hold now: all slots, divided by one more than the active users.

        At least 1. All slots if they are not shared.
        """
        users = self._held.keys() | self._waiting.keys() | {user}
        return max(1, self._most // (len(users) + 1)) if self._shared else self._most

    def has_room(self, user: str) -> bool:
        """Report whether a slot is available for a user now."""
        return self._held.total() < self._most and self._held[user] < self.share(user)

    def add(self, user: str) -> None:
        """Take a slot without waiting, even above the limit.

        This is for runs continued from an earlier server, which were begun before.
        """
        self._held[user] += 1

    def release(self, user: str) -> None:
        """Release a slot. The slot goes to the next waiting user below their share."""
        self._held[user] -= 1
        self._held += Counter()  # without those who hold none
        self._grant()

    @asynccontextmanager
    async def hold(self, user: str) -> AsyncIterator[None]:
        """Context manager to hold a slot, after waiting for availability."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(user, []).append(place)
        self._grant()
        try:
            await place
        except asyncio.CancelledError:
            if place.cancelled():
                self._grant()
            else:  # the slot was granted just before the cancellation
                self.release(user)
            raise
        try:
            yield
        finally:
            self.release(user)

    def _grant(self) -> None:
        """Grant free slots to waiting users in turn."""
        for user, places in list(self._waiting.items()):
            self._keep(user, [item for item in places if not item.cancelled()])
        while user := next(filter(self.has_room, self._waiting), ""):
            self.add(user)
            place, *others = self._waiting[user]
            self._keep(user, others)
            place.set_result(None)
            if others:
                self._waiting.move_to_end(user)

    def _keep(self, user: str, places: list[asyncio.Future[None]]) -> None:
        if places:
            self._waiting[user] = places
        else:
            del self._waiting[user]
