"""Where threads are kept: one SQLite file under `WEIWO_HOME`, or Postgres.

Checkpoints are read back strictly: only the types of `state`, and those LangGraph itself
vouches for, are ever built from stored bytes, whoever wrote them. The list is given to the serializer here, so
that it holds whether or not `LANGGRAPH_STRICT_MSGPACK` was set before LangGraph was
imported; with that variable set, LangGraph adds what it finds in the graphs' own schemas.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import state
from state.settings import Settings
from state.values import Value

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

FILE_NAME = "threads.sqlite"
BUSY_SECONDS = 15
"""How long a process waits for another one that is writing to the same file."""

CONNECT_SECONDS = 10
"""How long a Postgres server may take to answer."""

_SETUP_LOCK = 0x77656977  # an advisory lock of our own, "weiw"
_ADVICE = {
    "readonly": "make it writable, or set WEIWO_HOME to another folder",
    "unable to open": "make its folder writable, or set WEIWO_HOME to another folder",
    "full": "free some space, or set WEIWO_HOME to a folder on another disk",
    "i/o error": "free some space or check the disk, or set WEIWO_HOME to another folder",
    "not a database": "move it away, or set WEIWO_HOME to another folder",
    "malformed": "move it away, or set WEIWO_HOME to another folder",
    "locked": "another process keeps it busy: try again, or set WEIWO_HOME to another folder",
}


class StorageError(RuntimeError):
    """Threads cannot be kept or read. The message is one line: what; why; what to do. It holds no secret."""


class DatabaseUrlError(StorageError):
    """`WEIWO_DATABASE_URL` is not the address of a database."""


def serializer() -> "JsonPlusSerializer":
    """The serializer of every saver of ours: strict, with the types of `state` allowed."""
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer  # noqa: PLC0415 - heavy

    kinds = [kind for kind in vars(state).values() if isinstance(kind, type) and issubclass(kind, Value)]
    return JsonPlusSerializer(allowed_msgpack_modules=[(kind.__module__, kind.__name__) for kind in kinds])


def describe(settings: Settings, database_url: str | None) -> str:
    """Where threads are kept, for people: a file, or a URL without its password."""
    return masked(database_url) if database_url else str(_path(settings))


@asynccontextmanager
async def open_checkpointer(
    settings: Settings, database_url: str | None = None
) -> "AsyncIterator[BaseCheckpointSaver[Any]]":
    """Open the saver that a graph is built with.

    Args:
        settings: Tells the folder of Weiwo's own files, and the database if one is configured.
        database_url: Another `postgresql://…` than the settings'; without any, SQLite.

    Yields:
        A saver whose tables exist. Several processes may have the same one open.

    Raises:
        DatabaseUrlError: The URL is no Postgres URL.
        StorageError: The database cannot be used, now or while it is open.
    """
    if url := database_url or settings.database_url:
        async with _postgres(url) as saver:
            yield saver
    else:
        async with _sqlite(_path(settings)) as saver:
            yield saver


def _path(settings: Settings) -> Path:
    return Path(settings.home) / FILE_NAME


@asynccontextmanager
async def _sqlite(path: Path) -> "AsyncIterator[BaseCheckpointSaver[Any]]":
    import aiosqlite  # noqa: PLC0415 - heavy

    from graph.sqlite_saver import AsyncSqliteSaver  # noqa: PLC0415 - heavy

    try:
        # Questions and what was found for them are nobody else's business.
        await asyncio.to_thread(path.parent.mkdir, mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise StorageError(f"cannot create the folder {path.parent}; {why}; set WEIWO_HOME to a folder") from None
    try:
        # Where a file does not open, `aiosqlite` leaves a thread behind.
        await asyncio.to_thread(lambda: sqlite3.connect(path, timeout=BUSY_SECONDS).close())
        async with aiosqlite.connect(path, timeout=BUSY_SECONDS) as connection:
            saver = AsyncSqliteSaver(connection, serde=serializer())
            await _set_up_sqlite(saver)
            # A power cut may cost the last steps, never the file; a kill costs nothing. Several times faster.
            await connection.execute("PRAGMA synchronous=NORMAL")
            try:
                yield saver
            finally:
                await saver.drain()
    except sqlite3.Error as error:
        raise _sqlite_error(path, error) from error


async def _set_up_sqlite(saver: Any) -> None:
    """Create the tables. The first switch to WAL fails, without waiting, when two processes make it at once."""
    for pause in (0.05, 0.1, 0.2, 0.4, 0.8, 1.6):
        try:
            await saver.setup()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            await asyncio.sleep(pause)
        else:
            return
    await saver.setup()


def _sqlite_error(path: Path, error: sqlite3.Error) -> StorageError:
    why = str(error)
    advice = next((text for sign, text in _ADVICE.items() if sign in why.lower()), "set WEIWO_HOME to another folder")
    return StorageError(f"cannot use {path}; {why}; {advice}")


@asynccontextmanager
async def _postgres(url: str) -> "AsyncIterator[BaseCheckpointSaver[Any]]":
    if not url.startswith(("postgresql://", "postgres://")):
        raise DatabaseUrlError(
            f"WEIWO_DATABASE_URL; {masked(url)!r} is not a Postgres URL; write postgresql://user:password@host/database,"
            " or unset it to use SQLite"
        )
    try:
        import psycopg  # noqa: PLC0415 - heavy, and an extra
        from langgraph.checkpoint.postgres import aio  # noqa: PLC0415 - the same
        from psycopg.rows import dict_row  # noqa: PLC0415 - the same
        from psycopg_pool import AsyncConnectionPool  # noqa: PLC0415 - the same

        from graph.postgres_saver import AsyncPostgresSaver  # noqa: PLC0415 - the same
    except ImportError as error:
        raise StorageError(
            f"WEIWO_DATABASE_URL names a Postgres database; {error.name or 'its driver'} is not installed;"
            " pip install 'weiwo[postgres]', or unset it to use SQLite"
        ) from None
    try:
        ports = str(psycopg.conninfo.conninfo_to_dict(url).get("port") or "").split(",")
        # With one of these unescaped in it, a password is taken for something else.
        readable = not set("/?#") & set(_credentials(url)) and all(port.isdecimal() or not port for port in ports)
    except psycopg.ProgrammingError:
        readable = False
    if not readable:
        # The driver's own words are kept back: they quote the URL around the mistake, often the password.
        raise DatabaseUrlError(
            "WEIWO_DATABASE_URL; it cannot be read as a URL; write postgresql://user:password@host/database"
            " with special characters in the password percent-encoded"
        )
    options: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    options["connect_timeout"] = CONNECT_SECONDS
    try:
        # One plain connection first: it says what is wrong, where a pool would only time out.
        async with await psycopg.AsyncConnection.connect(url, **options) as connection:
            await _set_up_postgres(aio.AsyncPostgresSaver(connection), connection)
        pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
            url, min_size=1, max_size=8, kwargs=options, open=False, timeout=CONNECT_SECONDS
        )
        async with pool:
            yield AsyncPostgresSaver(pool, serde=serializer())
    except psycopg.Error as error:
        raise _postgres_error(url, error) from error


async def _set_up_postgres(saver: Any, connection: Any) -> None:
    """Create the tables, one process at a time.

    The lock is polled: a session that waits inside `pg_advisory_lock` holds a snapshot, for which
    the migrations' `CREATE INDEX CONCURRENTLY` would wait in turn.
    """
    for _ in range(200):
        cursor = await connection.execute("SELECT pg_try_advisory_lock(%s) AS taken", (_SETUP_LOCK,))
        if (await cursor.fetchone())["taken"]:
            break
        await asyncio.sleep(0.1)
    await saver.setup()  # also after 20 seconds without the lock: the statements are idempotent
    await connection.execute("SELECT pg_advisory_unlock(%s)", (_SETUP_LOCK,))


def _postgres_error(url: str, error: Exception) -> StorageError:
    why = " ".join(str(error).split()) or type(error).__name__
    with suppress(Exception):  # the URL was readable; should it not be, its password is not in the message either
        if password := _parts(url).get("password"):
            why = why.replace(str(password), "***")
    return StorageError(
        f"cannot use the database {masked(url)}; {why[:300]}; start it, correct WEIWO_DATABASE_URL, or unset it to use"
        " SQLite"
    )


def _parts(url: str) -> dict[str, Any]:
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415 - heavy, and an extra

    return dict(conninfo_to_dict(url))


def masked(url: str) -> str:
    """A database URL that can be shown: scheme, user, host and database, no password and no parameters."""
    scheme, found, rest = url.partition("://")
    if not found:
        return "(not a URL)"
    user, colon, _ = _credentials(url).partition(":")
    place = rest.rpartition("@")[2].partition("?")[0].partition("#")[0]
    return f"{scheme}://{user}{':***' if colon else ''}{'@' if '@' in rest else ''}{place}"


def _credentials(url: str) -> str:
    """What stands before the last @: user and password, even if that holds characters it may not."""
    return url.partition("://")[2].rpartition("@")[0]
