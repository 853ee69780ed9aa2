"""Web search providers: how each is asked, fail-over, rate limits and health."""
