"""Users: who sends a request, what is the operator's alone, and what addresses are this machine's alone."""

from ipaddress import ip_address
from typing import Final

from starlette.requests import Request

from weiwo.app.server.errors import RequestError
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.nodes.memory.memory_store import client_user, local_user
from weiwo.state.settings import Settings

USER: Final = "weiwo.user"
"""Under this name the guard leaves the user in a request's scope."""
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names of this machine, by which only itself can be reached."""


def user_of(request: Request) -> str:
    """The user whose request this is; empty before a login."""
    return str(request.scope.get(USER, OPERATOR))


def memory_user(user: str, settings: Settings) -> str:
    """Whose memory a user's is: the operator's is the one that the command line uses."""
    return local_user(settings) if user == OPERATOR else client_user(user)


def require_operator(request: Request) -> None:
    """See that a request is the operator's.

    Raises:
        RequestError: It is another user's.
    """
    if user_of(request) != OPERATOR:
        raise RequestError(404, "the route; it is the operator's alone", "这一页只供管理员使用")


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
