"""Web search providers, each a row of `catalog.PROVIDERS`.

A provider keeps the contract of `provider.Provider`.

Modules: `provider` (the contract), `catalog` (the table), `http_provider` (one bounded request), `duckduckgo` and
`tavily` (through their own clients), `selection` (the providers of a run), `failover` (trying one after the other),
`health` (the state of each).
"""
