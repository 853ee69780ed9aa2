"""Weiwo: AI search that plans before it searches, on LangGraph.

`graph` is the compiled graph with the settings of the environment; `build_graph` compiles one with your own
checkpointer, store, tools and models; `open_checkpointer` opens the database of the command; `Settings` are the
settings of a run; `STATE_TYPES` is what another saver has to know. Everything is imported when it is first asked for,
so that worker processes and light commands load no LangGraph.
"""

from typing import TYPE_CHECKING

__all__ = ["STATE_TYPES", "Settings", "build_graph", "graph", "open_checkpointer"]

if TYPE_CHECKING:
    from weiwo.graph import build_graph, graph
    from weiwo.graph.persistence.checkpointer import open_checkpointer
    from weiwo.graph.persistence.serializer import STATE_TYPES
    from weiwo.state.settings import Settings
else:
    import sys
    from importlib import import_module
    from types import ModuleType

    _HOMES = {
        "STATE_TYPES": "weiwo.graph.persistence.serializer",
        "Settings": "weiwo.state.settings",
        "build_graph": "weiwo.graph.builder",
        "open_checkpointer": "weiwo.graph.persistence.checkpointer",
    }

    class _Package(ModuleType):
        """This package, whose attribute `graph` is the compiled graph, never the subpackage of that name.

        Python binds a subpackage to its parent once it is imported; what `from weiwo import graph` gave would then
        depend on what else was imported before. Modules below it are imported as ever: `from weiwo.graph.x import y`.
        """

        @property
        def graph(self) -> object:
            """The compiled graph."""
            return import_module("weiwo.graph.default_graph").graph

        @graph.setter
        def graph(self, subpackage: object) -> None:
            """Python's own binding of the subpackage, which is left out."""

        def __getattr__(self, name: str) -> object:
            """Import a public name when it is first used."""
            if name not in _HOMES:
                raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
            value = self.__dict__[name] = getattr(import_module(_HOMES[name]), name)
            return value

    sys.modules[__name__].__class__ = _Package
