"""A run that can be killed: tools take a while and append to an effect log. Started as a child process.

    python -m tests.support.slow_run ask|resume DATABASE LOG

DATABASE is a SQLite file or a postgresql:// URL. The result is printed as JSON.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from graph import build_graph
from graph.checkpoint import open_checkpointer
from state.settings import Settings
from tests.support.personas import WU_OR_CAESAR
from tools.calculator import Calculator
from tools.corpus import load_corpus
from tools.corpus_tools import CorpusSearch
from tools.date_difference import DateDifference

DELAY = 0.25


def logged(tool: BaseTool, log: Path) -> BaseTool:
    """The same tool, slower, noting when a call starts and when it is done."""

    async def run(**args: Any) -> Any:
        call = f"{tool.name} {json.dumps(args, sort_keys=True, ensure_ascii=False, default=str)}"
        note(log, f"start {call}")
        await asyncio.sleep(DELAY)
        reply = await tool._arun(**args)  # type: ignore[attr-defined]
        note(log, f"done {call}")
        return reply

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.args_schema,
        coroutine=run,
        response_format=tool.response_format,
    )


def note(log: Path, line: str) -> None:
    """Append one line."""
    with log.open("a") as file:
        file.write(line + "\n")


async def main(verb: str, database: str, log: Path) -> None:
    """Ask the question, or resume it."""
    corpus = await load_corpus(())
    tools = [logged(tool, log) for tool in (CorpusSearch(corpus=corpus), DateDifference(), Calculator())]
    postgres = database.startswith("postgresql")
    settings = Settings(home=str(Path(database).parent) if not postgres else "/nonexistent")
    async with open_checkpointer(settings, database if postgres else None) as saver:
        graph = build_graph(saver, tools=tools)
        start = {"question": WU_OR_CAESAR} if verb == "ask" else None
        config = {"configurable": {"thread_id": "killed"}}
        values = await graph.ainvoke(start, config, durability="sync")
    print(json.dumps(values["result"], ensure_ascii=False))  # noqa: T201 - its only output


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
