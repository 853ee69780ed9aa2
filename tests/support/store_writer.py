"""One of several processes that write to a store at once."""

import asyncio
import warnings

from weiwo.graph.persistence.store import open_store
from weiwo.state.settings import Settings


def write_many(home: str, url: str, name: str, count: int) -> None:
    """Write and read by turns; a warning is an error.

    Args:
        home: Where the store lies, without a URL.
        url: Of a Postgres database, or "".
        name: What the keys begin with.
        count: How many values.
    """
    warnings.simplefilter("error")
    asyncio.run(_write_many(home, url, name, count))


async def _write_many(home: str, url: str, name: str, count: int) -> None:
    async with open_store(Settings(home=home), url or None) as store:
        assert store is not None
        for number in range(count):
            await asyncio.gather(store.aput(("n",), f"{name}{number}", {"x": number}, ttl=5), store.aget(("n",), "k"))
