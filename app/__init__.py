"""User interface: the `weiwo` command.

The command relies only on the graph's events and its result.
"""
