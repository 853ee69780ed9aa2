"""Prompts and replies: delimited passages, context packing, reply schemas, guards on model-made text."""
