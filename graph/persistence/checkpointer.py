"""Storage of threads: a SQLite file under `WEIWO_HOME`, or Postgres.

Checkpoints are deserialized strictly: only the types of `state`, and those that LangGraph itself allows, are built from
stored bytes. The serializer gets the list of types here, so that it applies whether or not `LANGGRAPH_STRICT_MSGPACK`
was set before LangGraph was imported. With that variable, LangGraph adds the types in the graphs' schemas.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from weiwo.graph.persistence.claims import mark_version, set_up_postgres, set_up_sqlite
from weiwo.graph.persistence.sqlite_thread import SqliteThread
from weiwo.graph.persistence.storage import (
    DatabaseUrlError,
    StorageError,
    credentials_of,
    database_file,
    mask_url,
    open_private,
    sqlite_error,
)
from weiwo.state.settings import Settings

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.checkpoint.sqlite import SqliteSaver

    from weiwo.graph.persistence.serializer import StateSerializer


_UNREACHABLE: Final = "start it, correct WEIWO_DATABASE_URL, or unset it to use SQLite"
_POSTGRES_ADVICE: Final = {
    "too many clients": "allow more connections (max_connections), or run fewer processes on it",
    "too many connections": "allow more connections (for this role or database), or run fewer processes on it",
    "remaining connection slots": "allow more connections (max_connections), or run fewer processes on it",
    "no more connections allowed": "allow more connections in the pooler, or run fewer processes on it",
    "read-only transaction": "it is a standby or set read-only: name the primary in WEIWO_DATABASE_URL",
    "hot standby": "it is a standby: name the primary in WEIWO_DATABASE_URL",
    "recovery": "it is a standby or recovering: name the primary in WEIWO_DATABASE_URL, or wait until it is up",
    "starting up": "the server is starting up: try again in a moment",
    "shutting down": "the server is shutting down: start it again",
    "no space left": "free some space on the server's disk",
    "disk full": "free some space on the server's disk",
    "password authentication failed": "correct user and password in WEIWO_DATABASE_URL",
    "no password supplied": "give user and password in WEIWO_DATABASE_URL",
    "no pg_hba.conf entry": "let the server admit this host and user (pg_hba.conf)",
    "permission denied": "grant the user the right to create tables in the database",
    "must be owner": "use the user who owns the tables, or grant their role",
    "newer weiwo": "install the version that last used it",
    'role "': "create the user, or correct WEIWO_DATABASE_URL",
    'database "': "create the database, or correct WEIWO_DATABASE_URL",
}
"""Advice by a text in the server's error message. The first match counts."""


def serializer() -> "StateSerializer":
    """Return the strict serializer of our savers, which allows the types of `state`."""
    from weiwo.graph.persistence.serializer import StateSerializer

    return StateSerializer()


@asynccontextmanager
async def open_checkpointer(
    settings: Settings, database_url: str | None = None
) -> "AsyncIterator[BaseCheckpointSaver[Any]]":
    """Open the checkpoint saver for a graph: Postgres if there is a URL, else the SQLite file.

    Args:
        settings: The settings, with a database URL or the folder of the SQLite file.
        database_url: URL that takes precedence over the settings.

    Yields:
        A saver with existing tables. Several processes may have the same database open.

    Raises:
        DatabaseUrlError: The URL is no Postgres URL.
        StorageError: The database cannot be used, now or while it is open.
    """
    if url := database_url or settings.database_url:
        async with _postgres(url) as saver:
            yield saver
    else:
        async with _sqlite(database_file(settings.home)) as saver:
            yield saver


@asynccontextmanager
async def _sqlite(path: Path) -> "AsyncIterator[BaseCheckpointSaver[Any]]":
    from weiwo.graph.persistence.sqlite_saver import AsyncSqliteSaver

    thread = SqliteThread(lambda: mark_version(open_private(path)), "weiwo-threads")
    try:
        saver = AsyncSqliteSaver(thread, await thread.run(lambda database: database), serde=serializer())
        await _set_up_sqlite(thread, saver)
        yield saver
    except sqlite3.Error as error:
        raise sqlite_error(path, error) from error
    finally:
        await thread.close()


async def _set_up_sqlite(thread: SqliteThread, saver: "SqliteSaver") -> None:
    """Create the tables and set the mode of durability.

    The first switch to WAL fails, without waiting, if two processes make it at once, so it is retried. With
    `synchronous=NORMAL` a power cut may lose the last steps, but never the file, an answer of a person or the record of
    an acting call, which are written `durable`. A kill loses nothing. This is several times faster than FULL.
    """

    def set_up(database: sqlite3.Connection) -> None:
        saver.setup()
        set_up_sqlite(database)
        # SQLite ignores `PRAGMA synchronous` within a transaction, so the setup is committed first.
        database.commit()
        # On macOS, `fsync` leaves data in the drive's cache. Only F_FULLFSYNC makes a durable commit safe.
        database.execute("PRAGMA fullfsync=ON")
        database.execute("PRAGMA synchronous=NORMAL")

    for pause in (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 0.0):
        try:
            await thread.run(set_up)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or not pause:
                raise
            await asyncio.sleep(pause)
        else:
            return


@asynccontextmanager
async def _postgres(url: str) -> "AsyncIterator[BaseCheckpointSaver[Any]]":
    if not url.startswith(("postgresql://", "postgres://")):
        raise DatabaseUrlError(
            f"WEIWO_DATABASE_URL: {mask_url(url)!r} is not a Postgres URL; use "
            "postgresql://user:password@host/database, or unset it to use SQLite"
        )
    try:
        import psycopg
        from langgraph.checkpoint.postgres import aio

        from weiwo.graph.persistence.postgres_saver import AsyncPostgresSaver, open_pool
    except ImportError as error:
        raise StorageError(
            f"WEIWO_DATABASE_URL names a Postgres database, but {error.name or 'its driver'} is not "
            "installed; run pip install 'weiwo[postgres]', or unset it to use SQLite"
        ) from None
    try:
        ports = str(psycopg.conninfo.conninfo_to_dict(url).get("port") or "").split(",")
        # With one of these unescaped in it, a password is taken for something else.
        readable = not set("/?#") & set(credentials_of(url)) and all(port.isdecimal() or not port for port in ports)
    except psycopg.ProgrammingError:
        readable = False
    if not readable:
        # The driver's own words are kept back: they quote the URL around the mistake, often the password.
        raise DatabaseUrlError(
            "WEIWO_DATABASE_URL is not a valid URL; use postgresql://user:password@host/database, with "
            "special characters in the password percent-encoded"
        )
    try:

        async def set_up(connection: Any) -> None:
            await aio.AsyncPostgresSaver(connection).setup()
            await set_up_postgres(connection)

        async with open_pool(url, 8, set_up) as pool:
            yield AsyncPostgresSaver(pool, serde=serializer())
    except psycopg.Error as error:
        raise _postgres_error(url, error) from error


def _postgres_error(url: str, error: Exception) -> StorageError:
    why = " ".join(str(error).split()) or type(error).__name__
    # The URL was parsed before. If parsing fails all the same, the message cannot contain its password.
    with suppress(Exception):
        from psycopg.conninfo import conninfo_to_dict

        if password := conninfo_to_dict(url).get("password"):
            why = why.replace(str(password), "***")
    advice = next((told for sign, told in _POSTGRES_ADVICE.items() if sign in why.lower()), _UNREACHABLE)
    return StorageError(f"cannot use the database {mask_url(url)}: {why[:300]}; {advice}")
