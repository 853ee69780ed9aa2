"""The writer: drafts the answer, checks the claims, numbers the sources and builds the result."""
