"""Execution of a plan: fan-out through `Send`, the board on which tasks wait for their inputs, the graph of a task."""
