"""This machine's own addresses."""

from ipaddress import ip_address
from typing import Final

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
