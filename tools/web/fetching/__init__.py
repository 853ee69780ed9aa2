"""Fetching pages: the URL guard, transport, robots.txt, limits per site, parsing."""
