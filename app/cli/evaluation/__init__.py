"""The commands that evaluate whole answers."""
