"""The writer: drafts the answer, checks its claims, numbers its sources and builds the result."""
