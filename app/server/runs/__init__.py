"""Runs: the requests of clients, background tasks, and resulting events.

run_request      the request of a client, checked
background_runs  runs in progress
fair_slots       fair scheduling between users
graph_stream     the graph's stream as events, and the result of a run
"""
