"""`weiwo serve` as a process."""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]


@contextmanager
def weiwo_serve(environment: Mapping[str, str], prelude: str = "") -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start the server on a free port, and end it.

    Args:
        environment: Its whole environment.
        prelude: Code that it runs first.

    Yields:
        Its address, and its process.
    """
    run = f"{prelude}\nfrom weiwo.app.cli.main import main\nmain()"
    command = [sys.executable, *(["-c", run] if prelude else ["-m", "weiwo"]), "serve", "--port", "0"]
    process = subprocess.Popen(command, cwd=ROOT, env=dict(environment), stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert address, line + process.stderr.read()
        yield address[0], process
    finally:
        process.kill()
        process.communicate()
