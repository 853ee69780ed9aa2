"""Retrieval evaluation: whether a labelled set's documents are found, by the engine that users get.

- `dataset`: BEIR-shaped sets; `demo` is the one that ships.
- `dataset_index`: a set's documents as a corpus, kept by the hash of the documents.
- `strategy_comparison`, `metrics`: each strategy beside the router and the best choice there is, with intervals.
- `answer_matching`: whether a text says a known answer.
- `telemetry_report`: what the records of a corpus tell, and what a policy may learn from them.
- `hard_cases`: the questions that were served badly, as a set to be labelled.
"""
