"""The `weiwo` command with a table engine that fails, for a process of its own."""

import importlib.util
from typing import Any

from tests.support.command import command
from weiwo.tools.tables import engine_pool

_WORKERS = {
    "killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "silent": (
        "import time; from weiwo.tools.worker_process import serve_requests; serve_requests(lambda *_: time.sleep(60))"
    ),
    "raising": "raise SystemExit(1)",
}


def ask(failure: str, *arguments: str) -> None:
    """Run `weiwo ask` with an engine that is killed, does not answer, ends at once, or is not installed."""
    if failure == "absent":
        find = importlib.util.find_spec

        def find_other(name: str, package: str | None = None) -> Any:
            return None if name == "duckdb" else find(name, package)

        importlib.util.find_spec = find_other
        for module in ("weiwo.tools.built_in", "weiwo.tools.tables.catalog"):
            importlib.import_module(module).find_spec = find_other
    else:
        engine_pool._COMMAND = _WORKERS[failure]
        engine_pool._GRACE_SECONDS = -9.5
    command("ask", *arguments)
