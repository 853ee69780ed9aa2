"""`weiwo eval`: `commands` is the group, `retrieval`, `answers` and `tools` are the commands."""
