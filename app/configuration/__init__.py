"""Configuration files. The environment overrides both.

env_file     `.env` of the working directory: harmless settings, and others of trusted folders
config_file  `config.toml`, the user's own
"""
