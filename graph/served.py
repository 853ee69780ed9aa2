"""The graph as servers take it: copied, to be given their own checkpointer.

LangGraph derives from the state's schema which types may be built from stored bytes, and forgets it in every copy
(langgraph 1.2, `Pregel.copy`). On a strict server a thread that waits or was interrupted would come back as bare dicts.
"""

from typing import Any, Self

from langgraph.graph.state import CompiledStateGraph

from graph.sync import SearchGraph


class ServedGraph(SearchGraph):
    """A graph whose copies may read what it wrote."""

    @classmethod
    def of(cls, compiled: CompiledStateGraph[Any, Any, Any, Any]) -> Self:
        """A compiled graph as one of these."""
        graph = cls(**vars(compiled))
        graph._serde_allowlist = compiled._serde_allowlist  # noqa: SLF001 - as LangGraph's own `compile` sets it
        return graph

    def copy(self, update: dict[str, Any] | None = None) -> Self:
        """A copy with some attributes changed."""
        copied = super().copy(update)
        copied._serde_allowlist = self._serde_allowlist  # noqa: SLF001 - the same
        return copied
