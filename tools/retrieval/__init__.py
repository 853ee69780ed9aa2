"""Tool retrieval: which tools can do the same."""
