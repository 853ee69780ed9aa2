"""Prompts and replies: delimited passages, context packing, reply schemas, guards and the sanitizer of model-made text."""
