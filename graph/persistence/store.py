"""Storage across threads, above all of tool results: a SQLite file under `WEIWO_HOME`, or Postgres.

A store that cannot be opened causes a warning and slower runs, but no failure. Several processes may have the same
store open. Each deletes expired entries when it opens the store, and stops its background task when it closes it.
"""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from weiwo.graph.persistence.storage import StorageError, mask_url, open_private, sqlite_error
from weiwo.state.settings import Settings

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

FILE_NAME: Final = "store.sqlite"

_log: Final = logging.getLogger(__name__)


@asynccontextmanager
async def open_store(
    settings: Settings, database_url: str | None = None, warn: Callable[[str], None] = _log.warning
) -> "AsyncIterator[BaseStore | None]":
    """Open the LangGraph store for a graph: Postgres if there is a URL, else the SQLite file.

    Args:
        settings: The settings, with a database URL or the folder of the SQLite file.
        database_url: URL that takes precedence over the settings.
        warn: Called with a line if the store cannot be used.

    Yields:
        A store with existing tables, or None if it cannot be used.
    """
    url = database_url or settings.database_url
    path = Path(settings.home) / FILE_NAME
    async with AsyncExitStack() as stack:
        store: BaseStore | None = None
        try:
            opened = _postgres(url) if url else _sqlite(path, warn)
            store = await stack.enter_async_context(opened)
        except Exception as error:  # noqa: BLE001 - whatever a database does wrong, answering goes on
            warn(_format_warning(error, url, path))
        try:
            yield store
        finally:
            try:
                await stack.aclose()
            except Exception as error:  # noqa: BLE001 - an error on closing must not fail a run that has its answer
                _log.warning("the store could not be closed: %s", type(error).__name__)


def _format_warning(error: Exception, url: str | None, path: Path) -> str:
    """Format the warning about an unusable store.

    A driver's own words are left out, since they may quote a URL with its password.
    """
    if url:
        return f"results are not saved: cannot use the database {mask_url(url)}: {type(error).__name__}"
    if isinstance(error, sqlite3.Error):
        error = sqlite_error(path, error)
    told = " ".join(str(error).split())[:400] or type(error).__name__
    if not isinstance(error, StorageError):
        told = f"cannot use {path}: {told}; set WEIWO_HOME to another folder"
    return f"results are not saved: {told}"


@asynccontextmanager
async def _sqlite(path: Path, warn: Callable[[str], None]) -> "AsyncIterator[BaseStore]":
    from weiwo.graph.persistence.sqlite_store import SqliteStore

    await asyncio.to_thread(_openable, path)
    async with SqliteStore(path, lambda error: warn(f"results are not saved: {error}")) as store:
        yield store


def _openable(path: Path) -> None:
    """Create the file and its folder if missing, and raise an error if the file is no database."""
    with closing(open_private(path)) as database:
        database.execute("PRAGMA schema_version")


@asynccontextmanager
async def _postgres(url: str) -> "AsyncIterator[BaseStore]":
    from langgraph.store.postgres.aio import AsyncPostgresStore

    from weiwo.graph.persistence.postgres_saver import open_pool
    from weiwo.graph.persistence.postgres_store import FencedPostgresStore  # noqa: PLC0415 - heavy

    async def set_up(connection: Any) -> None:
        async with _running(AsyncPostgresStore(connection)) as store:
            await store.setup()
            await store.sweep_ttl()

    async with open_pool(url, 4, set_up) as pool, _running(FencedPostgresStore(pool)) as store:
        yield store


@asynccontextmanager
async def _running(store: Any) -> AsyncIterator[Any]:
    """Context manager that cancels the background task of a LangGraph store at the end."""
    try:
        yield store
    finally:
        task = store._task  # noqa: SLF001 - the library has no other way to it
        task.cancel()
        await asyncio.wait({task}, timeout=1)
