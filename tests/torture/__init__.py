"""Runs killed at every step and at random moments, on SQLite and on Postgres, and what came of them.

`story` is the run, `child` plays it in a process of its own, `harness` kills and resumes that, `ledger` says
from the log what happened how often. `make torture` does the whole; tests/integration/test_resume.py a part of it.
"""
