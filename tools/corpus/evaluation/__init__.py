"""Retrieval evaluation of labelled document sets, with the same engine as for users.

- `dataset`: BEIR-shaped sets. `demo` is the one included in the package.
- `dataset_index`: a set's documents as a corpus, stored by the hash of the documents.
- `strategy_comparison`, `metrics`: each strategy beside the router and the best possible choice, with intervals.
- `answer_matching`: whether a text states a known answer.
- `telemetry_report`: a report on the records of a corpus, and what a policy may learn from them.
- `hard_cases`: the poorly served questions, as a set to be labelled.
"""
