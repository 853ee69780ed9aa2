"""`python -m weiwo` is the `weiwo` command."""

from weiwo.app.cli.main import main

main()
