"""Runs: what a client asks for, the tasks in the background that do it, the events that come of it."""
