"""The executor: one task, from its arguments to a typed outcome; `graph.execution` decides when tasks run.

Contract: `node.act` and `node.read` take a `TaskState`, the `TaskResources` of the execution and the task's `Lease`,
and return an update of the task's channels. Whatever happens ends in an `Outcome`; only what asks a person is raised.

- `node`: the four steps of a turn: choose the calls, make them, read what they found, decide what comes next
- `prompt`, `replies`: what a model is told, and what it replies with
- `next_action`: where a task looks next
- `reading/`: from passages to a value with its quotes
- `extraction/`: dates, figures and fields that rules read
- `task_calls/`: the calls of a turn, consent to those that act, isolation of foreign code
- `analysis`: a task that works over what other tasks found
- `for_each`: one instance of a task per item of a list
- `evidence_merging`, `outcomes`, `task_state`, `resources`: passages, results, channels, what tasks share
"""
