"""What people touch: the `weiwo` command. It draws from the graph's events and its result alone."""
