"""Graph wiring: node order, the plan's fan-out, checkpointers.

`graph` is the compiled default. `build_graph` makes a graph with your own checkpointer, store, tools and models. Both
are imported on first use, so that code that only reads checkpoints starts without LangGraph. LangGraph servers take the
default from `weiwo.graph.default_graph`, since they look a graph up among a module's variables.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = ["build_graph", "graph"]

if TYPE_CHECKING:
    from weiwo.graph.builder import build_graph
    from weiwo.graph.default_graph import graph
else:

    def __getattr__(name: str) -> object:
        """Import a public name on first use."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = "builder" if name == "build_graph" else "default_graph"
        value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
        return value
