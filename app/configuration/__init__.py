"""Files that settings come from beside the environment: `.env` of the working directory, the user's `config.toml`."""
