"""The page, OpenAI's API and the page's own routes as guests of a LangGraph server or Aegra.

application  the ASGI application; the routes that are served
backend      the host's runs and threads, by its own API
"""
