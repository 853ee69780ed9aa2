"""Ingestion: from files, or any LangChain document loader, to passages, reading only what has changed."""
