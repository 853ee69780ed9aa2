"""Retrieval over a corpus: search strategies, score fusion, the router, telemetry, external stores."""
