"""Markdown of an answer: opaque spans, citation marks, and the sanitizer of links and pictures."""
