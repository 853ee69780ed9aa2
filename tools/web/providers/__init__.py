"""Web search providers, each a row of `catalog.PROVIDERS`.

Modules: `provider` (the interface), `catalog` (the table), `http_provider` (a bounded HTTP request), `duckduckgo` and
`tavily` (through their own clients), `scholarly`, `selection` (the providers of a run), `failover` (trying one after
the other), `health` (outages, rate limits and quotas).
"""
