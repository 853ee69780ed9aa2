"""Computing: arithmetic and dates, exact, without `eval`.

Modules: `calculator` and `date_difference` (the tools), `arithmetic` (the evaluator), `formula` (the conversion of an
expression as people write it).
"""
