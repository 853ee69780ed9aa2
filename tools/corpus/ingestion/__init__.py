"""Ingestion: from files, or any LangChain document loader, to passages, reading only what has changed.

Whatever is cut off at any moment goes on there the next time; a broken file costs itself alone.

Modules: `ingest` (a run over files), `langchain_loader` (a run over a loader), `file_walk` (which files),
`change_detection` (which of them must be read), `ingestion_report` (the result, and progress), `worker` and
`worker_pool` (parsers in processes of their own), `refresh` (a corpus brought up to its files at a question),
`shared_jobs` (one job for all who wait for it).
"""
