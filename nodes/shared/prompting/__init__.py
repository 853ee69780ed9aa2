"""Prompts and replies: passages as delimited data, context packing, reply schemas, and guards on model-made text."""
