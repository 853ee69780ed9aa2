"""Wiring: which node follows which, the plan's fan-out, checkpointers.

`graph` is the compiled default that langgraph.json serves; `build_graph` makes one with your own
checkpointer, store, tools and models.
"""

from graph.builder import build_graph

graph = build_graph()

__all__ = ["build_graph", "graph"]
