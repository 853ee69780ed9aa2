"""Chat models: creation from `provider:model`, calls within the run's limits, parsing of replies.

`gateway.ChatModels` is the entry point. Everything behind it fails as `errors.ModelCallError`, and the caller then
decides by rule. Importing this package loads no provider.

gateway           `ChatModels`: asks a role's model for text, a stream or a typed value
speed             reading and writing speed of endpoints, learned and kept
session           one agent's calls of one model: attempts, deadlines, the trace
attempt           one attempt in progress: deadline, tokens, result so far, repetition
structured        a typed value, through the modes that an endpoint takes, with one repair turn
request_form      contents of a request by the abilities of its endpoint: mode, bound, parameters, thinking
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
