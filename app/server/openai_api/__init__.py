"""OpenAI's API: chat completions and responses, answered by runs."""
