"""Extraction without a model: values that a clause, a row or a list gives the subject by the asked relation."""
