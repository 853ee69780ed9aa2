"""Injected arguments: what a LangChain tool is given by the run and not by the plan (`ToolRuntime`, `InjectedState`).

LangGraph's own `ToolNode` fills them, so that a tool finds here what it finds in any agent: the state of the run, its
store and context, the id of the call. A plan neither sees nor sets them.
"""

import sys
from collections.abc import Mapping
from typing import Any, get_args, get_origin, get_type_hints

from langchain_core.tools import BaseTool


def takes_injected(tool: BaseTool) -> bool:
    """Whether a tool is given something by the run, so that its results are of that run alone."""
    module = sys.modules.get("langgraph.prebuilt.tool_node")  # slow to import; a tool that names its kinds has done so
    if module is None:
        return False
    markers = (module.ToolRuntime, module.InjectedState, module.InjectedStore)
    work = getattr(tool, "coroutine", None) or getattr(tool, "func", None) or getattr(tool, "_arun", None)
    hints = [*_read_hints(work), *(_read_hints(tool.args_schema) if isinstance(tool.args_schema, type) else ())]
    return any(_is_injected(hint, markers) for hint in hints)


async def call_with_injected(tool: BaseTool, call: Mapping[str, Any], state: Mapping[str, Any]) -> Any:
    """Make a call inside a graph, with what the run gives to the tool.

    Args:
        tool: A tool that takes something injected.
        call: The call as LangChain writes it.
        state: The state of the run.

    Returns:
        The tool's message; what a tool returned that answers with a graph command.

    Raises:
        Exception: Whatever the tool raises.
    """
    from langgraph.prebuilt import ToolNode  # noqa: PLC0415 - heavy, and of use to few tools

    node = ToolNode([tool], handle_tool_errors=False)
    given = {"__type": "tool_call_with_context", "tool_call": dict(call), "state": dict(state)}
    answered = await node.ainvoke(given)
    messages = answered.get("messages") if isinstance(answered, Mapping) else None
    return messages[0] if messages else answered


def _read_hints(declared: Any) -> list[Any]:
    """The annotations of a function's arguments, or of a model's fields."""
    try:
        return list(get_type_hints(declared, include_extras=True).values())
    except (NameError, TypeError, AttributeError):  # annotations that only type checkers can follow
        return []


def _is_injected(hint: Any, markers: tuple[type, ...]) -> bool:
    kinds = (hint, get_origin(hint), *get_args(hint))
    return any(isinstance(kind, markers) or (isinstance(kind, type) and issubclass(kind, markers)) for kind in kinds)
