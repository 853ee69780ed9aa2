"""`weiwo serve`: the HTTP server of the page and of clients, which speaks the LangGraph server's API.

`application.py` puts it together and `routes.py` lists its paths; `serve.py` is the process, `engine.py` what is open
while it runs. `access/` says who may, `storage/` keeps runs and their events, `runs/` runs them, each API has a room:
`langgraph_api/`, `openai_api/`, `weiwo_api/`. `hosted/` is the last two on another's server, and `backend.py` what they
need of either.
"""
