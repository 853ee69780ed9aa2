"""Prompts: passages as delimited data, what fits a window, and what may leave a model's reply.

- `passage_prompt`: passages as a model sees them
- `context_packing`: the passages that fit
- `input_guard`: what may pass into queries, arguments and prompts
- `sanitizer`: what may be spoken
- `reply_types`: lenient types that replies are made of
"""
