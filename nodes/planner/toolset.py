"""The tools that a planner sees: all if they are few, else those that fit the question.

Every tool in a prompt costs tokens, and a model that is shown hundreds chooses worse. The built-in tools are always
shown. A plan may use any tool of the pool by its name. A model that misses a tool says what it needs, and sees more.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

from weiwo.nodes.shared.planning.plan_rules import list_analysis, plan_interfaces
from weiwo.nodes.shared.planning.replanning import PlanHistory
from weiwo.nodes.shared.planning.tool_choice import rank_tools, take_tools
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Plan
from weiwo.state.events import ToolsFoundEvent
from weiwo.state.task import ANALYSE
from weiwo.tools.built_in import BUILT_IN
from weiwo.tools.tool_info import ToolInfo

MOST_TOKENS: Final = 2_000
"""Most tokens of tool descriptions in a prompt if not all tools are shown. Estimated generously."""
_MORE: Final = (
    "{count} more tools are not shown. Only if none of these can do a task: say in `need` what the missing tool would"
    " do, in a few words, and leave `vertices` empty."
)


@dataclass(frozen=True)
class Toolset:
    """The tools of a plan.

    Attributes:
        pool: Names of all tools that a plan may use.
        shown: Names of the tools in the prompt.
    """

    pool: tuple[str, ...]
    shown: tuple[str, ...]

    @classmethod
    async def choose(cls, pool: tuple[str, ...], needs: Sequence[str], services: RunContext) -> Self:
        """Return the toolset for a question. With few tools or without a model, all are shown.

        Args:
            pool: The available tools.
            needs: Texts to match tools with: the question and, for a revision, what is still missing.
            services: The run's resources.
        """
        if len(pool) <= services.settings.max_tools or not services.models.has_decision_model("planner"):
            return cls(pool, pool)
        always = [name for name in pool if name in BUILT_IN]
        found = await asyncio.to_thread(rank_tools, pool, needs, services)  # a large pool takes a moment to index
        shown = take_tools([*always, *found], services.settings.max_tools, MOST_TOKENS, services)
        services.emit(ToolsFoundEvent(needs=list(needs), tools=list(shown), pool=len(pool)))
        return cls(pool, shown)

    def describe(self, services: RunContext) -> str:
        """Return the shown tools with their arguments as text for a prompt, and the number of hidden ones."""
        lines = services.registry.describe(self.shown)
        lines = "\n".join(filter(None, [lines, list_analysis(services)]))
        hidden = len(self.pool) - len(self.shown)
        return f"{lines}\n{_MORE.format(count=hidden)}" if hidden else lines

    async def find_more(self, need: str, services: RunContext) -> tuple[str, ...]:
        """Return hidden tools that fit a need stated by the model, at most a quarter of the tool limit.

        Empty if the model already sees the whole pool.
        """
        if len(self.shown) >= len(self.pool):
            return ()
        found = await asyncio.to_thread(rank_tools, self.pool, [need], services)
        hidden = [name for name in found if name not in self.shown]
        more = take_tools(hidden, max(1, services.settings.max_tools // 4), MOST_TOKENS, services)
        services.emit(ToolsFoundEvent(needs=[need], tools=list(more), pool=len(self.pool)))
        return more

    def interfaces(self, plan: Plan, services: RunContext) -> Mapping[str, ToolInfo]:
        """Return the interfaces for checking a plan, by name: of the shown tools and of tools that the plan names."""
        named = {task.tool for task in plan.tasks}
        known = plan_interfaces(self.pool, services)
        return {name: known[name] for name in known if name in self.shown or name in named or name == ANALYSE}


def list_needs(question: str, past: PlanHistory, missing: Iterable[str]) -> list[str]:
    """Return the texts to match tools with for a new revision: the question, missing parts and unfinished tasks."""
    open_tasks = [task.description for task in past.plan.tasks if task.id not in past.kept_plan.wiring.tasks]
    return [question, *missing, *open_tasks]
