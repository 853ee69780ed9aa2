"""Asking: a run from the question to its answer, approval of its plan, resuming, feedback."""
