"""Extraction without a model: values that a clause states of what is asked, and fields of records.

`typed_extraction.extract_value` is the only door. Its patterns are in `text/data/extraction.toml`.

- `typed_extraction`: the value of one look-up, or silence
- `asked_value`: a question taken apart
- `clauses`: the words of a clause by their roles for a question
- `assertions`: the generic rule by which a clause of prose states a value
- `life_spans`: dates in brackets behind a name
- `records`: fields of rows and keyed lines
- `entity_matching`: whether a page is about a thing, and where it names it
- `stated_value`: a value that a line gives, and whether two are one
"""
