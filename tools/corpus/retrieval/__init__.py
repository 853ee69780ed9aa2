"""Retrieval over a corpus: from a question to passages, best first, always in the same order for the same documents.

Each corpus here is a `weiwo.tools.corpus.base.Corpus`. What is asked passes these modules from the top down:

- `external_store`: a LangChain vector store or retriever as a corpus; how it searches is its own affair.
- `federation`: several corpora as one.
- `routed_corpus`: an index behind its router, with telemetry of each search.
- `router`, `routing_policy`: what a question looks like, which strategy is chosen and why, what was
  learned and how far it is trusted.
- `indexed_corpus`: a corpus folder on disk, one generation of it a search.
- `passage_search`, `score_fusion`: words, vectors or n-grams, and one hop along titles, joined to one ranking.
- `superseded`: which documents are older versions of others.
- `telemetry`: what became of searches, and what people said of answers, on this machine alone.
"""
