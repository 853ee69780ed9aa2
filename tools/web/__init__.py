"""Web access: search and reading of pages.

Every page address passes the guard, again at each redirect. Search providers are at the addresses given by the user.

Modules: `web_search` and `read_page` (the tools), `rate_limiter`. Rooms: `providers` search, `fetching` opens pages.
"""
