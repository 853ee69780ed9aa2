"""Answerers: who words an answer. Each is given the context and yields immutable pieces, and last its settled part.

`nodes.writer.node` says which of them answer when; none changes what another wrote.
"""
