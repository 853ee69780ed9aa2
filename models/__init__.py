"""Chat models: made from `provider:model`, asked within the run's limits, their replies made into values.

`gateway.ChatModels` is the door. Everything behind it fails as `errors.ModelCallError`, and the caller then decides by
rule. Importing this package loads no provider.

gateway           `ChatModels`: a role's model, asked for text, a stream or a typed value
speed             how fast endpoints read and write, learned and kept
session           one agent's calls of one model: attempts, deadlines, the trace
attempt           one attempt while it is under way: deadline, tokens, what it has come to, repetition
structured        a typed value, through the modes that an endpoint takes, with one repair turn
request_form      what a request holds by what its endpoint takes: mode, bound, parameters, thinking
schema            JSON schemas as endpoints want them
reply, coercion, json_reader  a reply read for the value in it
reasoning_filter  thoughts and template tokens taken out, of streams too
endpoint          where a model answers, what is remembered of it, its circuit breaker
local_servers     model servers on this machine, their models and context windows
model_cache       chat models and HTTP clients, by event loop
budget, prices    what a run may still spend
context_windows   how much a model can be given, and how text is counted
prompt_passages   what can be left out of a prompt that is not taken
stop_reasons      whether a reply is whole, by what its provider says
errors, fault_codes  the errors of calls, and the classification of failures
"""
