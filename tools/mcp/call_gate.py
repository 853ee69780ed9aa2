"""The calls under way on one connection, and which of them a server's request to the user is about.

In the newer protocol, and over Streamable HTTP, a request comes within its call. Elsewhere it names none: then it is of
the only call under way. So there acting calls are made alone, and all calls are once the server has asked; what it
asked while several reading calls were under way is refused, and these are made again.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Final

from weiwo.tools.mcp.elicitation import Elicitor

_within: Final[ContextVar[Elicitor | None]] = ContextVar("elicitor", default=None)


class CallGate:
    """Lets calls through, each with the one who answers its requests."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._idle = asyncio.Event()
        self._idle.set()
        self._under_way: list[Elicitor] = []
        self._asks = False

    @asynccontextmanager
    async def enter(self, elicitor: Elicitor, *, acts: bool, anonymous: bool) -> AsyncIterator[None]:
        """Wait until a call may be made, and be known while it is.

        Args:
            elicitor: Who answers its requests.
            acts: Whether it may change something.
            anonymous: Whether requests come without the call that they are about.
        """
        alone = anonymous and (acts or self._asks)
        await self._turn.acquire()
        try:
            if alone:
                await self._idle.wait()
            else:
                self._turn.release()
            self._under_way.append(elicitor)
            self._idle.clear()
            _within.set(elicitor)
            try:
                yield
            finally:
                self._under_way.remove(elicitor)
                if not self._under_way:
                    self._idle.set()
        finally:
            if alone:
                self._turn.release()

    def find(self) -> Elicitor | None:
        """Who answers a request that has just come; None where it may be of several calls."""
        if (own := _within.get()) is not None:
            return own
        self._asks = True
        if len(self._under_way) == 1:
            return self._under_way[0]
        for one in self._under_way:
            one.unclear = True
        return None
