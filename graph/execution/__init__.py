"""ExecutionContext of a plan: the fan-out through `Send`, the board tasks wait on, the graph of one task."""
