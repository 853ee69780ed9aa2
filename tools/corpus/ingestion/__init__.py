"""Ingestion: from files, or any LangChain document loader, to passages, reading only changes.

An interrupted run continues where it stopped, and a broken file affects only itself.

Modules: `ingest` (a run over files), `langchain_loader` (a run over a document loader), `git_loader` (a loader for Git
repositories), `file_walk` (finds the files), `change_detection` (selects the files to read), `ingestion_report` (result
and progress), `worker` and `worker_pool` (parsers in processes of their own), `refresh` (update of a corpus from its
files when a question is asked), `shared_jobs` (a background job shared by all callers that wait for it).
"""
