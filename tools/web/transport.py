"""An HTTP transport that connects only where the guard lets it."""

from collections.abc import Iterable
from typing import Any

import httpcore
import httpx

from tools.web.guard import Guard


class GuardedTransport(httpx.AsyncHTTPTransport):
    """httpx over connections whose addresses were checked by a guard, at the moment they are opened.

    Proxies of the environment are not used: behind one, it would be the proxy that looks names up.
    """

    def __init__(self, guard: Guard) -> None:
        super().__init__(http2=True, trust_env=False, limits=httpx.Limits(max_connections=8, keepalive_expiry=2))
        if not hasattr(self._pool, "_network_backend"):  # httpx offers no public way to it
            raise RuntimeError("this version of httpcore has no network backend to guard; pages cannot be fetched")
        self._pool._network_backend = _GuardedBackend(guard)  # noqa: SLF001


class _GuardedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections to checked addresses."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            addresses = await self._guard.addresses(host, port)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                return await self._inner.connect_tcp(str(address), port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def connect_unix_socket(self, *args: Any, **kwargs: Any) -> httpcore.AsyncNetworkStream:  # noqa: ARG002
        raise httpcore.ConnectError("a socket file is not on the web")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)
