"""Tool selection: which tools a question gets, and which can do the same."""
