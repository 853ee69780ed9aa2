"""The default graph, compiled with the settings of the environment: what `langgraph.json` serves."""

from weiwo.graph.builder import build_graph

graph = build_graph()
