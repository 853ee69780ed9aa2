"""Tool selection: the tools offered for a question, and tools with the same function.

Selection reads tool descriptions and earlier usage. It calls no tool and no chat model.

Modules: `clusters` (similar tools), `tool_fit` (whether a tool answers a question), `tool_retriever` (the ranking),
`tool_index` over `sparse_index` (by words, n-grams and vectors), `tool_scenes` (tools that were used together),
`vector_cache`, `evaluation`.
"""
