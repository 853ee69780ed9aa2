"""Reading: from the passages of a task to a typed value, the words that carry it, and the next move.

- `reader`: one turn of reading, by a model, else by rules
- `batch_reader`: tasks that come to read together, in one call
- `read_ahead`: values of tasks that wait, told by the passages of the task they wait for
- `reading`: what was read, and the judgement that it is part of
- `shown_passages`: a reply, held against the passages that were shown
- `quotes`, `entity_check`, `source_agreement`: do the words occur, is it the very subject, what do other sources say
"""
