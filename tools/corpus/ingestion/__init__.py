"""Ingestion: from files, or any LangChain document loader, to passages, reading only changes.

An interrupted run continues where it stopped, and a broken file affects only itself.

Modules: `ingest` (a run over files), `langchain_loader` (a run over a loader), `file_walk` (finds the files),
`change_detection` (selects the files to read), `ingestion_report` (the result, and progress), `worker` and
`worker_pool` (parsers in processes of their own), `refresh` (update of a corpus from its files at a question),
`shared_jobs` (one job for all who wait for it).
"""
