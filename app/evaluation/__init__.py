"""End-to-end evaluation: questions with known answers, asked of Weiwo and of simpler systems.

- `question_set`: the questions, their answers or facts, and the documents they are about.
- `systems`: Weiwo as a system. Baselines are those of `benchmarks/baselines.py`.
- `scoring`, `judge`: the score of an answer, by matching, and by a model if matching cannot tell.
- `experiment`: a folder of results with a row per question and system, from which a killed run continues.
- `summary`: rates, spending, intervals, and how far confidence can be trusted.
"""
