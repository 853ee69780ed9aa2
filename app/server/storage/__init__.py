"""The server's own database: threads' owners, runs and their events, hashes of secrets."""
