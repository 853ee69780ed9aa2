"""`python -m app` is the `weiwo` command."""

from app.cli import main

main()
