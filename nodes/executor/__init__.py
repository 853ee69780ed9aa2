"""The executor: one task from its inputs to its outcome, by searching, opening and reading."""
