"""A Postgres server of our own, which can be broken off and started again."""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.postgres import open_handle


class Server:
    """A running server.

    Attributes:
        url: Its address.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self.url: str = handle.get_uri()

    def stop(self) -> None:
        """Break it off, as `pg_ctl stop -m immediate` does: connections are cut, nothing is written any more."""
        process = self._handle.get_postmaster_info().process
        os.kill(process.pid, signal.SIGQUIT)
        process.wait(300)

    def start(self) -> None:
        """Start it again; it recovers from its log."""
        self._handle.ensure_postgres_running()


@contextmanager
def server() -> Iterator[Server]:
    """A server in a folder of its own, both gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="weiwo-pg-"))
    handle = open_handle(folder, cleanup_mode="stop")
    try:
        yield Server(handle)
    finally:
        handle.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
