"""Parts of prompts: passages as delimited data, fitting into a context window, and checks of a model's reply.

- `passage_prompt`: passages as a model sees them
- `context_packing`: the passages that fit
- `input_guard`: permitted content of queries, arguments and prompts
- `sanitizer`: permitted content of an answer
- `reply_types`: lenient types for replies
"""
