"""Web search providers: a provider is a row of `catalog.PROVIDERS` that keeps the contract of `provider.Provider`.

Modules: `provider` (the contract), `catalog` (the table), `http_provider` (one bounded request), `duckduckgo` and
`tavily` (through their own clients), `selection` (those of a run), `failover` (one after the other), `health` (what
is known of each).
"""
