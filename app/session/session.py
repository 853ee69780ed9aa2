"""An open database with the graph upon it: what runs and threads are worked on with."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weiwo.app.errors import AppError

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.store.base import BaseStore

    from weiwo.state.settings import Settings


@dataclass(frozen=True)
class Session:
    """An open database and the graph upon it.

    Attributes:
        settings: The settings in force.
        saver: Where threads are kept.
        graph: The graph.
        store: What is remembered across threads; None where it cannot be used, or only reading is meant.
    """

    settings: "Settings"
    saver: "BaseCheckpointSaver[Any]"
    graph: "CompiledStateGraph[Any, Any, Any, Any]"
    store: "BaseStore | None" = None


@asynccontextmanager
async def claim(session: Session, thread_id: str) -> AsyncIterator[None]:
    """Keep other processes from running this thread at the same time.

    Raises:
        AppError: One is running it already.
    """
    from weiwo.graph.persistence.thread_lock import ThreadBusyError, claimed  # noqa: PLC0415 - heavy

    try:
        async with claimed(session.settings, thread_id):
            yield
    except ThreadBusyError as error:
        raise AppError(str(error)) from error
