"""The planner: plans a DAG of typed tasks, validates and repairs it, and has people approve it."""
