"""Rendering for a terminal and a pipe: the run while it lasts, the plan as a tree, the answer."""
