"""Tool calling: one door to every tool, with policies, a result cache, single flight, substitutes and breakers.

A call gives a `results.ToolResult` or raises an `errors.ToolCallError` of a kind on which `policies` act. This room
knows neither web nor corpus nor tenant.

Modules: `tool_calls` (the door), `guarded_call` (when a call is let through), `invoke` (a call with its retries),
`arguments`, `injection` and `results` (what goes in and comes out), `policies` and `errors`, `tool_breaker`,
`substitutes` (one tool's arguments for another), `singleflight`, `ttl_cache` and `result_cache` (with the
ledger of calls that may change something), `call_context` (what a tool may know of the call).
"""
