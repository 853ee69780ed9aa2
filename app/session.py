"""What every command that touches threads opens: the settings, the database and the graph."""

import asyncio
import logging
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from app.errors import FAILED, INTERRUPTED, TERMINATED, USAGE, CommandError
from app.output import hint, is_terminal, say, write
from app.pool import DaemonPool
from models.prices import require_prices
from state.settings import Context, Settings

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

T = TypeVar("T")

PATIENCE_SECONDS = 3.0
"""Seconds in which a stopped command has to put things in order."""
SHOW_CURSOR = "\x1b[?25h"


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
async def open_session(context: Context | None = None, *, reading: bool = False) -> AsyncIterator[Session]:
    """Open the database and build the graph.

    Args:
        context: The options of the run that is to follow, where they are known already.
        reading: No run is to follow: what only runs need stays closed.

    Raises:
        CommandError: The database cannot be used, now or while it is open.
        SettingsError: A limit on cost is set, and the price of a model is not known.
    """
    settings = Settings.resolve(context)
    if context is not None:
        require_prices(settings)
    from graph import build_graph  # noqa: PLC0415 - heavy
    from graph.checkpoint import DatabaseUrlError, StorageError, open_checkpointer  # noqa: PLC0415 - heavy

    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # the error itself is reported, in one line
    try:
        async with open_checkpointer(settings, database_url()) as saver, AsyncExitStack() as stack:
            store = None
            if not reading:
                from graph.store import open_store  # noqa: PLC0415 - heavy

                store = await stack.enter_async_context(open_store(settings, database_url(), hint))
            yield Session(settings, saver, build_graph(saver, store))
    except DatabaseUrlError as error:
        raise CommandError(str(error), USAGE) from error
    except StorageError as error:
        raise CommandError(str(error), FAILED) from error


@asynccontextmanager
async def claim(session: Session, thread_id: str) -> AsyncIterator[None]:
    """Keep other processes from running this thread at the same time.

    Raises:
        CommandError: One is running it already.
    """
    from graph.claim import ThreadBusyError, claimed  # noqa: PLC0415 - heavy

    try:
        async with claimed(session.settings, thread_id, database_url()):
            yield
    except ThreadBusyError as error:
        raise CommandError(str(error), FAILED) from error


class InterruptedRunError(Exception):
    """A signal ended the event loop's work. `code` is the exit code that says which."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def run(work: Coroutine[Any, Any, T], stopped: Callable[[int], CommandError] | None = None) -> T:
    """Run a command's coroutine; Ctrl-C and SIGTERM cancel it, so that files and the terminal are left in order.

    Only the first signal counts: what is being put in order is not disturbed by an impatient second one.

    Args:
        work: What to do.
        stopped: What is said, by exit code, should putting things in order take too long to be waited for.

    Raises:
        InterruptedRunError: One of these came.
    """
    stops: list[int] = []
    patience: list[threading.Timer] = []
    before = {sent: signal.getsignal(sent) for sent in (signal.SIGINT, signal.SIGTERM)}

    def stop(task: "asyncio.Task[Any]", code: int) -> None:
        task.cancel()
        patience.append(threading.Timer(PATIENCE_SECONDS, _leave, [code, stopped]))
        patience[0].daemon = True
        patience[0].start()

    async def main() -> T:
        loop, task = asyncio.get_running_loop(), cast("asyncio.Task[Any]", asyncio.current_task())
        loop.set_default_executor(DaemonPool())

        # Not `loop.add_signal_handler`: a signal that comes while its loop is being closed is told as an OSError.
        def came(sent: int, _: object) -> None:
            stops.append(INTERRUPTED if sent == signal.SIGINT else TERMINATED)
            if len(stops) == 1:
                with suppress(RuntimeError):  # the loop is closed: all was done
                    loop.call_soon_threadsafe(stop, task, stops[0])

        for sent in before:
            signal.signal(sent, came)
        return await work

    try:
        return asyncio.run(main())
    except (KeyboardInterrupt, asyncio.CancelledError):
        before.update(dict.fromkeys(before, signal.SIG_IGN))  # what is left is to say so and to exit,
        patience.clear()  # still watched
        raise InterruptedRunError(stops[0] if stops else INTERRUPTED) from None
    finally:
        for timer in patience:
            timer.cancel()  # the signal came when all was done
        for sent, handler in before.items():
            signal.signal(sent, handler)


def _leave(code: int, stopped: Callable[[int], CommandError] | None) -> None:
    """End the program, whatever still holds it: a database that hangs, say."""
    if is_terminal():
        write(SHOW_CURSOR)
    say(str(stopped(code)) if stopped else "stopped; weiwo threads lists what can be resumed")
    os._exit(code)
