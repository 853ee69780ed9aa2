"""The master: parses the question, scores its complexity and sets up the team."""
