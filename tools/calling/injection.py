"""Injected arguments of LangChain tools, set by the run (`ToolRuntime`, `InjectedState`).

A tool gets here what LangGraph's `ToolNode` would give it: the state of the run, its store, the writer of its stream,
the id of the call. A plan neither sees nor sets these arguments. There is no `context`, because it is the graph's own.
"""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from langchain_core.runnables.config import ensure_config
from langchain_core.tools import BaseTool

from weiwo.tools.calling.errors import ToolCallError

if TYPE_CHECKING:
    from weiwo.tools.calling.call_context import CallContext


def takes_injected(tool: BaseTool) -> bool:
    """Report whether a tool has injected arguments, so that results belong to a single run."""
    return next(_find_markers(tool), None) is not None


def injected_arguments(tool: BaseTool, call_id: str, context: "CallContext") -> dict[str, Any]:
    """Return the injected arguments of a tool by name.

    Raises:
        ToolCallError: `crash`: the tool wants a store and the graph has none, or a value missing from the state.
    """
    return {name: _make_value(tool, marker, call_id, context) for name, marker in _find_markers(tool)}


def _make_value(tool: BaseTool, marker: Any, call_id: str, context: "CallContext") -> Any:
    from langgraph.prebuilt.tool_node import InjectedState, InjectedStore, ToolRuntime  # noqa: PLC0415 - it is imported

    kind = marker if isinstance(marker, type) else type(marker)
    if issubclass(kind, ToolRuntime):
        return ToolRuntime(
            state=dict(context.state),
            context=None,
            config=ensure_config(),
            stream_writer=_stream_writer(),
            tool_call_id=call_id,
            store=context.store,
        )
    if issubclass(kind, InjectedStore):
        if context.store is None:
            raise ToolCallError("crash", f"{tool.name}: it needs a store; build the graph with one", transient=False)
        return context.store
    field = marker.field if isinstance(marker, InjectedState) else None
    if field is not None and field not in context.state:
        raise ToolCallError("crash", f"{tool.name}: the run's state has no {field!r}", transient=False)
    return dict(context.state) if field is None else context.state[field]


def _stream_writer() -> Any:
    from langgraph.config import get_stream_writer  # noqa: PLC0415 - of use to few tools

    try:
        return get_stream_writer()
    except (RuntimeError, KeyError):  # outside of a graph there is no stream
        return lambda _: None


def _find_markers(tool: BaseTool) -> Iterator[tuple[str, Any]]:
    """Yield the injected arguments of a tool, each with the marker."""
    module = sys.modules.get("langgraph.prebuilt.tool_node")  # slow to import; a tool that names its kinds has done so
    if module is None:
        return
    kinds = (module.ToolRuntime, module.InjectedState, module.InjectedStore)
    work = getattr(tool, "coroutine", None) or getattr(tool, "func", None) or getattr(tool, "_arun", None)
    hints = _read_hints(work) | (_read_hints(tool.args_schema) if isinstance(tool.args_schema, type) else {})
    for name, hint in hints.items():
        for marker in (hint, get_origin(hint), *get_args(hint)):
            if isinstance(marker, kinds) or (isinstance(marker, type) and issubclass(marker, kinds)):
                yield name, marker
                break


def _read_hints(declared: Any) -> dict[str, Any]:
    """Return the type hints of a function or a model by name, or an empty dict if they cannot be resolved."""
    try:
        return get_type_hints(declared, include_extras=True)
    except (NameError, TypeError, AttributeError):  # annotations that only type checkers can follow
        return {}
