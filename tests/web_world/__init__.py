"""A small web on loopback: pages about an invented country in English and Chinese, a search engine over them, questions.

    with WebWorld(seed=7) as web:
        tools = web.tools()                      # web_search over SearXNG's protocol, read_page under a guard
        build_graph(tools=tools, models=reader())   # or without a model
        web.log                                  # every request that came in

Everything follows from the seed. Nothing in it exists: people, towns, rivers, books, companies and bridges are made up,
and so is every fact, so that no model can know an answer without reading.
"""
