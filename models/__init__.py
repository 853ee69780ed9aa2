"""Chat models: creation from `provider:model`, calls within the run's limits, parsing of replies.

`gateway.ChatModels` is the entry point. It raises `errors.ModelCallError` for every failure, and the caller then falls
back on rules. Importing this package loads no provider.

gateway           `ChatModels`: calls a role's model for text, a stream or a typed value
speed             reading and writing speed of endpoints, learned and stored
session           an agent's calls of a model: attempts, deadlines, the trace
attempt           an attempt in progress: deadline, tokens, result so far, repetition
structured        a typed value, through the modes that an endpoint supports, with one repair turn
request_form      a request adapted to its endpoint: mode, token limit, parameters, reasoning
schema            JSON schemas in the form that endpoints want
reply, coercion, json_reader  parsing of the value in a reply
reasoning_filter  removal of thoughts and template tokens, from streams too
endpoint          the endpoint of a model, the facts remembered about it, its circuit breaker
local_servers     model servers on this machine, their models and context windows
model_cache       chat models and HTTP clients, by event loop
budget, prices    the budget that a run has left
context_windows   size of a model's context window, and counting of tokens
prompt_passages   passages to leave out of a prompt that an endpoint rejects
stop_reasons      completeness of a reply, by the provider's stop reason
errors, fault_codes  the errors of calls, and the classification of failures
"""
