"""Retrieval over a corpus: from a question to passages, best first, always in the same order for the same documents.

Each corpus here is a `weiwo.tools.corpus.base.Corpus`. A question passes through these modules from the top down:

- `external_store`: a LangChain vector store or retriever as a corpus, which searches in its own way.
- `federation`: several corpora as one.
- `routed_corpus`: an index behind its router, with telemetry of each search.
- `router`, `routing_policy`: the features of a question, the choice of a strategy with its reason, and the learned
  policy with its trust level.
- `indexed_corpus`: a corpus folder on disk. Each search sees a single generation.
- `passage_search`, `score_fusion`: keywords, vectors or n-grams, and one hop along titles, joined to one ranking.
- `superseded`: detects older versions of documents.
- `reranker`: reorders the passages found, with a model.
- `table_documents`: the stored tables of an index.
- `telemetry`, `feedback`: outcomes of searches and people's verdicts on answers, kept on this machine.
"""
