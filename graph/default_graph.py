"""The default graph, compiled with the settings of the environment: what `from weiwo import graph` gives."""

from weiwo.graph.builder import build_graph

graph = build_graph()
