"""The allow-list, and the classification of IP addresses that are not of the public internet.

Addresses are classified after the special-purpose registries of IANA (RFC 6890 and its updates), the metadata services
of the clouds, and the forms of IPv6 that lead to an IPv4 address. The allow-list names hosts and networks of an
intranet that may be fetched from although they are not public.
"""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import idna

from weiwo.text.patterns import lazy
from weiwo.tools.printable import one_line

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_METADATA: Final = "a metadata address"
_LINK_LOCAL: Final = "a link-local or metadata address"
_MULTICAST: Final = "a multicast address"
_UNSPECIFIED: Final = "an unspecified address"
_NO_HOST: Final = frozenset({_METADATA, _LINK_LOCAL, _MULTICAST, _UNSPECIFIED})
"""Kinds that no host of an intranet has: what a name leads to there was put into the DNS by somebody who means harm."""

_KINDS: Final[tuple[tuple[_Network, str], ...]] = tuple(
    (ipaddress.ip_network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", _UNSPECIFIED),
        ("10.0.0.0/8", "a private address"),
        ("100.100.100.200/32", _METADATA),
        ("100.64.0.0/10", "a carrier's shared address"),
        ("127.0.0.0/8", "a loopback address"),
        ("168.63.129.16/32", _METADATA),
        ("169.254.0.0/16", _LINK_LOCAL),
        ("172.16.0.0/12", "a private address"),
        ("192.0.0.192/32", _METADATA),
        ("192.0.0.0/24", "a reserved address"),
        ("192.0.2.0/24", "a reserved address"),
        ("192.88.99.0/24", "a reserved address"),
        ("192.168.0.0/16", "a private address"),
        ("198.18.0.0/15", "a private address"),
        ("198.51.100.0/24", "a reserved address"),
        ("203.0.113.0/24", "a reserved address"),
        ("224.0.0.0/4", _MULTICAST),
        ("240.0.0.0/4", "a reserved address"),
        ("::/128", _UNSPECIFIED),
        ("::1/128", "a loopback address"),
        ("64:ff9b:1::/48", "a private address"),
        ("100::/64", "a reserved address"),
        ("2001::/23", "a reserved address"),
        ("2001:db8::/32", "a reserved address"),
        ("3fff::/20", "a reserved address"),
        ("5f00::/16", "a reserved address"),
        ("fd00:ec2::254/128", _METADATA),
        ("fd20:ce::254/128", _METADATA),
        ("fc00::/7", "a private address"),
        ("fe80::/10", _LINK_LOCAL),
        ("fec0::/10", "a private address"),
        ("ff00::/8", _MULTICAST),
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
_PLAIN_V6: Final = frozenset({ipaddress.IPv6Address("::"), ipaddress.IPv6Address("::1")})
_ISATAP: Final = frozenset({0x00005EFE, 0x02005EFE})
"""What stands before the IPv4 address in the last 64 bits of an ISATAP address (RFC 5214, section 6.1)."""


def non_public_kind(address: Address) -> str:
    """What kind of address it is that is not public, such as "a private address"; empty for a public one."""
    inner = _embedded_address(address)
    for network, kind in _KINDS:
        if inner in network:
            return kind
    return "" if inner.is_global and not inner.is_multicast else "not a public address"


_LOCAL_NAT64: Final = ipaddress.IPv6Network("64:ff9b:1::/48")
_TEREDO: Final = ipaddress.IPv6Network("2001::/32")


def is_never_fetched(address: Address) -> bool:
    """Whether no allow-list opens an address: metadata, link-local, multicast, unspecified, in any form.

    Forms of IPv6 that are private themselves, so that `::/0` would open them, are looked into as well.
    """
    if non_public_kind(address) in _NO_HOST:
        return True
    number = int(address)
    inner = []
    if address in _LOCAL_NAT64:  # the IPv4 address at the end, or where RFC 6052 puts it behind 48 bits
        inner = [number & 0xFFFFFFFF, (number >> 64 & 0xFFFF) << 16 | number >> 40 & 0xFFFF]
    elif address in _TEREDO:  # inverted, RFC 4380
        inner = [~number & 0xFFFFFFFF]
    return any(non_public_kind(ipaddress.IPv4Address(one & 0xFFFFFFFF)) in _NO_HOST for one in inner)


def _never_fetched_kind(network: _Network) -> str:
    """The kind of addresses of a network none of which is ever fetched from; empty for other networks."""
    for known, kind in _KINDS:
        inside = network.version == known.version and network.network_address in known
        if kind in _NO_HOST and inside and network.prefixlen >= known.prefixlen:
            return kind
    return ""


def _embedded_address(address: Address) -> Address:
    """The IPv4 address that a form of IPv6 leads to, or the address itself."""
    if isinstance(address, ipaddress.IPv6Address) and address not in _PLAIN_V6:
        number = int(address)
        for network, behind in _CARRIES_V4:
            if address in network:
                return ipaddress.IPv4Address(number >> behind & 0xFFFFFFFF)
        if number >> 32 & 0xFFFFFFFF in _ISATAP:
            return ipaddress.IPv4Address(number & 0xFFFFFFFF)
    return address


HOST: Final = lazy(
    r"(?=.{1,253}\Z)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
)
"""A host name in lower case, as DNS takes it."""
NUMERIC: Final = lazy(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+))*")
"""What some program takes for an IPv4 address."""

_ENTRY: Final = lazy(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<plain>.+?))(?::(?P<port>[0-9]{1,5}))?")
_WELL_KNOWN: Final = 1024
_WEB: Final = frozenset({80, 443})


@dataclass(frozen=True, slots=True)
class _AllowEntry:
    """One entry of an allow-list."""

    name: str  # a host name in ASCII, with a dot before it for all hosts below it; empty for a network
    network: _Network | None  # addresses, however they are named
    port: int | None  # the one port that is meant; without it, those that a public host may be fetched from

    def opens(self, host: str, port: int) -> bool:
        """Whether a host may be fetched from by this name."""
        same = host.endswith(self.name) if self.name.startswith(".") else host == self.name
        return bool(self.name) and same and self._at(port)

    def reaches(self, address: Address, port: int) -> bool:
        """Whether this address may be connected to."""
        return self.network is not None and address in self.network and self._at(port)

    def _at(self, port: int) -> bool:
        return port == self.port if self.port is not None else is_web_port(port)


def is_web_port(port: int) -> bool:
    """Whether web servers are at such a port, and not mail, files or shells."""
    return port in _WEB or port >= _WELL_KNOWN


def parse_allow_list(entries: Iterable[str]) -> tuple[_AllowEntry, ...]:
    """Read an allow-list.

    Args:
        entries: Host names, `.example.org` for all hosts below one, addresses, and networks such as `10.1.0.0/16`,
            each with `:PORT` if only that port is meant (`[::1]:8080` for IPv6).

    Raises:
        ValueError: An entry is none of these; one line that names it.
    """
    return tuple(_parse_entry(entry.strip()) for entry in entries if entry.strip())


def _parse_entry(entry: str) -> _AllowEntry:
    text = entry.lower()
    if network := _parse_network(text):  # also an IPv6 one without brackets, whose colons are no port's
        return _AllowEntry("", network, None)
    found = _ENTRY.fullmatch(text)
    port = int(found["port"]) if found and found["port"] else None
    if found is None or port == 0 or (port or 0) > 65535:
        raise _entry_error(entry)
    place = found["v6"] or found["plain"]
    network = _parse_network(place)
    if network:
        if network.version == 6 and not found["v6"]:
            raise _entry_error(entry)
        return _AllowEntry("", network, port)
    name = ascii_host(place.removesuffix(".").removeprefix("."))
    if found["v6"] or not HOST.fullmatch(name) or NUMERIC.fullmatch(name.rpartition(".")[2]):
        raise _entry_error(entry)
    return _AllowEntry(f".{name}" if place.startswith(".") else name, None, port)


def _parse_network(text: str) -> _Network | None:
    try:
        network = ipaddress.ip_network(text)
    except ValueError as error:
        if "host bits set" in str(error):
            meant = ipaddress.ip_network(text, strict=False)
            raise ValueError(f"{one_line(text, 60)!r} is no network; if you mean all of it, write {meant}") from None
        return None
    if kind := _never_fetched_kind(network):
        raise ValueError(f"{one_line(text, 60)!r} is {kind}, which is never fetched from; leave it out")
    return network


def ascii_host(name: str) -> str:
    """A host name as DNS is asked for it; a name that cannot be one comes back empty."""
    if name.isascii():
        return name
    try:
        return idna.encode(name, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        return ""


def _entry_error(entry: str) -> ValueError:
    shown = one_line(entry, 60)
    return ValueError(f"{shown!r} is not a host name, an address or a network; write it like wiki.corp or 10.1.0.0/16")
