"""Tool calling: the only entry point to every tool, with retries, a result cache, single flight and circuit breakers.

A call returns a `results.ToolResult` or raises an `errors.ToolCallError` of a kind. `policies` says for each kind
whether to retry or to call a substitute. This package does not depend on the web, the corpus or users.

Modules: `tool_calls` (the entry point), `guarded_call` (admission of a call), `invoke` (a call with its retries),
`arguments`, `injection` and `results` (input and output), `policies` and `errors`, `tool_breaker`,
`substitutes` (one tool's arguments for another), `singleflight`, `ttl_cache` and `result_cache` (with the
ledger of calls that may change something), `call_context` (the call data available to a tool).
"""
