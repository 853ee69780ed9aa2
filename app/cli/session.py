"""What every command that touches threads opens: the settings, the database and the graph."""

import logging
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from weiwo.app.cli.errors import FAILED, USAGE, CommandError
from weiwo.app.cli.output import hint
from weiwo.app.session.session import Session

if TYPE_CHECKING:
    from weiwo.state.settings import Context


def database_url() -> str | None:
    """The database that `WEIWO_DATABASE_URL` names, if it names one."""
    return os.environ.get("WEIWO_DATABASE_URL", "").strip() or None


@asynccontextmanager
async def open_session(context: "Context | None" = None, *, reading: bool = False) -> AsyncIterator[Session]:
    """Open the database and build the graph.

    Args:
        context: The options of the run that is to follow, where they are known already.
        reading: No run is to follow: what only runs need stays closed.

    Raises:
        CommandError: The database cannot be used, now or while it is open.
        SettingsError: A limit on cost is set, and the price of a model is not known.
    """
    from weiwo.state.settings import Settings  # noqa: PLC0415 - threads are listed without

    settings = Settings.resolve(context)
    if context is not None:
        from weiwo.models.prices import require_prices  # noqa: PLC0415 - heavy

        require_prices(settings)
    from weiwo.graph import build_graph  # noqa: PLC0415 - heavy
    from weiwo.graph.persistence.checkpointer import open_checkpointer  # noqa: PLC0415 - heavy
    from weiwo.graph.persistence.storage import DatabaseUrlError, StorageError  # noqa: PLC0415 - heavy

    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # the error itself is reported, in one line
    try:
        async with open_checkpointer(settings, database_url()) as saver, AsyncExitStack() as stack:
            store = None
            if not reading:
                from weiwo.graph.persistence.store import open_store  # noqa: PLC0415 - heavy

                store = await stack.enter_async_context(open_store(settings, database_url(), hint))
            yield Session(settings, saver, build_graph(saver, store), store)
    except DatabaseUrlError as error:
        raise CommandError(str(error), USAGE) from error
    except StorageError as error:
        raise CommandError(str(error), FAILED) from error
