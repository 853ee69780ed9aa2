"""Reading: from the passages of a task to a typed value, quotes and the next move.

- `reader`: one turn of reading, by a model, else by rules
- `batch_reader`: tasks that come to read together, in one call
- `read_ahead`: values of waiting tasks, found in the passages of the task they wait for
- `reading`: the reading, and the judgement that it is part of
- `shown_passages`: a reply, checked against the shown passages
- `quotes`, `entity_check`, `source_agreement`: whether the words occur, whether the subject is the right one, and what
  other sources say
"""
