"""Weiwo's own time for a rule-only answer to a question that takes a five-task plan.

    python benchmarks/overhead.py [REPEATS]

The same graph runs with SQLite checkpoints (as the command keeps them) and without a checkpointer, alternating
in one process, after a warm-up that loads modules and corpus. Everything but tool calls counts as own time.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from typing import Any

from graph import build_graph
from graph.checkpoint import open_checkpointer
from state.settings import Context, Settings

QUESTION = "Who was born earlier, the director of Seven Samurai or the architect of the Sydney Opera House?"


async def timed(graph: Any, thread: str) -> tuple[float, dict[str, Any]]:
    """Seconds of one run, and its result."""
    started = time.perf_counter()
    durable = {"durability": "sync"} if graph.checkpointer else {}  # LangGraph fails on it without a checkpointer
    config = {"configurable": {"thread_id": thread}}
    values = await graph.ainvoke({"question": QUESTION}, config, context=Context(web=False), **durable)
    return time.perf_counter() - started, values["result"]


async def main(repeats: int) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as home:
        async with open_checkpointer(Settings(home=home), None) as saver:
            graphs = {"no checkpointer": build_graph(), "SQLite": build_graph(saver)}
            taken: dict[str, list[float]] = {name: [] for name in graphs}
            result: dict[str, Any] = {}
            for n in range(repeats + 2):
                for name, graph in graphs.items():
                    seconds, result = await timed(graph, f"{name}-{n}")
                    if n >= 2:  # the first two load modules and fill caches
                        taken[name].append(seconds * 1000)
    assert len(result["plan"]["vertices"]) == 5, "the question must take five tasks"  # noqa: S101 - or it measures less
    plain = statistics.median(taken["no checkpointer"])
    print(f"{QUESTION}\n{result['answer']}\n")
    print(f"{'':18}{'p50 ms':>8}{'p95 ms':>8}{'ratio':>8}")
    for name, values in taken.items():
        ordered = sorted(values)
        p50, p95 = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
        print(f"{name:18}{p50:8.1f}{p95:8.1f}{p50 / plain:8.2f}")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
