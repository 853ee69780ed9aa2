"""`python -m weiwo` is the `weiwo` command."""

import gc
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command and exit."""
    # What is imported stays: with the usual threshold, the collector looks through it for a sixth of a start.
    gc.set_threshold(100_000, 20, 20)
    try:
        from weiwo.app.cli.main import main as command

        command()
    except KeyboardInterrupt:  # while something was imported
        sys.stderr.write("weiwo: stopped\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
