"""Ports of loopback for servers that cannot say which one they took."""

import random
import socket
from typing import Final

_PORTS: Final = range(20_000, 30_000)
"""Below those that the system hands out: whatever connects, or takes any free port, takes none of these."""
_claims: Final[list[socket.socket]] = []


def free_port() -> int:
    """A port that nobody listens on, and that no other test of this machine is given while this process lives."""
    while True:
        port = random.choice(_PORTS)  # noqa: S311 - no secret
        claim = socket.socket(type=socket.SOCK_DGRAM)  # the same port of UDP, which nobody here uses, is the claim
        try:
            claim.bind(("127.0.0.1", port))
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            claim.close()
            continue
        _claims.append(claim)
        return port


def listens(port: int) -> bool:
    """Whether a server has begun to listen on a port."""
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0
