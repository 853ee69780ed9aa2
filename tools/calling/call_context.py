"""Context of the current call for tools: the user, the run, and storage.

A tool gets its arguments from a plan. Everything else that it needs to know of its run is here, so a caller need not
know how the tools use it.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore


@dataclass
class CallContext:
    """Context of a call, as available to the tool."""

    run: str = ""  # names the run, across the processes it may take; empty outside of one
    store: "BaseStore | None" = None  # where things may be kept for later calls; without one, in this process
    fresh: bool = False  # whether what was kept earlier is to be left aside
    used_kept: bool = False  # set by a tool whose result was made of something kept from an earlier call
    # What a user should know of the result, added by the tool; a line each. Such a result is not kept.
    notes: list[str] = field(default_factory=list)
    task: str = ""  # the task that makes the call; empty outside of one
    attempt: int = 0  # how many calls the task had made before
    tool: str = ""  # the tool
    user: str = ""  # on whose account the run works; empty where nobody is known
    state: Mapping[str, Any] = field(default_factory=dict)  # the state of the run; for tools that have it injected

    @property
    def idempotency_key(self) -> str:
        """Return the idempotency key of this call.

        The key is the same if a call in progress is made again after a crash.
        """
        parts = (self.run, self.task, str(self.attempt), self.tool)
        return sha256("\0".join(parts).encode()).hexdigest()[:32]


_current: Final[ContextVar[CallContext | None]] = ContextVar("call", default=None)


def current_call() -> CallContext:
    """Return the context of the current call, or an empty context outside any call."""
    return _current.get() or CallContext()


def find_call() -> CallContext | None:
    """Return the context of the current call, if any."""
    return _current.get()


def set_current_call(context: CallContext) -> None:
    """Set the context for all further work of the running asyncio task."""
    _current.set(context)
