"""Retrieval evaluation of labelled document sets, with the same engine as for users.

- `dataset`: BEIR-shaped sets. `demo` is the one included in the package.
- `dataset_index`: a set's documents as a corpus, stored by the hash of the documents.
- `strategy_comparison`, `metrics`: each strategy beside the router and the best possible choice, with intervals.
- `answer_matching`: find a known answer in a text.
- `telemetry_report`: a report on the recorded searches of a corpus, and what a routing policy may learn from them.
- `hard_cases`: export of poorly answered questions, as a set to be labelled.
"""
