"""The web: what may be fetched, fetching it, and reading what came."""
