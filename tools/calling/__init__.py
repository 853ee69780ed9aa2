"""Tool calling: the only entry point to every tool, with policies, cache, retries and breakers.

The features are policies, a result cache, single flight, substitutes and breakers. A call gives a `results.ToolResult`
or raises an `errors.ToolCallError` of a kind on which `policies` act. This package knows neither web nor corpus nor
tenant.

Modules: `tool_calls` (the entry point), `guarded_call` (admission of a call), `invoke` (a call with its retries),
`arguments`, `injection` and `results` (input and output), `policies` and `errors`, `tool_breaker`,
`substitutes` (one tool's arguments for another), `singleflight`, `ttl_cache` and `result_cache` (with the
ledger of calls that may change something), `call_context` (the call data available to a tool).
"""
