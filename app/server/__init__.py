"""`weiwo serve`: the HTTP server of the page and of clients, which speaks the LangGraph server's API.

`application.py` puts it together: `guard` says who may, `records` and `run_log` keep runs and their events, `runs` runs
them in the background, and the `*_routes` modules are the HTTP interface.
"""
