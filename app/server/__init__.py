"""`weiwo serve`: the HTTP server of the page and of clients, which speaks the LangGraph server's API.

`application.py` puts it together and `routes.py` lists its paths; `serve.py` is the process, `engine.py` what is open
while it runs. `access/` says who may, `storage/` keeps runs and their events, `runs/` runs them, and a
room for each API answers requests: `langgraph_api/`, `openai_api/`, `weiwo_api/`.
"""
