"""End-to-end evaluation: questions with known answers, asked of Weiwo and of plainer systems beside it.

- `question_set`: the questions, their answers or facts, and what they are asked over.
- `systems`: Weiwo as a system; baselines are those of `benchmarks/baselines.py`.
- `scoring`, `judge`: what an answer is worth, by matching, and by a model where matching cannot tell.
- `experiment`: a folder of results, a row a question and system, from which a killed run goes on.
- `summary`: rates, spending, intervals, and how far confidence can be trusted.
"""
