"""The index of a corpus: a document store, a keyword index and a vector index on disk.

One writer at a time applies batches of changes. An applied batch survives a kill. Readers see whole batches only.

Modules: `catalog` (finds corpora by name or by their files), `store` (documents and passages in SQLite, the source of
truth), `writer` (the lock, and batches into the store and then the keyword index), `keyword_index` (tantivy),
`stemmers` (of tantivy), `vector_index` and `embedding_models` (vectors), `language_fit` (checks that an embedding model
knows the languages), `vector_store_sync` (copy to an external vector store), `connectors` (loaders run at intervals).
"""
