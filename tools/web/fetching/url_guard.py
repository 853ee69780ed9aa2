"""The URL guard: only public URLs are fetched, and each connection address is checked.

A page, a search result or a model may name any URL, and the machine running Weiwo reaches more than the public does:
its own services, an intranet, a cloud's metadata. A URL is therefore parsed strictly first. A URL that two parsers
could read differently is refused, and the client gets the URL rebuilt from the checked parts. Then the address of every
connection, redirects included, is checked when the connection is opened: the client connects to the address that was
checked, so DNS cannot change its answer in between.
"""

import asyncio
import ipaddress
import socket
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final
from urllib.parse import SplitResult, urlsplit

from weiwo.state.errors import WeiwoError
from weiwo.text.patterns import lazy
from weiwo.tools.web.fetching.allow_list import HOST, NUMERIC, ascii_host, is_web_port, parse_allow_list
from weiwo.tools.web.fetching.ip_addresses import Address, is_never_fetched, non_public_kind

_Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Resolves a host name and a port to addresses. Raises OSError if there are none."""

_LONGEST_URL: Final = 2_048
_MOST_ADDRESSES: Final = 16
_RESOLVE_SECONDS: Final = 5.0

_NETLOC: Final = lazy(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]:@]+))(?::(?P<port>[0-9]{0,5}))?")
_LOCAL_NAMES: Final = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "home.arpa", "localdomain")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_ALLOW: Final = "if intended, allow it with WEIWO_ALLOW_HOSTS"


class UrlRefusedError(WeiwoError, ValueError):
    """Error raised if the guard refuses a URL.

    The message is one line with the URL and the reason.
    """


async def _resolve_host(host: str, port: int) -> Sequence[str]:
    """Return the addresses found by the system's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


class UrlGuard:
    """Guard that decides which URLs are fetched and which addresses are connected to.

    Args:
        allow: Hosts and networks that are fetched although they are not public: see
            `weiwo.tools.web.fetching.allow_list.parse_allow_list`.
        resolver: Replaces the system's DNS resolver in tests.

    Raises:
        ValueError: An entry of `allow` is invalid. The message is one line that names it.
    """

    def __init__(self, allow: Iterable[str] = (), resolver: _Resolver = _resolve_host) -> None:
        self._allowed = parse_allow_list(allow)
        self._resolver = resolver

    @property
    def identity(self) -> str:
        """Text that is equal for equal allow-lists, used as part of cache keys."""
        entries = {f"{entry.name or entry.network}:{entry.port or ''}" for entry in self._allowed}
        return ",".join(sorted(entries))

    def check_url(self, url: str) -> SplitResult:
        """Parse and check a URL, without DNS.

        Returns:
            The URL's parts: the host in ASCII, no default port, no fragment. Request `geturl()` of it, not `url`.

        Raises:
            UrlRefusedError: The URL is malformed, ambiguous or not HTTP, names a host or address that is not public,
                or a port that is no web port, and the allow-list does not open it.
        """
        parts, host, port = _parse_url(url)
        address = _parse_literal(host, url)
        if address is not None:
            self.check_address(address, port, host=host, shown=url)
        elif not self.allows(host, port):
            _check_name(host, url)
        if not (is_web_port(port) or self.allows(host, port, address)):
            raise _refusal(url, f"port {port} is not a web port")
        shown = f"[{host}]" if ":" in host else host
        netloc = shown if port == _DEFAULT_PORTS[parts.scheme] else f"{shown}:{port}"
        return parts._replace(netloc=netloc, fragment="")

    async def addresses(self, host: str, port: int) -> tuple[Address, ...]:
        """Resolve a host to up to 16 addresses that may be connected to.

        If one address is refused, the whole host is refused.

        Raises:
            UrlRefusedError: An address of the host is not public, and the allow-list does not open it.
            OSError: The host has no address (`socket.gaierror`), or no address was found in time.
        """
        name = _normalize_host(host.strip("[]"), host)
        literal = _parse_literal(name, host)
        if literal is not None:
            self.check_address(literal, port, host=name, shown=host)
            return (literal,)
        try:
            async with asyncio.timeout(_RESOLVE_SECONDS):
                texts = await self._resolver(name, port)
        except UnicodeError:
            raise _refusal(host, "its name cannot be looked up") from None
        except TimeoutError:
            raise OSError(f"the address of {name} was not found within {_RESOLVE_SECONDS:g} s") from None
        found = tuple(dict.fromkeys(ipaddress.ip_address(text.partition("%")[0]) for text in texts))
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, f"{name} has no address")
        for address in found:
            self.check_address(address, port, host=name, shown=host)
        return found[:_MOST_ADDRESSES]

    def check_address(self, address: Address, port: int, *, host: str, shown: str) -> None:
        """Raise an error unless an address is public, or opened by the allow-list.

        Args:
            address: The address to check.
            port: Port of the connection.
            host: Host name that led to the address, or the address itself.
            shown: URL or host for the message.

        Raises:
            UrlRefusedError: The address is neither.
        """
        kind = non_public_kind(address)
        never = is_never_fetched(address)
        if not kind or (not never and (self.allows("", port, address) or self.allows(host, port))):
            return
        where = "it resolves to" if str(address) != host else "it is"
        what = "no setting allows it" if never else _ALLOW
        raise _refusal(shown, f"{where} {address}, {kind}; {what}")

    def allows(self, host: str, port: int, address: Address | None = None) -> bool:
        """Report whether the allow-list opens a host name or an address, at a port."""
        return any(
            entry.opens(host, port) or (address is not None and entry.reaches(address, port)) for entry in self._allowed
        )

    def is_own(self, parts: SplitResult) -> bool:
        """Report whether the user's allow-list opens the host of a URL that `check_url` returned."""
        host = parts.hostname or ""
        return self.allows(host, parts.port or _DEFAULT_PORTS[parts.scheme], _parse_literal(host, host))


def _refusal(url: str, why: str) -> UrlRefusedError:
    shown = "".join(char if char.isprintable() else "?" for char in url[:200])
    return UrlRefusedError(f"{shown} is not fetched: {why}")


def _parse_url(url: str) -> tuple[SplitResult, str, int]:
    """Parse a URL strictly into parts, the normalized host for DNS, and the port."""
    if len(url) > _LONGEST_URL:
        raise _refusal(url, f"it is longer than {_LONGEST_URL} characters")
    if any(char.isspace() or unicodedata.category(char) == "Cc" for char in url):
        raise _refusal(url, "it contains a space or a control character")
    if "\\" in url:
        raise _refusal(url, "it contains a backslash")
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise _refusal(url, f"it is not a valid URL: {error}") from None
    if parts.scheme not in _DEFAULT_PORTS:
        raise _refusal(url, f"its scheme is {parts.scheme or 'missing'}, not http or https")
    if "@" in parts.netloc:
        raise _refusal(url, "it contains a user name")
    if not parts.netloc:
        raise _refusal(url, "it has no host")
    if any(unicodedata.category(char) == "Cf" for char in parts.netloc):
        raise _refusal(url, "its host contains an invisible character")
    found = _NETLOC.fullmatch(parts.netloc)
    if found is None:
        raise _refusal(url, "its host or port is invalid")
    port = int(found["port"]) if found["port"] else _DEFAULT_PORTS[parts.scheme]
    if not 0 < port < 65536:
        raise _refusal(url, f"port {port} does not exist")
    return parts, found["v6"].lower() if found["v6"] else _normalize_host(found["name"], url), port


def _normalize_host(host: str, url: str) -> str:
    """Normalize a host for DNS: folded, in ASCII, without a trailing dot."""
    folded = unicodedata.normalize("NFKC", host).lower().replace("。", ".").removesuffix(".")
    if not folded:
        raise _refusal(url, "it has no host")
    name = ascii_host(folded)
    if not name:
        raise _refusal(url, "its host name is invalid")
    return name


def _parse_literal(host: str, url: str) -> Address | None:
    """Return the IP address written as a host, or None for a host name.

    Raises:
        UrlRefusedError: The host looks like an address, but is not in the form that all parsers read alike, as `127.1`.
    """
    if ":" in host:
        try:
            return ipaddress.IPv6Address(host)
        except ValueError:
            raise _refusal(url, "its host is not a valid address") from None
    if not NUMERIC.fullmatch(host):
        return None
    try:
        return ipaddress.IPv4Address(host)
    except ValueError:
        raise _refusal(url, "its host is a number that hides an address") from None


def _check_name(host: str, url: str) -> None:
    if not HOST.fullmatch(host):
        raise _refusal(url, "its host name is invalid")
    if "." not in host or any(host == name or host.endswith(f".{name}") for name in _LOCAL_NAMES):
        raise _refusal(url, f"its host is not a public name; {_ALLOW}")
    if NUMERIC.fullmatch(host.rpartition(".")[2]):
        raise _refusal(url, "its host ends in a number but is not an address")
