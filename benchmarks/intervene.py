"""Benchmark of answer time with a task failing at a random moment and a replacement tool.

    python benchmarks/intervene.py [--plans 10] [--tasks 6 12] [--scale 4] [--seed 7]

Plans are those of `makespan.py`: two chains into a join, and random graphs. One task, drawn at random, fails somewhere
in its time. A tool that nobody asks otherwise has the value, and takes a time of its own. Each plan runs three ways,
with its checkpoints in SQLite, saved before each next step:

- undisturbed: nothing fails;
- while it runs: reflection replaces the task as soon as it has failed (`nodes/reflection/intervention.py`);
- after the plan: the plan ends with what it can, then what is missing is planned by the same rules and run.

Printed is the time of each ÷ the ideal: the longest chain of the plan where the task takes as long as it took to fail,
and then as long as its replacement. For the undisturbed run it is the longest chain itself.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from langchain_core.tools import BaseTool, StructuredTool
from langgraph.config import get_config
from makespan import UNBOUNDED, Shape, build_timed_shape, chains, random_graph
from stage import Stage, open_intervention

from tests.support.plan_runs import run_plan
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.nodes.executor.resources import TaskResources
from weiwo.nodes.shared.planning.replanning import _replan_by_rule
from weiwo.state import Plan, Task
from weiwo.state.settings import Settings

When = Literal["undisturbed", "while it runs", "after the plan"]
WAYS: tuple[When, ...] = ("undisturbed", "while it runs", "after the plan")


class Trouble(NamedTuple):
    """A plan with a failing task.

    Attributes:
        shape: The plan and the seconds of its tasks.
        task_id: The task that fails.
        fails_after: The seconds until it does.
        spare: The seconds that its replacement takes.
    """

    shape: Shape
    task_id: str
    fails_after: float
    spare: float

    def ideal(self, when: When) -> float:
        """Return the lower bound in seconds for any scheduler."""
        if when == "undisturbed":
            return self.shape.critical_path()
        seconds = {**self.shape.seconds, self.task_id: self.fails_after + self.spare}
        return self.shape._replace(seconds=seconds).critical_path()

    def plan(self) -> Plan:
        """Return the plan, with a search for each task."""
        shape = self.shape
        tasks = tuple(
            Task(id=task, description=f"What of {task}?", tool="first_search", args={"query": task}, ret="number")
            for task in shape.tasks
        )
        return Plan(tasks=tasks, links=tuple((source, task) for task in shape.tasks for source in shape.tasks[task]))


class TroubledStage(Stage):
    """Stage for a plan with a failing task, run in a selected way of the three."""

    def __init__(self, trouble: Trouble, when: When, saver: Any) -> None:
        super().__init__(searches(trouble, fails=when != "undisturbed"), saver)
        self._when = when

    async def execute(self, plan: Plan, work: TaskResources) -> dict[str, Any]:
        """Run the plan, then run replacements for missing values.

        The second step is needed because, for example, nothing runs beside a plan's last task.
        """
        work = replace(work, tools=("first_search", "spare_search"))
        may = None
        if self._when == "while it runs":
            may = open_intervention(plan, work)
        ran = await run_plan(plan, {}, work, get_config(), intervention=may)
        outcomes, plan = ran["outcomes"], ran.get("plan", plan)
        lost = [name for name in plan.ids if not outcomes[name].usable]
        if lost and (mended := _replan_by_rule(plan, lost, outcomes, "en", work.tools)) is not None:
            outcomes = {**outcomes, **(await run_plan(mended, outcomes, work, get_config()))["outcomes"]}
        return {"outcomes": only_usable(outcomes)}


def only_usable(outcomes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outcomes with a value. The stage counts a value per task of the plan."""
    return {name: outcome for name, outcome in outcomes.items() if outcome.usable}


def searches(trouble: Trouble, *, fails: bool) -> list[BaseTool]:
    """Return the tool used by the plan and the spare tool. Neither is a substitute inside a task."""

    async def first(query: str) -> tuple[str, Any]:
        if fails and query == trouble.task_id:
            await asyncio.sleep(trouble.fails_after)
            raise FileNotFoundError("the source is gone")
        await asyncio.sleep(trouble.shape.seconds[query])
        return "", {"value": 1, "type": "number"}

    async def spare(query: str) -> tuple[str, Any]:  # noqa: ARG001 - a search has a query
        await asyncio.sleep(trouble.spare)
        return "", {"value": 1, "type": "number"}

    made = []
    for name, run in (("first_search", first), ("spare_search", spare)):
        tool = StructuredTool.from_function(
            coroutine=run, name=name, description="Sleeps.", response_format="content_and_artifact"
        )
        tool.metadata = {"cache_seconds": 0, "cluster": name}
        made.append(tool)
    return made


def troubles(plans: int, sizes: list[int], scale: float, seed: int) -> list[Trouble]:
    """Return the plans to run, always the same for a seed."""
    chance = random.Random(seed)  # noqa: S311 - shapes, not secrets
    found = []
    for _ in range(plans):
        drawn = [("two chains", chains(chance)), *((f"random {n}", random_graph(n, chance)) for n in sizes)]
        for group, tasks in drawn:
            shape = build_timed_shape(group, tasks, chance)
            shape = shape._replace(seconds={name: seconds * scale for name, seconds in shape.seconds.items()})
            failing = chance.choice(sorted(tasks))
            spare = build_timed_shape("", {"spare": []}, chance).seconds["spare"] * scale
            found.append(Trouble(shape, failing, chance.random() * shape.seconds[failing], spare))
    return found


async def main(todo: list[Trouble]) -> None:
    """Run everything and print."""
    ratios: dict[str, dict[When, list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        async with open_checkpointer(Settings(home=folder)) as saver:
            warm = TroubledStage(todo[0], "while it runs", saver)
            await warm.run(todo[0].plan(), UNBOUNDED)  # loads modules
            for trouble in todo:
                for when in WAYS:
                    stage = TroubledStage(trouble, when, saver)
                    await stage.run(trouble.plan(), UNBOUNDED)
                    for group in (trouble.shape.group, "all"):
                        ways = ratios.setdefault(group, {way: [] for way in WAYS})
                        ways[when].append(stage.seconds / trouble.ideal(when))
    print(f"{'time ÷ ideal':16}{'plans':>6}" + "".join(f"{way:>22}" for way in WAYS))
    print(f"{'':22}" + "".join(f"{'mean   worst':>22}" for _ in WAYS))
    for group in sorted(ratios, key=lambda name: name == "all"):
        told = "".join(f"{statistics.mean(found):>15.2f}{max(found):7.2f}" for found in ratios[group].values())
        print(f"{group:16}{len(ratios[group]['undisturbed']):6}{told}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Time to an answer when a task fails.")
    parser.add_argument("--plans", type=int, default=10, help="plans of each group (default 10)")
    parser.add_argument("--tasks", type=int, nargs="*", default=[6, 12], help="sizes of the random graphs")
    parser.add_argument("--scale", type=float, default=4.0, help="how much slower tasks are than in makespan.py")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    started = time.perf_counter()
    asyncio.run(main(troubles(given.plans, given.tasks, given.scale, given.seed)))
    print(f"{time.perf_counter() - started:.0f} s")
