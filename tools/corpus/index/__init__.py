"""The index of a corpus: a document store, a keyword index and a vector index on disk.

One writer at a time takes batches of changes; a batch that was taken survives a kill. Readers see whole batches only.

Modules: `catalog` (corpora by name and by their files), `store` (documents and passages in SQLite, the source of
truth), `writer` (the lock, a batch into the store, and the keyword index after it), `keyword_index` (tantivy),
`vector_index` and `embedding_models` (vectors), `language_fit` (whether a model knows the languages),
`vector_store_sync` (into a store elsewhere).
"""
