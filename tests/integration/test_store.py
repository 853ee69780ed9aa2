"""The store across threads on both databases: several at once, results of tools kept from run to run."""

import asyncio
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool

from tests.support.command import run_together
from tests.support.store_writer import write_many
from weiwo.graph import build_graph
from weiwo.graph.persistence.store import open_store
from weiwo.state.settings import Context, Settings

pytestmark = pytest.mark.integration

CALLED: list[str] = []


@tool
async def corpus_search(query: str) -> str:
    """Search the documents."""
    CALLED.append(query)
    return "Ada Lovelace was born in London in 1815."


corpus_search.metadata = {"cluster": "search", "cache_seconds": 60}


@pytest.fixture(params=["sqlite", "postgres"])
def database(
    request: pytest.FixtureRequest, weiwo_home: Path, index_sample: Callable[[Path], None]
) -> tuple[Settings, str]:
    index_sample(weiwo_home)
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
    return Settings(home=str(weiwo_home)), url


async def test_processes_open_it_at_once_and_nothing_is_lost(database: tuple[Settings, str], tmp_path: Path) -> None:
    settings, url = database
    calls = [partial(write_many, settings.home, url, name, 30) for name in "abcd"]
    ended = await asyncio.to_thread(run_together, calls, cwd=tmp_path, env=os.environ)
    assert ended == [(0, "", "")] * 4
    async with open_store(settings, url or None) as store:
        assert store is not None
        assert len(await store.asearch(("n",), limit=1_000)) == 120


async def test_the_next_run_uses_what_the_last_one_found_unless_it_wants_it_fresh(
    database: tuple[Settings, str],
) -> None:
    settings, url = database
    CALLED.clear()
    results: list[Any] = []
    for context in (None, None, Context(fresh=True)):
        async with open_store(settings, url or None) as store:
            graph = build_graph(store=store, tools=[corpus_search])
            values = await graph.ainvoke({"question": "When was Ada Lovelace born?"}, context=context)
            results.append((values["result"]["answer"], values["result"]["usage"]["tool_calls"], len(CALLED)))
    (first, calls, made), (second, none, still), (third, again, more) = results
    assert "1815" in first
    assert first == second == third
    assert (calls, made, none, still, again, more) == (made, calls, 0, calls, calls, 2 * calls), json.dumps(CALLED)
    assert calls > 0
