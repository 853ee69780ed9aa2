"""A document corpus: the user's own documents, indexed on disk, brought up to the files when they are asked for.

A corpus is whatever keeps the contract of `base.Corpus`: it is searched by question, and opens one document.

Modules: `base` (the contract and its errors), `loading` (opens what settings name), `records` (what ingestion hands
to the index), `source_names` (what citations call a file), `tools` (the tools `corpus_search` and `open_document`).
Rooms: `formats` reads files, `ingestion` turns them into an index, `index` keeps it, `retrieval` searches it,
`evaluation` measures it.
"""
