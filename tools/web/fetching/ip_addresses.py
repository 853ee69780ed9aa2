"""Classification of IP addresses outside the public internet.

Addresses are classified after the special-purpose registries of IANA (RFC 6890 and its updates), the metadata services
of the clouds, and the forms of IPv6 that lead to an IPv4 address.
"""

import ipaddress
from typing import Final

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_METADATA: Final = "a metadata address"
_LINK_LOCAL: Final = "a link-local or metadata address"
_MULTICAST: Final = "a multicast address"
_UNSPECIFIED: Final = "an unspecified address"
_NO_HOST: Final = frozenset({_METADATA, _LINK_LOCAL, _MULTICAST, _UNSPECIFIED})
"""Kinds of addresses that no host of an intranet has. A name that leads to one was put into the DNS to do harm."""

_KINDS: Final[tuple[tuple[Network, str], ...]] = tuple(
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
"""IPv6 networks whose addresses embed an IPv4 address, and the number of bits after the embedded address."""
_PLAIN_V6: Final = frozenset({ipaddress.IPv6Address("::"), ipaddress.IPv6Address("::1")})
_ISATAP: Final = frozenset({0x00005EFE, 0x02005EFE})
"""The 32 bits before the IPv4 address at the end of an ISATAP address (RFC 5214, section 6.1)."""


def non_public_kind(address: Address) -> str:
    """Return the kind of a non-public address, e.g. "a private address".

    Returns an empty string for a public address.
    """
    inner = _embedded_address(address)
    for network, kind in _KINDS:
        if inner in network:
            return kind
    return "" if inner.is_global and not inner.is_multicast else "not a public address"


_LOCAL_NAT64: Final = ipaddress.IPv6Network("64:ff9b:1::/48")
_TEREDO: Final = ipaddress.IPv6Network("2001::/32")


def is_never_fetched(address: Address) -> bool:
    """Report whether no allow-list can open an address.

    This holds for metadata, link-local, multicast and unspecified addresses, in any form. Forms of IPv6 that are
    private themselves, so that `::/0` would open them, are checked as well.
    """
    if non_public_kind(address) in _NO_HOST:
        return True
    number = int(address)
    inner = []
    if address in _LOCAL_NAT64:  # the IPv4 address at the end, or where RFC 6052 puts it behind 48 bits
        inner = [number & 0xFFFFFFFF, (number >> 64 & 0xFFFF) << 16 | number >> 40 & 0xFFFF]
    elif address in _TEREDO:  # inverted, RFC 4380
        inner = [~number & 0xFFFFFFFF]
    return any(non_public_kind(ipaddress.IPv4Address(item & 0xFFFFFFFF)) in _NO_HOST for item in inner)


def never_fetched_kind(network: Network) -> str:
    """Return the kind of a network that an allow-list must not contain, like "a metadata address".

    Returns an empty string for any other network.
    """
    for known, kind in _KINDS:
        inside = network.version == known.version and network.network_address in known
        if kind in _NO_HOST and inside and network.prefixlen >= known.prefixlen:
            return kind
    return ""


def _embedded_address(address: Address) -> Address:
    """Return the IPv4 address embedded in an IPv6 address, or the address itself."""
    if isinstance(address, ipaddress.IPv6Address) and address not in _PLAIN_V6:
        number = int(address)
        for network, behind in _CARRIES_V4:
            if address in network:
                return ipaddress.IPv4Address(number >> behind & 0xFFFFFFFF)
        if number >> 32 & 0xFFFFFFFF in _ISATAP:
            return ipaddress.IPv4Address(number & 0xFFFFFFFF)
    return address
