"""A search that takes its time, to be named in `WEIWO_TOOLS` or a run's context: `tests.support.slow_search:corpus_search`."""

import asyncio

from langchain_core.tools import tool


@tool
async def corpus_search(query: str) -> str:
    """Find passages in the local documents."""
    await asyncio.sleep(10_000)
    return query
