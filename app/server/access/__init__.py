"""Who may use the server: checks before any route, tokens and logins, users."""
