"""The graph that servers serve, as `langgraph.json` names it: its runs are clients' runs."""

from weiwo.graph.builder import build_graph

graph = build_graph(serves_clients=True)
