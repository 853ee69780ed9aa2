"""Tool selection: which tools a question gets, and which can do the same.

Selection reads what tools say of themselves and what was used before; it calls no tool and no chat model.

Modules: `clusters` (tools that are alike), `tool_fit` (whether one tool answers one question), `tool_retriever` (the
ranking), `tool_index` over `sparse_index` (by words, n-grams and vectors), `tool_scenes` (tools that were
used together), `vector_cache`, `evaluation`.
"""
