"""What every command that touches threads opens: the settings, the database and the graph."""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from app.errors import FAILED, INTERRUPTED, TERMINATED, USAGE, CommandError, UsageError
from state.settings import Context, Settings
from tools.printable import one_line

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

    from tools.corpus import FolderCorpus

T = TypeVar("T")


@dataclass(frozen=True)
class Session:
    """An open database and the graph upon it.

    Attributes:
        settings: The settings in force.
        saver: Where threads are kept.
        graph: The graph.
    """

    settings: Settings
    saver: "BaseCheckpointSaver[Any]"
    graph: "CompiledStateGraph[Any, Any, Any, Any]"


def database_url() -> str | None:
    """The database that `WEIWO_DATABASE_URL` names, if it names one."""
    return os.environ.get("WEIWO_DATABASE_URL", "").strip() or None


@asynccontextmanager
async def open_session(context: Context | None = None) -> AsyncIterator[Session]:
    """Open the database and build the graph.

    Raises:
        CommandError: The database cannot be used, now or while it is open.
    """
    settings = Settings.resolve(context)
    from graph import build_graph  # noqa: PLC0415 - heavy
    from graph.checkpoint import DatabaseUrlError, StorageError, open_checkpointer  # noqa: PLC0415 - heavy

    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # the error itself is reported, in one line
    try:
        async with open_checkpointer(settings, database_url()) as saver:
            yield Session(settings, saver, build_graph(saver))
    except DatabaseUrlError as error:
        raise CommandError(str(error), USAGE) from error
    except StorageError as error:
        raise CommandError(str(error), FAILED) from error


async def open_corpus(settings: Settings) -> "FolderCorpus":
    """Load the corpus a run will search, before it starts; the run then finds it in memory.

    Raises:
        UsageError: A path is not there, cannot be read, or none of them holds any text.
    """
    from tools.corpus import CorpusError, load_corpus  # noqa: PLC0415 - heavy

    try:
        corpus = await load_corpus(settings.corpus, max_bytes=settings.limits.max_page_bytes)
    except CorpusError as error:
        raise UsageError(str(error)) from error
    if not corpus.size and settings.corpus:
        paths = one_line(", ".join(settings.corpus))
        why = f": {corpus.problems[0].source}: {corpus.problems[0].reason}" if corpus.problems else ""
        raise UsageError(
            f"corpus {paths}: it holds no .md or .txt text that can be read{why}; name files or folders that do"
        )
    return corpus


class InterruptedRunError(Exception):
    """A signal ended the event loop's work. `code` is the exit code that says which."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's coroutine; Ctrl-C and SIGTERM cancel it, so that files and the terminal are left in order.

    Raises:
        InterruptedRunError: One of these came.
    """

    async def main() -> T:
        task = asyncio.current_task()
        with suppress(NotImplementedError):  # Windows has no such handlers
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel if task else lambda: None)
        return await work

    try:
        return asyncio.run(main())
    except KeyboardInterrupt:
        raise InterruptedRunError(INTERRUPTED) from None
    except asyncio.CancelledError:
        raise InterruptedRunError(TERMINATED) from None
