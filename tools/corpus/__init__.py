"""Document corpus: the user's own documents, indexed on disk and updated on access.

A corpus is any object that satisfies `base.Corpus`: it is searched by question, and opens one document.

Modules: `base` (the contract and its errors), `loading` (opens the corpora that settings name), `records` (records from
ingestion to the index), `source_names` (file names in citations), `tools` (the tools `corpus_search` and
`open_document`).
Subpackages: `formats` reads files, `ingestion` turns them into an index, `index` stores it, `retrieval` searches it,
`evaluation` measures it.
"""
