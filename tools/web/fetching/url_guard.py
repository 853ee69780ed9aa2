"""The URL guard: only public URLs are fetched, checked by the address that is then connected to.

A page, a search result or a model may name any URL, and the machine Weiwo runs on reaches more than the public does:
its own services, an intranet, a cloud's metadata. So a URL is read strictly first: what two parsers could read
differently is refused, and the client gets the URL written anew from the parts that were checked. Then the address
of every connection, redirects included, is checked where it is opened: what the name resolved to at the check is what
is connected to, so that DNS cannot change its mind in between.
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
"""Finds the addresses of a host name, for a port. Raises OSError where there is none."""

_LONGEST_URL: Final = 2_048
_MOST_ADDRESSES: Final = 16
_RESOLVE_SECONDS: Final = 5.0

_NETLOC: Final = lazy(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]:@]+))(?::(?P<port>[0-9]{0,5}))?")
_LOCAL_NAMES: Final = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "home.arpa", "localdomain")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_ALLOW: Final = "allow it by WEIWO_ALLOW_HOSTS if you mean it"


class UrlRefusedError(WeiwoError, ValueError):
    """A URL that is not fetched. The message is one line: which, and why."""


async def _resolve_host(host: str, port: int) -> Sequence[str]:
    """The addresses that the system's resolver finds."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


class UrlGuard:
    """Decides what may be fetched.

    Args:
        allow: What is fetched although it is not public: see `weiwo.tools.web.fetching.allow_list.parse_allow_list`.
        resolver: Finds addresses; tests bring their own.

    Raises:
        ValueError: An entry of `allow` cannot be understood; one line that names it.
    """

    def __init__(self, allow: Iterable[str] = (), resolver: _Resolver = _resolve_host) -> None:
        self._allowed = parse_allow_list(allow)
        self._resolver = resolver

    @property
    def identity(self) -> str:
        """Equal for guards that let the same through, as far as their allow-lists tell."""
        entries = {f"{entry.name or entry.network}:{entry.port or ''}" for entry in self._allowed}
        return ",".join(sorted(entries))

    def check_url(self, url: str) -> SplitResult:
        """Read a URL strictly.

        Returns:
            Its parts: the host in ASCII, no default port, no fragment. `geturl()` of it is what may be asked for.

        Raises:
            UrlRefusedError: It is malformed, ambiguous, not HTTP, or names a host that is plainly not public.
        """
        parts, host, port = _parse_url(url)
        address = _parse_literal(host, url)
        if address is not None:
            self.check_address(address, port, host=host, shown=url)
        elif not self.allows(host, port):
            _check_name(host, url)
        if not (is_web_port(port) or self.allows(host, port, address)):
            raise _refusal(url, f"port {port} is not one of the web's")
        shown = f"[{host}]" if ":" in host else host
        netloc = shown if port == _DEFAULT_PORTS[parts.scheme] else f"{shown}:{port}"
        return parts._replace(netloc=netloc, fragment="")

    async def addresses(self, host: str, port: int) -> tuple[Address, ...]:
        """The addresses of a host that may be connected to: all that it has, or none.

        Raises:
            UrlRefusedError: One of its addresses is not public.
            OSError: It has none (`socket.gaierror`), or none was found in time.
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
        """Pass a public address, or one that is allowed.

        Raises:
            UrlRefusedError: It is neither.
        """
        kind = non_public_kind(address)
        never = is_never_fetched(address)
        if not kind or (not never and (self.allows("", port, address) or self.allows(host, port))):
            return
        where = "it leads to" if str(address) != host else "it is"
        what = "no setting allows it" if never else _ALLOW
        raise _refusal(shown, f"{where} {address}, {kind}; {what}")

    def allows(self, host: str, port: int, address: Address | None = None) -> bool:
        """Whether the allow-list opens this host by its name, or this address."""
        return any(
            entry.opens(host, port) or (address is not None and entry.reaches(address, port)) for entry in self._allowed
        )

    def is_own(self, parts: SplitResult) -> bool:
        """Whether a URL that passed is the user's own: opened by the allow-list."""
        host = parts.hostname or ""
        return self.allows(host, parts.port or _DEFAULT_PORTS[parts.scheme], _parse_literal(host, host))


def _refusal(url: str, why: str) -> UrlRefusedError:
    shown = "".join(char if char.isprintable() else "?" for char in url[:200])
    return UrlRefusedError(f"{shown} is not fetched: {why}")


def _parse_url(url: str) -> tuple[SplitResult, str, int]:
    """The parts of a URL, its host as DNS is asked for it, and its port."""
    if len(url) > _LONGEST_URL:
        raise _refusal(url, f"it is longer than {_LONGEST_URL} characters")
    if any(char.isspace() or unicodedata.category(char) == "Cc" for char in url):
        raise _refusal(url, "it has a blank or a control character in it")
    if "\\" in url:
        raise _refusal(url, "it has a backslash in it")
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise _refusal(url, f"it cannot be read: {error}") from None
    if parts.scheme not in _DEFAULT_PORTS:
        raise _refusal(url, f"its scheme is {parts.scheme or 'missing'}, not http or https")
    if "@" in parts.netloc:
        raise _refusal(url, "it has a user name in it")
    if not parts.netloc:
        raise _refusal(url, "it names no host")
    if any(unicodedata.category(char) == "Cf" for char in parts.netloc):
        raise _refusal(url, "its host has an invisible character in it")
    found = _NETLOC.fullmatch(parts.netloc)
    if found is None:
        raise _refusal(url, "its host and port cannot be read")
    port = int(found["port"]) if found["port"] else _DEFAULT_PORTS[parts.scheme]
    if not 0 < port < 65536:
        raise _refusal(url, f"there is no port {port}")
    return parts, found["v6"].lower() if found["v6"] else _normalize_host(found["name"], url), port


def _normalize_host(host: str, url: str) -> str:
    """The host as DNS is asked for it: folded, in ASCII, without the dot at its end."""
    folded = unicodedata.normalize("NFKC", host).lower().replace("。", ".").removesuffix(".")
    if not folded:
        raise _refusal(url, "it names no host")
    name = ascii_host(folded)
    if not name:
        raise _refusal(url, "its host name is not one")
    return name


def _parse_literal(host: str, url: str) -> Address | None:
    """The address that a host is, in the one form that every parser reads alike."""
    if ":" in host:
        try:
            return ipaddress.IPv6Address(host)
        except ValueError:
            raise _refusal(url, "its host is not an address") from None
    if not NUMERIC.fullmatch(host):
        return None
    try:
        return ipaddress.IPv4Address(host)
    except ValueError:
        raise _refusal(url, "its host is a number in a form that hides an address") from None


def _check_name(host: str, url: str) -> None:
    if not HOST.fullmatch(host):
        raise _refusal(url, "its host name is not one")
    if "." not in host or any(host == name or host.endswith(f".{name}") for name in _LOCAL_NAMES):
        raise _refusal(url, f"its host is not a public name; {_ALLOW}")
    if NUMERIC.fullmatch(host.rpartition(".")[2]):
        raise _refusal(url, "its host ends in a number and is no address")
