"""Which URLs may be fetched: public ones, checked by the address that is then connected to.

A page, a search result or a model may name any URL, and the machine Weiwo runs on reaches more than the public does:
its own services, an intranet, a cloud's metadata. So a URL is read strictly first (what two parsers could read
differently is refused), and then the address of every connection, redirects included, is checked where it is
opened: what the name resolved to at the check is what is connected to, so that DNS cannot change its mind in between.
"""

import asyncio
import ipaddress
import re
import socket
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import SplitResult, urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Finds the addresses of a host name, for a port. Raises OSError where there is none."""

LONGEST_URL: Final = 2_048
MOST_ADDRESSES: Final = 16
RESOLVE_SECONDS: Final = 5.0

_HOST: Final = re.compile(
    r"(?=.{1,253}\Z)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
)
_NUMERIC: Final = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+))*")
_LOCAL_NAMES: Final = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "home.arpa", "localdomain")
_PORTS: Final = frozenset({80, 443})
_REFUSED: Final[tuple[tuple[Network, str], ...]] = tuple(
    (ipaddress.ip_network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", "an unspecified address"),
        ("10.0.0.0/8", "a private address"),
        ("100.64.0.0/10", "a carrier's shared address"),
        ("127.0.0.0/8", "a loopback address"),
        ("169.254.0.0/16", "a link-local or metadata address"),
        ("172.16.0.0/12", "a private address"),
        ("192.0.0.0/24", "a reserved address"),
        ("192.0.2.0/24", "a reserved address"),
        ("192.88.99.0/24", "a reserved address"),
        ("192.168.0.0/16", "a private address"),
        ("198.18.0.0/15", "a private address"),
        ("198.51.100.0/24", "a reserved address"),
        ("203.0.113.0/24", "a reserved address"),
        ("224.0.0.0/4", "a multicast address"),
        ("240.0.0.0/4", "a reserved address"),
        ("168.63.129.16/32", "a metadata address"),
        ("::/128", "an unspecified address"),
        ("::1/128", "a loopback address"),
        ("64:ff9b:1::/48", "a private address"),
        ("100::/64", "a reserved address"),
        ("2001::/23", "a reserved address"),
        ("2001:db8::/32", "a reserved address"),
        ("3fff::/20", "a reserved address"),
        ("5f00::/16", "a reserved address"),
        ("fc00::/7", "a private address"),
        ("fe80::/10", "a link-local address"),
        ("fec0::/10", "a private address"),
        ("ff00::/8", "a multicast address"),
    )
)
_CARRIES_V4: Final[tuple[tuple[ipaddress.IPv6Network, int], ...]] = (
    (ipaddress.IPv6Network("::ffff:0:0/96"), 0),  # mapped
    (ipaddress.IPv6Network("::ffff:0:0:0/96"), 0),  # translated
    (ipaddress.IPv6Network("::/96"), 0),  # compatible
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),  # NAT64
    (ipaddress.IPv6Network("2002::/16"), 80),  # 6to4
)
"""Forms of IPv6 that lead to an IPv4 address, and how many bits stand behind that."""


class UrlRefusedError(ValueError):
    """A URL that is not fetched. The message is one line: which, and why."""


async def resolve(host: str, port: int) -> Sequence[str]:
    """The addresses that the system's resolver finds."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


@dataclass(frozen=True)
class Guard:
    """Decides what may be fetched.

    Attributes:
        allowed: What is fetched although it is not public: host names, `.example.org` for all below one, addresses
            and networks such as `10.1.0.0/16`, each with `:PORT` if only that port is meant.
        resolver: Finds addresses; tests bring their own.
    """

    allowed: tuple[str, ...] = ()
    resolver: Resolver = field(default=resolve, compare=False)

    def check_url(self, url: str) -> SplitResult:
        """Read a URL strictly.

        Args:
            url: An absolute URL.

        Returns:
            Its parts.

        Raises:
            UrlRefusedError: It is malformed, ambiguous, not HTTP, or names a host that is plainly not public.
        """
        if len(url) > LONGEST_URL:
            raise _refused(url, f"it is longer than {LONGEST_URL} characters")
        if any(char <= " " or char == "\x7f" or unicodedata.category(char) in {"Cc", "Cf", "Zs"} for char in url):
            raise _refused(url, "it has a blank or a control character in it")
        if "\\" in url:
            raise _refused(url, "it has a backslash in it")
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise _refused(url, f"it cannot be read: {error}") from None
        if parts.scheme not in {"http", "https"}:
            raise _refused(url, f"its scheme is {parts.scheme or 'missing'}, not http or https")
        if "@" in parts.netloc:
            raise _refused(url, "it has a user name in it")
        host = _ascii(parts.hostname or "", url)
        number = port if port is not None else 443 if parts.scheme == "https" else 80
        address = _literal(host, url)
        if address is not None:
            self.check_address(address, number, host=host, shown=url)
        elif not self._named(host, number):
            _check_name(host, url)
        if number not in _PORTS and number < 1024 and not self._excepted(host, address, number):
            raise _refused(url, f"port {number} is not one of the web's")
        return parts

    async def addresses(self, host: str, port: int) -> tuple[Address, ...]:
        """The addresses of a host that may be connected to: all that it has, or none.

        Raises:
            UrlRefusedError: One of its addresses is not public.
            OSError: It has none.
        """
        name = _ascii(host.strip("[]"), host)
        literal = _literal(name, host)
        if literal is not None:
            self.check_address(literal, port, host=name, shown=host)
            return (literal,)
        try:
            async with asyncio.timeout(RESOLVE_SECONDS):
                texts = await self.resolver(name, port)
        except UnicodeError:
            raise _refused(host, "its name cannot be looked up") from None
        found = tuple(dict.fromkeys(ipaddress.ip_address(text.partition("%")[0]) for text in texts))
        if not found:
            raise OSError(f"{name} has no address")
        for address in found:
            self.check_address(address, port, host=name, shown=host)
        return found[:MOST_ADDRESSES]

    def check_address(self, address: Address, port: int, *, host: str, shown: str) -> None:
        """Pass a public address, or one that is allowed.

        Raises:
            UrlRefusedError: It is neither.
        """
        if self._excepted(host, address, port):
            return
        inner = _inner(address)
        kind = next((kind for network, kind in _REFUSED if inner in network), None)
        if kind is None and not (inner.is_global and not inner.is_multicast):
            kind = "not a public address"
        if kind is not None:
            where = "it leads to" if str(address) != host else "it is"
            raise _refused(shown, f"{where} {address}, {kind}; allow it by WEIWO_ALLOW_HOSTS if you mean it")

    def _excepted(self, host: str, address: Address | None, port: int) -> bool:
        return self._named(host, port) or any(
            address is not None and network is not None and address in network and wanted in {None, port}
            for network, wanted in map(_as_network, self.allowed)
        )

    def _named(self, host: str, port: int) -> bool:
        for entry in self.allowed:
            name, wanted = _entry(entry)
            same = host.endswith(name) if name.startswith(".") else host == name
            if same and wanted in {None, port}:
                return True
        return False


def _refused(url: str, why: str) -> UrlRefusedError:
    shown = "".join(char if char.isprintable() else "?" for char in url[:200])
    return UrlRefusedError(f"{shown} is not fetched: {why}")


def _ascii(host: str, url: str) -> str:
    """The host as DNS would be asked: folded, in ASCII, without the dot at its end."""
    folded = unicodedata.normalize("NFKC", host).lower().replace("。", ".")
    folded = folded.removesuffix(".")
    if not folded:
        raise _refused(url, "it names no host")
    if folded.isascii():
        return folded
    try:
        return folded.encode("idna").decode()
    except UnicodeError:
        raise _refused(url, "its host name is not one") from None


def _literal(host: str, url: str) -> Address | None:
    """The address that a host is, in the one form that every parser reads alike."""
    if ":" in host:
        try:
            return ipaddress.IPv6Address(host)
        except ValueError:
            raise _refused(url, "its host is not an address") from None
    if not _NUMERIC.fullmatch(host):
        return None
    try:
        return ipaddress.IPv4Address(host)
    except ValueError:
        raise _refused(url, "its host is a number in a form that hides an address") from None


def _check_name(host: str, url: str) -> None:
    if not _HOST.fullmatch(host):
        raise _refused(url, "its host name is not one")
    if "." not in host or any(host == name or host.endswith(f".{name}") for name in _LOCAL_NAMES):
        raise _refused(url, "its host is not a public name; allow it by WEIWO_ALLOW_HOSTS if you mean it")
    if _NUMERIC.fullmatch(host.rpartition(".")[2]):
        raise _refused(url, "its host ends in a number and is no address")


def _inner(address: Address) -> Address:
    """The IPv4 address that a form of IPv6 leads to, or the address itself."""
    if isinstance(address, ipaddress.IPv6Address) and address not in _PLAIN_V6:
        for network, behind in _CARRIES_V4:
            if address in network:
                return ipaddress.IPv4Address(int(address) >> behind & 0xFFFFFFFF)
    return address


_PLAIN_V6: Final = frozenset({ipaddress.IPv6Address("::"), ipaddress.IPv6Address("::1")})


def _entry(entry: str) -> tuple[str, int | None]:
    """An allowed host or network, and the one port that is meant."""
    text = entry.strip().lower()
    name, colon, port = text.rpartition(":")
    if colon and port.isdecimal() and (":" not in name or name.endswith("]")):
        return name.strip("[]"), int(port)
    return text.strip("[]"), None


def _as_network(entry: str) -> tuple[Network | None, int | None]:
    name, port = _entry(entry)
    try:
        return ipaddress.ip_network(name, strict=False), port
    except ValueError:
        return None, port


def check_allowed(entries: Iterable[str]) -> tuple[str, ...]:
    """The allowed hosts, each checked.

    Raises:
        ValueError: One is neither a host name, an address nor a network; the message names it.
    """
    kept = tuple(entry.strip() for entry in entries if entry.strip())
    for entry in kept:
        name, _ = _entry(entry)
        if _as_network(entry)[0] is None and not _HOST.fullmatch(name.removeprefix(".")):
            raise ValueError(f"{entry[:60]!r} is not a host name, an address or a network such as 10.1.0.0/16")
    return kept
