"""Markdown of an answer: opaque spans and citation marks."""
