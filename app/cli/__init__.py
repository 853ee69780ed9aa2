"""The `weiwo` command: its commands, options and exit codes."""
