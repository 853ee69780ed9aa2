"""The allow-list: intranet hosts and networks open to fetching although not public."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import idna

from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line
from weiwo.tools.web.fetching.ip_addresses import Address, Network, never_fetched_kind

HOST: Final = lazy(
    r"(?=.{1,253}\Z)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
)
"""A host name in lower case, as DNS takes it."""
NUMERIC: Final = lazy(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+))*")
"""Host that a program may read as an IPv4 address, such as `127.1` or `0x7f000001`."""

_ENTRY: Final = lazy(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<plain>.+?))(?::(?P<port>[0-9]{1,5}))?")
_WELL_KNOWN: Final = 1024
_WEB: Final = frozenset({80, 443})


@dataclass(frozen=True, slots=True)
class _AllowEntry:
    """Entry of an allow-list."""

    name: str  # a host name in ASCII, with a dot before it for all hosts below it; empty for a network
    network: Network | None  # addresses, under any host name; None for a host name
    port: int | None  # the only port allowed; None for all web ports

    def opens(self, host: str, port: int) -> bool:
        """Report whether the entry allows fetching from a host name."""
        same = host.endswith(self.name) if self.name.startswith(".") else host == self.name
        return bool(self.name) and same and self._at(port)

    def reaches(self, address: Address, port: int) -> bool:
        """Report whether the entry allows connecting to an address."""
        return self.network is not None and address in self.network and self._at(port)

    def _at(self, port: int) -> bool:
        return port == self.port if self.port is not None else is_web_port(port)


def is_web_port(port: int) -> bool:
    """Report whether a port may serve web pages: 80, 443, or from 1024 on.

    Lower ports are for mail, files or shells.
    """
    return port in _WEB or port >= _WELL_KNOWN


def parse_allow_list(entries: Iterable[str]) -> tuple[_AllowEntry, ...]:
    """Parse the entries of an allow-list.

    Args:
        entries: Host names, `.example.org` for all hosts below one, addresses, and networks such as `10.1.0.0/16`, each
            with `:PORT` if only that port is meant (`[::1]:8080` for IPv6).

    Raises:
        ValueError: An entry is none of these, or is never fetched (metadata, link-local, multicast or unspecified
            addresses). The message is one line that names the entry.
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


def _parse_network(text: str) -> Network | None:
    try:
        network = ipaddress.ip_network(text)
    except ValueError as error:
        if "host bits set" in str(error):
            meant = ipaddress.ip_network(text, strict=False)
            raise ValueError(f"{one_line(text, 60)!r} is not a network; for the whole network, use {meant}") from None
        return None
    if kind := never_fetched_kind(network):
        raise ValueError(f"{one_line(text, 60)!r} is {kind}, which is never fetched; leave it out")
    return network


def ascii_host(name: str) -> str:
    """Return a host name in the ASCII form used by DNS, or an empty string if invalid."""
    if name.isascii():
        return name
    try:
        return idna.encode(name, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        return ""


def _entry_error(entry: str) -> ValueError:
    shown = one_line(entry, 60)
    return ValueError(f"{shown!r} is not a host name, an address or a network; use the form wiki.corp or 10.1.0.0/16")
