"""HTTP transport with connections limited to addresses allowed by the guard."""

import ipaddress
import socket
from collections.abc import Iterable
from functools import cache
from ssl import SSLContext
from typing import Any, Final

import httpcore
import httpx

from weiwo.state.errors import WeiwoError
from weiwo.tools.web.fetching.url_guard import UrlGuard, UrlRefusedError

_CONNECT_SECONDS: Final = 5.0
"""Time limit for connecting to an address. Then the host's next address is tried."""
_NOBODY: Final = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})


class UnknownHostError(WeiwoError, OSError):
    """Error raised if a host name does not exist. The message is the name."""


@cache
def _trusted_certificates() -> SSLContext:
    return httpx.create_ssl_context(trust_env=False)  # reading the certificates takes a while


class GuardedTransport(httpx.AsyncHTTPTransport):
    """httpx transport with addresses checked by a guard when a connection opens.

    Proxies of the environment are not used: behind a proxy, the proxy would look names up. Made in a thread, since the
    first transport reads certificates.
    """

    def __init__(self, guard: UrlGuard) -> None:
        limits = httpx.Limits(max_connections=8, keepalive_expiry=2)
        super().__init__(http2=True, verify=_trusted_certificates(), trust_env=False, limits=limits)
        if not hasattr(self._pool, "_network_backend"):  # httpx offers no public way to it
            raise RuntimeError("this version of httpcore has no network backend to guard; pages cannot be fetched")
        self._pool._network_backend = GuardedBackend(guard)  # noqa: SLF001


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """httpcore network backend that connects only to addresses allowed by the guard."""

    def __init__(self, guard: UrlGuard, inner: httpcore.AsyncNetworkBackend | None = None) -> None:
        self._guard = guard
        self._inner = inner or httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first reachable address of a host.

        Raises:
            UrlRefusedError: An address is not public, or is this machine, and no allow-list opens it.
            UnknownHostError: The host name does not exist.
            httpcore.ConnectError: DNS failed, or no address can be reached.
        """
        try:
            addresses = await self._guard.addresses(host, port)
        except OSError as error:
            if isinstance(error, socket.gaierror) and error.errno in _NOBODY:
                raise UnknownHostError(host) from None
            raise httpcore.ConnectError(str(error)) from error
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        bound = min(timeout or _CONNECT_SECONDS, _CONNECT_SECONDS)
        for address in addresses:
            try:
                stream = await self._inner.connect_tcp(str(address), port, bound, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
                continue
            if _is_this_machine(stream) and not self._guard.allows(host, port, address):
                await stream.aclose()
                raise UrlRefusedError(f"{host} is not fetched: it leads to {address}, this machine itself")
            return stream
        raise failure

    async def connect_unix_socket(self, *args: Any, **kwargs: Any) -> httpcore.AsyncNetworkStream:  # noqa: ARG002
        """Refuse the connection: pages are not fetched from socket files."""
        raise httpcore.ConnectError("a socket file is not on the web")

    async def sleep(self, seconds: float) -> None:
        """Wait for some seconds, as httpcore does between retries."""
        await self._inner.sleep(seconds)


def _is_this_machine(stream: httpcore.AsyncNetworkStream) -> bool:
    """Report whether a connection ends at this machine.

    A public address may be this machine's own.
    """
    ends = [stream.get_extra_info(name) for name in ("client_addr", "server_addr")]
    if not all(isinstance(end, tuple) and end for end in ends):
        return False
    ours, theirs = (ipaddress.ip_address(str(end[0]).partition("%")[0]) for end in ends)
    return ours == theirs
