"""Documents: indexed, searched, listed, and retrieval measured."""
