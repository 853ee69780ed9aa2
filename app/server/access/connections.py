"""Connection limits: time limits for request heads, and eviction of silent connections.

A server with a bounded number of connections is blocked for everybody by a client that opens that many and says nothing
(slow loris). Here a connection is closed if its next head is not complete in time or is too long. Each address has a
share of the connections, and if all are taken, the connection that has been silent longest is closed. Behind a proxy
all connections come from its address, so a proxy is exempt from the share and has to limit its own clients.
"""

import asyncio
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any, Final, cast

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from weiwo.app.server.access.profiles import is_loopback

_MOST_HEAD_BYTES: Final = 65_536
_SPARE: Final = 8
"""Silent connections are closed this far below the limit, because a closed connection only ends a moment later."""


@dataclass(frozen=True)
class ConnectionLimits:
    """Limits on the number of connections and on silence."""

    most: int = 1_000  # connections of all
    most_an_address: int = 100  # connections of one address that is no proxy
    head_seconds: float = 10.0  # seconds for a request's head
    proxies: str = ""  # addresses and networks of proxies, as `FORWARDED_ALLOW_IPS` lists them; loopback counts as one

    def has_share(self, address: str) -> bool:
        """Report whether `most_an_address` applies. Proxies, loopback and unknown addresses are exempt."""
        if not address or is_loopback(address):
            return False
        for part in self.proxies.split(","):
            try:
                if part.strip() == "*" or ip_address(address) in ip_network(part.strip(), strict=False):
                    return False
            except ValueError:  # a name, or empty
                continue
        return True


class _LimitedConnection(asyncio.Protocol):
    """Mixin for a protocol of uvicorn. The attributes are uvicorn's, except the limits."""

    limits: ConnectionLimits
    connections: set[Any]
    transport: asyncio.Transport
    client: tuple[str, int] | None
    cycle: Any
    loop: asyncio.AbstractEventLoop
    silent_since: float = 0.0
    _timer: asyncio.TimerHandle | None = None
    _head_bytes: int = 0

    @property
    def awaits_head(self) -> bool:
        """Report whether the connection has no request in progress."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._start_timer()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self.awaits_head:
            self._stop_timer()
            return
        self._start_timer()
        drained = self.cycle is not None and self.cycle.more_body  # the rest of a body that was refused
        self._head_bytes += 0 if drained else len(data)
        if self._head_bytes > _MOST_HEAD_BYTES:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        if self._timer is None:
            self.silent_since = self.loop.time()
            self._timer = self.loop.call_later(self.limits.head_seconds, self._close_silent)

    def _stop_timer(self) -> None:
        self._head_bytes = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close_silent(self) -> None:
        self._timer = None
        if self.awaits_head:
            self.transport.abort()

    def _make_room(self) -> None:
        """Close the longest silent connection if a limit is exceeded.

        If an address exceeds its share and has no silent connection, this connection is closed instead.
        """
        address = self.client[0] if self.client else ""
        own = [connection for connection in self.connections if connection.client and connection.client[0] == address]
        if len(own) > self.limits.most_an_address and self.limits.has_share(address):
            others = [item for item in own if item is not self and _is_silent(item)]
            _close_oldest(others or [self])
        elif len(self.connections) > self.limits.most - _SPARE:
            _close_oldest([connection for connection in self.connections if connection is not self])


def _is_silent(item: _LimitedConnection) -> bool:
    return item.awaits_head and not item.transport.is_closing()


def _close_oldest(connections: list[_LimitedConnection]) -> None:
    silent = filter(_is_silent, connections)
    if (oldest := min(silent, key=lambda item: item.silent_since, default=None)) is not None:
        oldest.transport.abort()


def limited_protocol(limits: ConnectionLimits) -> type[asyncio.Protocol]:
    """Return a subclass of uvicorn's HTTP protocol that enforces the limits."""
    made = type("LimitedProtocol", (_LimitedConnection, cast("type", AutoHTTPProtocol)), {"limits": limits})
    return cast("type[asyncio.Protocol]", made)
