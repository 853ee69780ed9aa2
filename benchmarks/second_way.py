"""Benchmark of alternatives: real plans with a dead tool, repaired with and without alternatives.

    python benchmarks/second_way.py SHAPES.jsonl [--plans 40] [--call 1.0] [--seed 7]

SHAPES.jsonl holds real plans (`makespan.py`). Four tools that name their argument differently, so that rules know no
other call, are spread over the tasks by seed. One task, drawn at random, finds its tool dead. A plan runs undisturbed,
with alternatives, and without: then a scripted model is asked for a repair, which takes `--call` seconds, and tasks not
repaired while the plan ran are planned after it, for another call. Printed is the share repaired without a call, and
the time of each way beside the undisturbed plan.
"""

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from langchain_core.tools import BaseTool, StructuredTool
from langgraph.config import get_config
from makespan import UNBOUNDED, Shape, shapes
from stage import Stage, open_intervention

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.fake_model import FakeModel, fake
from tests.support.plan_runs import run_plan
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.nodes.executor.resources import TaskResources
from weiwo.state import Alternative, Plan, Task
from weiwo.state.settings import Settings

ARGUMENTS: Final = {"archive": "topic", "register": "entry", "ledger": "subject", "library": "title"}
"""The tools, each with the name of its argument."""
WAYS: Final = ("undisturbed", "alternative", "model")


class Case:
    """A plan, the tools, and the task with the dying tool."""

    def __init__(self, shape: Shape, chance: random.Random, call: float) -> None:
        self.shape, self.call = shape, call
        names = sorted(ARGUMENTS)
        self.tool = {task: chance.choice(names) for task in shape.tasks}
        self.other = {task: chance.choice([name for name in names if name != self.tool[task]]) for task in shape.tasks}
        self.dying = chance.choice(sorted(shape.tasks))

    def plan(self, way: str) -> Plan:
        """The plan, with alternatives or without."""
        tasks = tuple(self._task(task, with_alternative=way == "alternative") for task in self.shape.tasks)
        links = tuple((source, name) for name, above in self.shape.tasks.items() for source in above)
        return Plan(tasks=tasks, links=links)

    def _task(self, name: str, *, with_alternative: bool) -> Task:
        tool, other = self.tool[name], self.other[name]
        second = Alternative(tool=other, args={ARGUMENTS[other]: name}) if with_alternative else None
        args: dict[str, Any] = {ARGUMENTS[tool]: name}
        return Task(id=name, description=f"What of {name}?", tool=tool, args=args, ret="number", alternative=second)

    def tools(self, *, dies: bool) -> list[BaseTool]:
        """Return the four tools. No tool stands in for another inside a task."""
        return [self._make(name, argument, dies=dies) for name, argument in ARGUMENTS.items()]

    def _make(self, name: str, argument: str, *, dies: bool) -> BaseTool:
        async def run(**given: str) -> tuple[str, Any]:
            asked = given[argument]
            await asyncio.sleep(self.shape.seconds.get(asked, 0.1))
            if dies and asked == self.dying and name == self.tool[asked]:
                raise FileNotFoundError("the source is gone")
            return "", {"value": 1, "type": "number"}

        schema = {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}
        tool = StructuredTool(
            name=name, description="Sleeps.", coroutine=run, args_schema=schema, response_format="content_and_artifact"
        )
        tool.metadata = {"cache_seconds": 0, "cluster": name}
        return tool

    def model(self) -> FakeModel:
        """Return a model with immediate knowledge of the alternative tool, but slow replies."""
        name = self.dying
        vertex = {"id": "x", "description": f"What of {name}?", "tool_binding": self.other[name], "ret": "number"}
        reply = {"reason": "gone", "vertices": [{**vertex, "args": {ARGUMENTS[self.other[name]]: name}}]}
        return fake(RepairReply=lambda _: reply)


class SlowModel(FakeModel):
    """A scripted model with slow calls."""

    seconds: float = 1.0

    async def _agenerate(self, *given: Any, **more: Any) -> Any:
        await asyncio.sleep(self.seconds)
        return await super()._agenerate(*given, **more)


class TroubledStage(Stage):
    """Stage for a case in a selected way. `calls` counts model calls, including a plan for the rest."""

    def __init__(self, case: Case, way: str, saver: Any) -> None:
        self._case, self._way = case, way
        played = case.model()
        self.model = SlowModel(script=played.script, seconds=case.call)
        self.later = 0
        super().__init__(case.tools(dies=way != "undisturbed"), saver, {"reflection": self.model})

    @property
    def calls(self) -> int:
        """Number of model calls for the repair."""
        return len(self.model.requests) + self.later

    async def execute(self, plan: Plan, work: TaskResources) -> dict[str, Any]:
        """Run the plan, then plan and run lost tasks again after a further call."""
        work = replace(work, tools=tuple(ARGUMENTS))
        may = open_intervention(plan, work)
        ran = await run_plan(plan, {}, work, get_config(), intervention=may)
        outcomes, plan = ran["outcomes"], ran.get("plan", plan)
        if any(not outcomes[name].usable for name in plan.ids):
            await asyncio.sleep(self._case.call)
            self.later += 1
            other = self._case.other[self._case.dying]
            new = {"tool": other, "args": {ARGUMENTS[other]: self._case.dying}, "alternative": None}
            tasks = tuple(task.model_copy(update=new) if task.id == self._case.dying else task for task in plan.tasks)
            mended = plan.model_copy(update={"tasks": tasks})
            outcomes = {**outcomes, **(await run_plan(mended, outcomes, work, get_config()))["outcomes"]}
        return {"outcomes": {name: outcome for name, outcome in outcomes.items() if outcome.usable}}


async def main(cases: list[Case]) -> None:
    """Run all cases and print."""
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    free, calls = 0, dict.fromkeys(WAYS, 0)
    with tempfile.TemporaryDirectory() as folder:
        async with open_checkpointer(Settings(home=folder)) as saver:
            for case in cases:
                for way in WAYS:
                    stage = TroubledStage(case, way, saver)
                    await stage.run(case.plan(way), UNBOUNDED)
                    seconds[way].append(stage.seconds)
                    calls[way] += stage.calls
                    free += way == "alternative" and not stage.calls
    print(f"{len(cases)} plans, {free / len(cases):.3f} repaired without a call of a model")
    for way in WAYS:
        ratios = [item / base for item, base in zip(seconds[way], seconds["undisturbed"], strict=True)]
        mean, worst = statistics.mean(ratios), max(ratios)
        print(f"{way:12} time ÷ undisturbed: mean {mean:.2f}, worst {worst:.2f}; {calls[way]} calls")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", type=Path)
    parser.add_argument("--plans", type=int, default=40)
    parser.add_argument("--call", type=float, default=1.0, help="seconds that a call of the model takes")
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    chance = random.Random(asked.seed)  # noqa: S311 - shapes, not secrets
    drawn = [item for item in shapes(asked.shapes, None, asked.seed) if not item.group.startswith(("two", "random"))]
    chosen = chance.sample(drawn, min(asked.plans, len(drawn)))
    asyncio.run(main([Case(item, chance, asked.call) for item in chosen]))
