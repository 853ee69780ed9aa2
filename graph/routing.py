"""Routing on the event loop: LangGraph hands a routing function that is not async to a thread, which costs more."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")


def on_loop(route: Callable[[Any], T]) -> Callable[[Any], Awaitable[T]]:
    """A pure routing function as an async one; LangGraph reads its annotations for the names of the nodes."""

    @wraps(route)
    async def routed(state: Any) -> T:
        return route(state)

    return routed
