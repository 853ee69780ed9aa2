"""Session of a command: the database and the graph. Stored threads are read without LangGraph if possible."""

import logging
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from weiwo.app.cli.errors import FAILED, USAGE, CommandError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.output import hint
from weiwo.app.session.session import Session
from weiwo.graph.persistence.checkpoint_reader import UnreadableCheckpointError, list_saved_threads, saved_thread_exists
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.graph.persistence.storage import DatabaseUrlError, StorageError, database_file
from weiwo.graph.persistence.store import open_store
from weiwo.graph.persistence.threads import ThreadInfo, list_threads
from weiwo.state.environment import home
from weiwo.state.settings import Settings
from weiwo.tools.private_files import replace_private_file

if TYPE_CHECKING:
    from weiwo.state.context import Context

T = TypeVar("T")


def database_url() -> str | None:
    """Return the database from `WEIWO_DATABASE_URL`, if set."""
    return os.environ.get("WEIWO_DATABASE_URL", "").strip() or None


def read_threads(limit: int) -> list[ThreadInfo]:
    """Return the most recently changed threads, newest first."""
    if (found := read_saved(lambda file: list_saved_threads(file, limit))) is not None:
        return found

    async def work(session: Session) -> list[ThreadInfo]:
        return await list_threads(session.saver, limit)

    return run_in_session(work)


def last_thread() -> str:
    """Return the id of the most recently changed thread.

    Raises:
        UsageError: There is no thread.
    """
    for thread in read_threads(1):
        return thread.thread_id
    raise UsageError("there is no thread yet; start one with weiwo ask")


def last_question() -> str:
    """Return the id of the thread to continue by default: the most recently changed thread.

    Raises:
        UsageError: There is no thread, or the question asked last was stopped before it had a thread. In the latter
            case the most recently changed thread belongs to another question.
    """
    with suppress(OSError):
        asked = _last_asked().read_text("utf-8")
        if not is_thread_known(asked):
            raise UsageError("the last question has no thread, because it was stopped early or removed; ask again")
    return last_thread()


def note_question(thread_id: str) -> None:
    """Record which thread the last question belongs to, before the thread exists."""
    with suppress(OSError):
        replace_private_file(_last_asked(), thread_id.encode())


def _last_asked() -> Path:
    return home() / "last-asked"


def is_thread_known(thread_id: str) -> bool:
    """Report whether a thread exists. It counts as existing if that cannot be told without opening the database."""
    return read_saved(lambda file: saved_thread_exists(file, thread_id)) is not False


@asynccontextmanager
async def open_session(context: "Context | None" = None, *, reading: bool = False) -> AsyncIterator[Session]:
    """Open the database and build the graph.

    Args:
        context: The options of the run that is to follow, if already known.
        reading: Whether no run is to follow. Resources that only runs need then stay closed.

    Raises:
        CommandError: The database cannot be used, now or while it is open.
        SettingsError: A limit on cost is set, and the price of a model is not known.
    """
    from weiwo.graph.builder import build_graph
    from weiwo.models.prices import require_prices

    settings = Settings.resolve(context)
    if context is not None:
        require_prices(settings)
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # the error itself is reported, in one line
    try:
        async with open_checkpointer(settings, database_url()) as saver, AsyncExitStack() as stack:
            store = None
            if not reading:
                store = await stack.enter_async_context(open_store(settings, database_url(), hint))
            yield Session(settings, saver, build_graph(saver, store), store)
    except DatabaseUrlError as error:
        raise CommandError(str(error), USAGE) from error
    except StorageError as error:
        raise CommandError(str(error), FAILED) from error


def run_in_session(work: Callable[[Session], Coroutine[Any, Any, T]]) -> T:
    """Call an asynchronous function with a session in which nothing is run, and return its result."""

    async def inside() -> T:
        async with open_session(reading=True) as session:
            return await work(session)

    return run_to_end(inside())


def _saved_file() -> Path | None:
    """Return the SQLite file of threads, or None with an external database."""
    return None if database_url() else database_file(home())


def read_saved(read: Callable[[Path], T]) -> T | None:
    """Call a function with the file of threads, and return its result.

    Returns None if the file cannot be read directly, because the database is external or only LangGraph can read it.

    Raises:
        CommandError: The file cannot be read.
    """
    try:
        return None if (file := _saved_file()) is None else read(file)
    except UnreadableCheckpointError:
        return None
    except StorageError as error:
        raise CommandError(str(error)) from error
