"""Reflection: what an execution came to, and how to go on.

Contract: `node.reflection` looks back after a plan and returns one `Reflection`: finish, retry, replan, deepen or
abort. `intervention.Intervention` is asked while a plan runs; `repair_search.RepairSearch` finds what takes the place of
a task.

- `node`: the decision, by rules, else by a model
- `monitor`: what went wrong and why, which values are weak
- `intervention`, `repair_search`: local replanning while the plan runs
- `prompt`: what a model is told, and what it replies with
"""
