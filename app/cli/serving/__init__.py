"""`weiwo serve`: the page and the HTTP API on this machine."""
