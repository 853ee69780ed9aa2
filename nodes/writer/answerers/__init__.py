"""Answerers: authors of an answer.

Each is given the context and yields immutable pieces, and last its settled part. `nodes.writer.node` decides which
answerers run. No answerer changes another's text.
"""
