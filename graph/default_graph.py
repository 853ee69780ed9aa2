"""The default graph, compiled with the environment's settings: `from weiwo import graph`."""

from weiwo.graph.builder import build_graph

graph = build_graph()
