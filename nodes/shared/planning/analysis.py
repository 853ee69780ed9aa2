"""Analysis tasks of a plan: no tool is called, a model works over what other tasks found.

To the plan's validator an analysis looks like a tool without arguments. It is there only where a model is.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from weiwo.nodes.shared.run_context import RunContext
from weiwo.state.task import ANALYSE
from weiwo.tools.tool_info import ToolInfo

ANALYSIS: Final = ToolInfo(
    name=ANALYSE,
    description="No search: compares, assesses, summarises or tabulates what the tasks it refers to found.",
    args_schema={"type": "object", "properties": {}, "required": []},
    cluster=ANALYSE,
    available=True,
    why_not="",
    returns=("text", "list[text]"),
)


def list_analysis(services: RunContext) -> str:
    """Analysis as a line of the tools in a prompt; empty where no model can do it."""
    if not services.models.configured("executor"):
        return ""
    return f"- {ANALYSE}(): {ANALYSIS.description} Gives {' or '.join(ANALYSIS.returns)}."


def plan_interfaces(names: Sequence[str], services: RunContext) -> Mapping[str, ToolInfo]:
    """What tasks of a plan may bind to: the named tools, and analysis where a model can do it."""
    known = services.list_interfaces(names)
    return {**known, ANALYSE: ANALYSIS} if services.models.configured("executor") else known
