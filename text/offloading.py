"""Threads for work on long texts.

Work of a few milliseconds is done on the event loop. In a thread it would hold up the other runs as long, since Python
changes between threads every 5 ms, and to hand it over and back costs up to half a millisecond of its own.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final, ParamSpec, Protocol, TypeVar

T = TypeVar("T")
P = ParamSpec("P")

_SHORT: Final = 4_000
"""Maximum characters processed on the event loop, which takes a few milliseconds."""


class _Passage(Protocol):
    """Anything with a text."""

    @property
    def text(self) -> str: ...


async def offload_long(characters: int, work: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Call `work`, in a thread if it has to read more than `_SHORT` characters, and return its result.

    Args:
        characters: Number of characters that `work` reads.
        work: The function.
        *args: Its positional arguments.
        **options: Its keyword arguments.
    """
    if characters <= _SHORT:
        return work(*args, **options)
    return await asyncio.to_thread(work, *args, **options)


async def offload_reading(passages: Iterable[_Passage], work: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Call `work`, in a thread if the texts of `passages` are long in total, and return its result.

    `passages` only decide the thread. They reach `work` only if they are also among its arguments.
    """
    return await offload_long(sum(len(passage.text) for passage in passages), work, *args, **options)
