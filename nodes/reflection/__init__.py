"""Reflection: what an execution came to, and how to go on.

Contract: `node.reflection` looks back after a plan and returns one `Reflection`: finish, retry, replan, deepen or
abort. While a plan runs, `intervention.Intervention` is asked, and `repair_search.RepairSearch` finds what takes a
task's place.

- `node`: the decision, by rules, else by a model
- `monitor`: what went wrong and why, which values are weak
- `intervention`, `repair_search`: local replanning while the plan runs
- `prompt`: what a model is told, and what it replies with
"""
