"""Reflection: after an execution, decides whether to finish, retry, replan, deepen or abort."""
