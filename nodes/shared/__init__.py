"""What several agents use: the run context, consistency across tasks, and a room for each topic they share."""
