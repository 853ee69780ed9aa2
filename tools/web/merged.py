"""What several tasks want from the web at the same time is fetched once."""

import math
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Final, TypeVar

from tools.failures import ToolFailure
from tools.flights import Flights

T = TypeVar("T")

_flights: Final[Flights[Any]] = Flights()


async def once(key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Do some work, or get what comes of the same work under way.

    Args:
        key: What makes the work equal; one key, one kind of result.
        work: Begins it. It bounds its own time.

    Raises:
        ToolFailure: As the work does.
    """
    ended, own = await _flights.join(key, work, math.inf)
    try:
        result: T = ended.result()
    except ToolFailure as failure:
        if own:
            raise
        raise failure.of_another() from None
    return result
