"""Extraction without a model: dates and figures that a clause gives its subject, and fields of records.

`typed_extraction.extract_value` is the only door. Its patterns are in `text/data/extraction.toml`.

- `typed_extraction`: the value of one look-up, or silence
- `entity_matching`: whether a page is about a thing, and where it names it
- `clauses`: whether the thing is the grammatical subject of a verb
- `date_patterns`, `figure_patterns`, `records`: where a clause, a row or a keyed line puts the value
- `stated_value`: a value that a line gives, and whether two are one
"""
