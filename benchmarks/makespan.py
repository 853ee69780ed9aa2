"""Benchmark of plan run time against the longest chain of the plan, the bound for any scheduler.

    python benchmarks/makespan.py [SHAPES.jsonl] [--plans 8] [--all] [--at-once 1] [--best-of 1]

SHAPES.jsonl holds real plans, one a line: {"source", "id", "tasks": [{"id", "depends_on": [...]}]}. Beside them run
generated shapes: two chains of unequal length into a join, and random graphs of 10, 20 and 50 tasks. A task takes 50 to
500 ms (lognormal, median 160 ms), slept by a tool. Every plan runs through Weiwo's own plan graph, and through a
LangGraph graph of `Send` waves with a barrier after each. Printed is makespan ÷ critical path: mean and worst of each
group. "One after another" is the sum of the tasks' times. Parallelism is not bounded.
"""

import argparse
import asyncio
import json
import math
import operator
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypedDict

from langchain_core.tools import BaseTool, StructuredTool
from langgraph.graph import START, StateGraph
from langgraph.types import Send
from stage import Stage

from weiwo.state import Plan, Task
from weiwo.state.settings import Context

SHORTEST, MEDIAN, LONGEST, SPREAD = 0.05, 0.16, 0.5, 0.6
UNBOUNDED = Context(max_parallel=1000, max_tasks=1000, max_seconds=600, web=False)


class Shape(NamedTuple):
    """A plan as edges: the dependencies and the seconds of each task."""

    group: str
    tasks: Mapping[str, Sequence[str]]
    seconds: Mapping[str, float]

    def critical_path(self) -> float:
        """Seconds of the longest chain."""
        ends: dict[str, float] = {}
        for task_id in self.plan().order():
            ends[task_id] = self.seconds[task_id] + max((ends[source] for source in self.tasks[task_id]), default=0.0)
        return max(ends.values())

    def plan(self) -> Plan:
        """Return the shape as a plan of sleeping tasks."""
        tasks = tuple(
            Task(id=task_id, description=task_id, tool="sleeper", args={"seconds": self.seconds[task_id]}, ret="number")
            for task_id in self.tasks
        )
        links = tuple((source, task_id) for task_id, sources in self.tasks.items() for source in sources)
        return Plan(tasks=tasks, links=links)


class Run(NamedTuple):
    """Makespan ÷ critical path, by scheduler."""

    ours: float
    waves: float
    serial: float


def build_timed_shape(group: str, tasks: Mapping[str, Sequence[str]], chance: random.Random) -> Shape:
    """A shape with a time for each task."""
    drawn = {task_id: chance.lognormvariate(math.log(MEDIAN), SPREAD) for task_id in tasks}
    return Shape(group, tasks, {task_id: min(LONGEST, max(SHORTEST, took)) for task_id, took in drawn.items()})


def chains(chance: random.Random) -> dict[str, list[str]]:
    """Two chains of unequal length into a join."""
    tasks: dict[str, list[str]] = {}
    for name, length in (("a", chance.randint(1, 2)), ("b", chance.randint(4, 6))):
        for n in range(length):
            tasks[f"{name}{n}"] = [f"{name}{n - 1}"] if n else []
    ends = [max(task for task in tasks if task.startswith(name)) for name in "ab"]
    return {**tasks, "join": ends}


def random_graph(count: int, chance: random.Random) -> dict[str, list[str]]:
    """Return a random graph. Most tasks depend on up to three of the ten tasks before."""
    tasks: dict[str, list[str]] = {}
    for n in range(count):
        near = [f"t{k}" for k in range(max(0, n - 10), n)]
        tasks[f"t{n}"] = chance.sample(near, min(len(near), chance.choice([0, 1, 1, 2, 2, 3])))
    return tasks


def shapes(path: Path | None, plans: int | None, seed: int) -> list[Shape]:
    """Return the shapes to run: a sample of each group, always the same for a seed."""
    chance = random.Random(seed)  # noqa: S311 - shapes, not secrets
    groups: dict[str, list[Mapping[str, Sequence[str]]]] = defaultdict(list)
    for line in path.read_text().splitlines() if path else ():
        entry = json.loads(line)
        groups[entry["source"]].append({task["id"]: task["depends_on"] for task in entry["tasks"]})
    for group, known in groups.items():
        groups[group] = chance.sample(known, min(len(known), plans or len(known)))
    for _ in range(plans or 20):
        groups["two chains"].append(chains(chance))
        for count in (10, 20, 50):
            groups[f"random {count}"].append(random_graph(count, chance))
    return [build_timed_shape(group, tasks, chance) for group, known in groups.items() for tasks in known]


def sleeper() -> BaseTool:
    """Create a tool with a requested run time."""

    async def sleep(seconds: float) -> tuple[str, Any]:
        await asyncio.sleep(seconds)
        return "", {"value": seconds, "type": "number"}

    tool = StructuredTool.from_function(
        coroutine=sleep, name="sleeper", description="Sleeps.", response_format="content_and_artifact"
    )
    tool.metadata = {"cache_seconds": 0}
    return tool


class WaveState(TypedDict):
    """The channels of the graph of waves."""

    done: Annotated[list[str], operator.add]


async def waves(shape: Shape) -> float:
    """Return the seconds for waves of `Send`: every ready task, then a barrier, then the next wave."""

    async def work(task_id: str) -> WaveState:
        await asyncio.sleep(shape.seconds[task_id])
        return {"done": [task_id]}

    def ready(state: WaveState) -> list[Send]:
        done = set(state["done"])
        return [
            Send("work", name) for name, sources in shape.tasks.items() if name not in done and done >= set(sources)
        ]

    builder = StateGraph(WaveState)
    builder.add_node("wave", lambda _: {})
    builder.add_node("work", work)  # type: ignore[type-var, arg-type]
    builder.add_edge(START, "wave")
    builder.add_conditional_edges("wave", ready, ["work"])
    builder.add_edge("work", "wave")
    graph = builder.compile()
    started = time.perf_counter()
    await graph.ainvoke({"done": []})
    return time.perf_counter() - started


async def measure(shape: Shape, tool: BaseTool, best_of: int) -> Run:
    """Measure a plan with each scheduler."""
    stage, shortest, ours, by_waves = Stage([tool]), shape.critical_path(), [], []
    for _ in range(best_of):
        await stage.run(shape.plan(), UNBOUNDED)
        ours.append(stage.seconds)
        by_waves.append(await waves(shape))
    return Run(min(ours) / shortest, min(by_waves) / shortest, sum(shape.seconds.values()) / shortest)


async def main(todo: Sequence[Shape], at_once: int, best_of: int) -> None:
    """Run everything and print."""
    tool = sleeper()
    warm = build_timed_shape("", chains(random.Random(0)), random.Random(0))  # noqa: S311 - as above
    await measure(warm, tool, 1)  # loads modules
    gate = asyncio.Semaphore(at_once)

    async def one(shape: Shape) -> Run:
        async with gate:
            return await measure(shape, tool, best_of)

    runs = await asyncio.gather(*(one(shape) for shape in todo))
    print(f"{'makespan ÷ critical path':26}{'plans':>6}{'tasks':>6}{'Weiwo':>15}{'waves':>15}{'one by one':>15}")
    print(f"{'':38}{'mean worst':>15}{'mean worst':>15}{'mean worst':>15}")
    groups: dict[str, list[tuple[Shape, Run]]] = defaultdict(list)
    for shape, run in zip(todo, runs, strict=True):
        groups[shape.group].append((shape, run))
    groups["all"] = [pair for pairs in groups.values() for pair in pairs]
    for group, pairs in groups.items():
        figures = [[run[column] for _, run in pairs] for column in range(3)]
        told = "".join(f"{statistics.mean(column):9.2f}{max(column):6.2f}" for column in figures)
        print(f"{group:26}{len(pairs):6}{statistics.mean(len(shape.tasks) for shape, _ in pairs):6.0f}{told}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Makespan against the critical path.")
    parser.add_argument("shapes", nargs="?", type=Path, help="real plans, as JSON lines")
    parser.add_argument("--plans", type=int, default=8, help="plans of each group (default 8)")
    parser.add_argument("--all", action="store_true", help="every plan of the file, and 20 of each generated group")
    parser.add_argument(
        "--at-once", type=int, default=1, help="plans that run at once (default 1; more disturb each other)"
    )
    parser.add_argument(
        "--best-of", type=int, default=1, help="runs of each plan, the best counted (for a busy machine)"
    )
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    todo = shapes(given.shapes, None if given.all else given.plans, given.seed)
    asyncio.run(main(todo, given.at_once, given.best_of))
