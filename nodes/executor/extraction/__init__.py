"""Extraction without a model: values that a clause or a record states.

`typed_extraction.extract_value` is the only entry point. Its patterns are in `text/data/extraction.toml`.

- `typed_extraction`: the value of one look-up, or no value
- `asked_value`: words and type of value that a question asks for
- `clauses`: the words of a clause by their roles for a question
- `assertions`: the rule by which a clause of prose states a value
- `life_spans`: dates in brackets behind a name
- `records`: table rows and lines `Key: value`
- `entity_matching`: whether a page is about a thing, and the places where it names the thing
- `stated_value`: a value given by a line, and the equality of two values
"""
