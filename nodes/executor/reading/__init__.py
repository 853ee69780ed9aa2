"""Reading: what a task has found becomes a value with the words that carry it, or the next thing to look for."""
