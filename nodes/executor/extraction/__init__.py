"""Extraction without a model: values that a clause or a row gives the subject by the asked relation."""
