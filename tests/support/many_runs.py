"""Many questions at once in one of several processes that share a database."""

import asyncio
import json
from collections import Counter

from tests.support.personas import HELLO, WU_OR_CAESAR
from weiwo.graph import build_graph
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.state.settings import Context, Settings

QUESTIONS = (WU_OR_CAESAR, HELLO)


def ask_many(database: str, prefix: str, count: int) -> None:
    """Ask them, and print the statuses of the answers as JSON.

    Args:
        database: A folder for SQLite or a postgresql:// URL.
        prefix: What the ids of the threads begin with.
        count: How many.
    """
    asyncio.run(_ask_many(database, prefix, count))


async def _ask_many(database: str, prefix: str, count: int) -> None:
    postgres = database.startswith("postgresql")
    settings = Settings(home="/nonexistent" if postgres else database)
    async with open_checkpointer(settings, database if postgres else None) as saver:
        graph = build_graph(saver)

        async def ask(n: int) -> str:
            config = {"configurable": {"thread_id": f"{prefix}-{n}"}}
            context = Context(web=False, max_seconds=300)
            values = await graph.ainvoke({"question": QUESTIONS[n % 2]}, config, context=context, durability="sync")
            return str(values["result"]["status"])

        statuses = await asyncio.gather(*(ask(n) for n in range(count)))
    print(json.dumps(Counter(statuses)))  # noqa: T201 - its only output
