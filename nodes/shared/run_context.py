"""What an agent needs beside the state: settings, tools, models, what may still be spent, and a voice.

Nodes take `(state, services)` and nothing else, so that each can be called in a test
without a graph. `weiwo.graph.builder` opens the services anew for every node, since a node may
run in another process than the one before it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from weiwo.models.budget import Budget
from weiwo.models.gateway import ChatModels
from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.nodes.shared.strategy import choose_strategy
from weiwo.state import Language, Strategy
from weiwo.state.events import Emit
from weiwo.state.settings import ROLES, Settings
from weiwo.tools.calling.tool_calls import ToolCalls
from weiwo.tools.registry import Registry
from weiwo.tools.tool_info import ToolInfo
from weiwo.tools.usage.task_log import TaskLog


def today() -> str:
    """The date, for prompts: what is fresh depends on it."""
    return datetime.now(UTC).date().isoformat()


@dataclass(frozen=True)
class RunContext:
    """The run's resources, as one node sees them.

    Attributes:
        run: Names the run of this question, across the processes it may take.
        settings: The settings in force.
        registry: The tools.
        calls: The door to them: calls are merged, kept for later, and kept from tools that are out of order.
        models: The chat models, by role.
        budget: What may still be spent, shared by the tasks that run at the same time.
        emit: Sends an event.
        language: The language to answer in.
        asked_in: The language of the question, by whose grammar it is read.
        memory: What is remembered for whoever asks; None where nothing may be.
        task_log: What their tasks took; None where that is not kept.
        assessed: The strategy that the master chose; None before it has.
        slow_call: Seconds of a usual call, where it takes so long that the run is quick for that; else 0.
    """

    run: str
    settings: Settings
    registry: Registry
    calls: ToolCalls
    models: ChatModels
    budget: Budget
    emit: Emit
    language: Language = "en"
    asked_in: Language = "en"
    memory: MemoryStore | None = None
    task_log: TaskLog | None = None
    assessed: Strategy | None = None
    slow_call: float = 0.0

    @property
    def strategy(self) -> Strategy:
        """How the question is gone about; before it is assessed, as one that takes one look-up."""
        return self.assessed or choose_strategy("moderate", self.settings.depth, self.models.configured)

    def scoped(self) -> "RunContext":
        """The same services with a ledger of their own: what is spent through them counts in both."""
        budget = self.budget.child()
        return replace(self, budget=budget, models=self.models.with_budget(budget))

    @property
    def with_model(self) -> bool:
        """Whether any role has a model."""
        return any(self.models.configured(role) for role in ROLES)

    def work_seconds(self) -> float:
        """Seconds left for searching and reading; 0 ends that work with a limit."""
        return self.budget.work_seconds()

    def list_interfaces(self, names: Sequence[str]) -> Mapping[str, ToolInfo]:
        """The interfaces of the named tools, as the plan's validator wants them; a tool that is gone has none."""
        known = {info.name: info for info in self.registry.infos()}
        return {name: known[name] for name in names if name in known}
