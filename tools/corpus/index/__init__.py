"""The index of a corpus: a document store, a keyword index and a vector index on disk."""
