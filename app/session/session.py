"""Session: an open database with the graph, for work on runs and threads, and the end of a run."""

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
    """An open database with the graph.

    Attributes:
        settings: The settings in force.
        saver: The checkpointer of the threads.
        graph: The graph.
        store: The memory across threads. None if it cannot be used, or if the session is only for reading.
    """

    settings: Settings
    saver: "BaseCheckpointSaver[Any]"
    graph: "CompiledStateGraph[Any, Any, Any, Any]"
    store: "BaseStore | None" = None


@dataclass(frozen=True)
class RunEnd:
    """Outcome of running a thread: a result, or a request that waits for a person.

    Attributes:
        thread_id: Its thread.
        result: The result object. Empty while the run waits.
        request: The request to a person. Empty if the run waits for none.
        ran: Whether there was anything to run.
    """

    thread_id: str
    result: dict[str, Any]
    request: Mapping[str, Any] = field(default_factory=dict)
    ran: bool = True

    @property
    def hash(self) -> str:
        """Hash of the request that waits for a person. Empty if the run waits for none, or the request has no hash."""
        return str(self.request.get("hash") or "")

    @property
    def complaints(self) -> list[str]:
        """Complaints about the person's previous answer to the request, a line each. Empty if there are none."""
        return [one_line(str(complaint), 500) for complaint in self.request.get("complaints") or ()]


async def require_own_thread(session: Session, thread_id: str) -> None:
    """Require a thread of the operator, and reserve the name of the thread.

    Raises:
        MisuseError: A user of the server owns the thread and would read what is asked on it.
    """
    try:
        await asyncio.to_thread(thread_lock.require_own_thread, session.settings.home, thread_id)
    except thread_lock.ForeignThreadError as error:
        raise MisuseError(str(error)) from error


@asynccontextmanager
async def claim(session: Session, thread_id: str) -> AsyncIterator[None]:
    """Context manager for exclusive use of a thread.

    It keeps other processes from running the thread at the same time, and the server's users from owning it.

    Raises:
        AppError: Another process is already running it.
        MisuseError: A user of the server owns it.
    """
    await require_own_thread(session, thread_id)
    try:
        async with thread_lock.claim_thread(session.settings, thread_id, saver=session.saver):
            yield
    except thread_lock.ThreadBusyError as error:
        raise AppError(str(error)) from error
