"""Task calls: the tool calls of a turn, what a person is asked before a tool acts, and isolation of a task."""
