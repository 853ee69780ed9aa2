"""The web: searching it, and opening pages of it.

Every address of a page passes the guard, at each redirect anew; search providers are where the user says.

Modules: `web_search` and `read_page` (the tools), `rate_limiter`. Rooms: `providers` search,
`fetching` opens pages.
"""
