"""The executor: the work of one task, from its arguments to a typed outcome.

`graph.execution` decides when tasks run.

Contract: `node.act` and `node.read` take a `TaskState`, the `TaskResources` of the execution and the task's `Lease`,
and return an update of the task's channels. Every run ends in an `Outcome`. Only requests to a person are raised.

- `node`: the four steps of a turn: choose the calls, make them, read the results, decide the next step
- `prompt`, `replies`: prompts for a model, and the model's replies
- `next_action`: the next calls of a task
- `reading/`: from passages to a value with its quotes
- `extraction/`: dates, figures and fields that rules read
- `task_calls/`: the calls of a turn, consent to calls that act, isolation of foreign code
- `analysis`: a task that works over the results of other tasks
- `for_each`: one instance of a task per item of a list
- `evidence_merging`, `outcomes`, `task_state`, `resources`: passages, results, channels, resources shared by tasks
"""
