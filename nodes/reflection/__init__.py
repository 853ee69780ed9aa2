"""Reflection: review of an execution and decision on the next step.

Contract: `node.reflection` looks back after a plan and returns one `Reflection`: finish, retry, replan, deepen or
abort. While a plan runs, `intervention.Intervention` is asked, and `repair_search.RepairSearch` finds a replacement for
a task.

- `node`: the decision, by rules, else by a model
- `monitor`: failures with causes, and weak values
- `intervention`, `repair_search`: local replanning while the plan runs
- `prompt`: prompts for a model, and the model's replies
"""
