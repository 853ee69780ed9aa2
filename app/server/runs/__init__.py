"""Runs: what a client asks for, the tasks in the background that do it, the events that come of it.

run_request      what a client asks, checked
background_runs  runs under way
fair_slots       whose turn it is
graph_stream     the graph's stream as events, and what a run came to
"""
