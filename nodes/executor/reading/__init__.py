"""Reading: a typed value with quotes and a next step, from the passages of a task.

- `reader`: one turn of reading, by a model, else by rules
- `batch_reader`: several tasks read in one call
- `read_ahead`: values of waiting tasks, found in the passages of the task they wait for
- `reading`: the result of reading, and the judgement around it
- `shown_passages`: checks of a model's reply against the shown passages
- `quotes`, `entity_check`, `source_agreement`: whether quoted words occur, whether a passage is about the subject, and
what other sources say
"""
