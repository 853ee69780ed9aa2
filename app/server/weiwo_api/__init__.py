"""Weiwo's own API, which the page draws from, and the page's files."""
