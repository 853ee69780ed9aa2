"""An open database with the graph upon it: what runs and threads are worked on with; and how a run ends."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from weiwo.app.errors import AppError, MisuseError
from weiwo.graph.persistence import thread_lock
from weiwo.state.settings import Settings
from weiwo.text.printable import one_line

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.store.base import BaseStore


APPROVE: Final = "approve"
"""The answer that lets a plan run as it is."""


@dataclass(frozen=True)
class Session:
    """An open database and the graph upon it.

    Attributes:
        settings: The settings in force.
        saver: Where threads are kept.
        graph: The graph.
        store: What is remembered across threads; None where it cannot be used, or only reading is meant.
    """

    settings: Settings
    saver: "BaseCheckpointSaver[Any]"
    graph: "CompiledStateGraph[Any, Any, Any, Any]"
    store: "BaseStore | None" = None


@dataclass(frozen=True)
class RunEnd:
    """How a run ended, or where it waits.

    Attributes:
        thread_id: Its thread.
        result: The result object; empty while the run waits.
        request: What it asks a person; empty where it waits for none.
        ran: Whether there was anything to run.
    """

    thread_id: str
    result: dict[str, Any]
    request: Mapping[str, Any] = field(default_factory=dict)
    ran: bool = True

    @property
    def hash(self) -> str:
        """Hash of what is asked about, where the request has one."""
        return str(self.request.get("hash") or "")

    @property
    def complaints(self) -> list[str]:
        """What is wrong with the answer a person gave before, a line each."""
        return [one_line(str(one), 500) for one in self.request.get("complaints") or ()]


async def require_own_thread(session: Session, thread_id: str) -> None:
    """See that a thread is the operator's, and keep its name for the operator.

    Raises:
        MisuseError: A user of the server owns it, who would read what is asked on it.
    """
    try:
        await asyncio.to_thread(thread_lock.require_own_thread, session.settings.home, thread_id)
    except thread_lock.ForeignThreadError as error:
        raise MisuseError(str(error)) from error


@asynccontextmanager
async def claim(session: Session, thread_id: str) -> AsyncIterator[None]:
    """Keep other processes from running this thread at the same time, and the server's users from owning it.

    Raises:
        AppError: One is running it already.
        MisuseError: A user of the server owns it.
    """
    await require_own_thread(session, thread_id)
    try:
        async with thread_lock.claimed(session.settings, thread_id, saver=session.saver):
            yield
    except thread_lock.ThreadBusyError as error:
        raise AppError(str(error)) from error
