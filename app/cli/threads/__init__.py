"""Threads: listed, shown, and as they were at their checkpoints."""
