"""Fetching pages: under a guard, within bounds, politely, and parsed apart from the run.

Modules: `fetch` (one page), `url_guard`, `allow_list` and `guarded_transport` (what may be connected to), `robots`,
`page_cache`, `page_parser` in `parser_process`, `urls` (one address for one page).
"""
