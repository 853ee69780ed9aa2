"""Execution of a plan: fan-out through `Send`, the board of outcomes, the graph of a task.

Tasks wait on the board for their inputs.
"""
