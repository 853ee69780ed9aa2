"""Fetching pages: under a guard, within limits of time and size, politely, and parsed in a process of its own.

Modules: `fetch` (a single page), `url_guard`, `allow_list` and `guarded_transport` (allowed hosts and addresses),
`robots`, `page_cache`, `page_parser` in `parser_process`, `browser`, `urls` (canonical addresses).
"""
