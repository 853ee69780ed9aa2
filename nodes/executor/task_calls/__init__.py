"""Task calls: the tool calls of a turn, with consent, what tools ask the user, and second calls beside overdue ones."""
