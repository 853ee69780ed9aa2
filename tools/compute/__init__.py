"""Computing: arithmetic and dates, exact, without `eval`.

Modules: `calculator` and `date_difference` (the tools), `arithmetic` (the evaluator), `formula` (an expression as
people write it).
"""
