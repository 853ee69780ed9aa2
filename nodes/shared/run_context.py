"""An agent's resources besides the state: settings, tools, models, budget and events.

Nodes take `(state, services)` and nothing else, so that each can be called in a test without a graph.
`weiwo.graph.builder` opens the services anew for every node, since a node may run in another process than the one
before it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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


@dataclass(frozen=True)
class RunContext:
    """Resources of a run, as seen by a node.

    Attributes:
        run: Name of the run of this question, across the processes it may take.
        settings: The settings in force.
        registry: The tools.
        calls: Access to the tools: calls are merged, cached, and blocked for broken tools.
        models: The chat models, by role.
        budget: The remaining budget, shared by the tasks that run at the same time.
        emit: Sends an event.
        language: The language to answer in.
        asked_in: The language of the question, with the grammar used to parse it.
        memory: The user's memory. None if nothing may be remembered.
        task_log: The cost of the user's tasks. None if that is not recorded.
        assessed: The strategy chosen by the master. None before the choice.
        slow_call: Seconds of a usual call, if calls are so slow that the run is kept short for that reason. Else 0.
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
        """Strategy for the question. Before the assessment, the strategy of a single look-up."""
        return self.assessed or choose_strategy("moderate", self.settings.depth, self.models.has_decision_model)

    def create_child_context(self) -> "RunContext":
        """Return the same resources with a budget of their own.

        What is spent in it counts in the parent budget, too.
        """
        budget = self.budget.child()
        return replace(self, budget=budget, models=self.models.with_budget(budget))

    @property
    def with_model(self) -> bool:
        """Report whether any role has a model."""
        return any(self.models.has_decision_model(role) for role in ROLES)

    def work_seconds(self) -> float:
        """Return the seconds left for searching and reading. At 0, this work ends with a limit."""
        return self.budget.work_seconds()

    def list_interfaces(self, names: Sequence[str]) -> Mapping[str, ToolInfo]:
        """Return the interfaces of the named tools, by name. Tools that are not set up are left out."""
        known = {info.name: info for info in self.registry.infos()}
        return {name: known[name] for name in names if name in known}
