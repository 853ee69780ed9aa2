"""Demonstration of a failing source: a planned task is replaced while a sibling task still works.

    python benchmarks/dying_source.py

Two sources are at hand, and no model. The plan asks the archive (as `corpus_search`, in the place of documents at hand)
for both births. Its disk breaks at the second. `library_search` was not planned. The text printed after the seconds is
what `weiwo ask -v` prints.
"""

import asyncio
import io
import time
from collections.abc import Awaitable, Callable, Mapping

from langchain_core.tools import StructuredTool

from weiwo import build_graph
from weiwo.app.render.watchers import Lines
from weiwo.state.settings import Context

QUESTION = "How many years lie between the births of Ada Lovelace and Alan Turing?"
KNOWN = {
    "Lovelace": "Ada Lovelace was born on 10 December 1815 in London.",
    "Turing": "Alan Turing was born on 23 June 1912 in London.",
}


async def search_archive(query: str) -> str:
    """Search the archive, a slow source with a disk failure at Turing."""
    if "Turing" in query:
        await asyncio.sleep(0.5)
        raise FileNotFoundError("the disk of the archive is gone")
    await asyncio.sleep(4)
    return find(query)


async def search_library(query: str) -> str:
    """Search the library, a source not used by the plan."""
    await asyncio.sleep(1)
    return find(query)


def find(query: str) -> str:
    """Return the text of both sources about a name."""
    return next((text for name, text in KNOWN.items() if name in query), "nothing")


def source(name: str, search: Callable[[str], Awaitable[str]]) -> StructuredTool:
    """Create a tool for a source.

    Each tool has a cluster of its own, so that none stands in for another inside a task.
    """
    tool = StructuredTool.from_function(coroutine=search, name=name, description=search.__doc__)
    tool.metadata = {"cluster": name}
    return tool


async def main() -> None:
    """Ask, and print each step with the seconds since the question."""
    graph = build_graph(tools=[source("corpus_search", search_archive), source("library_search", search_library)])
    told = io.StringIO()
    lines, begun = Lines(told), time.monotonic()
    context = Context(corpus=None, web=False)
    async for mode, part in graph.astream({"question": QUESTION}, context=context, stream_mode=["custom", "values"]):
        if mode == "custom" and isinstance(part, Mapping):
            lines.event(part)
            for line in told.getvalue().splitlines():
                print(f"{time.monotonic() - begun:5.1f} s  {line}")
            told.seek(told.truncate(0))
    print(f"\n{part['result']['answer']}")


if __name__ == "__main__":
    asyncio.run(main())
