"""`langgraph dev` over this checkout's langgraph.json, offline, with its state in a folder of its own."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from tests.support.foreign import FOREIGN
from tests.support.ports import free_port

ROOT = Path(__file__).parents[2]


def offline_environment(home: Path, client_fields: str) -> dict[str, str]:
    """The environment of a server that calls nobody; its state is kept in `home`, its clients set `client_fields`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    offline = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true", "LANGSMITH_TRACING": "false"}
    return kept | offline | {"WEIWO_HOME": str(home), "WEIWO_CLIENT_FIELDS": client_fields}


@contextmanager
def langgraph_dev(folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """The address of a server that runs, and keeps its state, in an empty folder; `environment` is its whole one."""
    port = free_port()
    for entry in ROOT.iterdir():  # the server keeps its state in the folder it runs in
        if not entry.name.startswith("."):
            (folder / entry.name).symlink_to(entry)
    log = folder / "server.log"
    command = [
        *(sys.executable, "-m", "langgraph_cli", "dev"),
        *("--no-browser", "--no-reload", "--port", str(port), "--n-jobs-per-worker", "10"),
    ]
    with log.open("w") as out:
        process = subprocess.Popen(
            command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, env=dict(environment), start_new_session=True
        )
        try:
            wait_until_up(f"http://127.0.0.1:{port}/ok", process, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_until_up(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until an address answers, or fail with the log of the process that should."""
    while True:
        assert process.poll() is None, log.read_text()
        with suppress(httpx.HTTPError):
            if httpx.get(url, timeout=20).status_code == 200:
                return
        time.sleep(0.2)
