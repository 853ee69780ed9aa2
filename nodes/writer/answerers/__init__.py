"""Answerers: each writes an answer, or the part of it that is still missing.

Each is given the context and yields immutable pieces, and last the part made of them with settled claims.
`nodes.writer.node` decides which answerers run. No answerer changes another's text.
"""
