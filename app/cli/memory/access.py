"""The memory that a command opens: that of whoever sits at this machine."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.output import hint
from weiwo.app.cli.session import database_url
from weiwo.graph.persistence.store import open_store
from weiwo.nodes.memory.memory_store import MemoryStore, local_user
from weiwo.state.settings import Settings

T = TypeVar("T")


def with_memory(work: Callable[[MemoryStore], Awaitable[T]]) -> T:
    """Open the memory, do something with it, close it.

    Raises:
        CommandError: It cannot be used.
    """
    settings = Settings.resolve()

    async def inside() -> T:
        async with open_store(settings, database_url(), hint) as store:
            if store is None:
                raise CommandError("memory; its store cannot be used; see weiwo doctor")
            return await work(MemoryStore(store, local_user(settings)))

    return run_to_end(inside())


def find_key(keys: list[str], given: str, listing: str) -> str:
    """The one key that begins as given.

    Raises:
        UsageError: None or several do.
    """
    found = [key for key in keys if given and key.startswith(given)]
    if len(found) != 1:
        why = "several begin so; give more of it" if found else f"there is none of that key; {listing} lists them"
        raise UsageError(f"{given!r}; {why}")
    return found[0]
