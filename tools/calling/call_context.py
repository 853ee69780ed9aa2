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

    run: str = ""  # id of the run, the same after a restart; empty outside a run
    store: "BaseStore | None" = None  # LangGraph store for caches; None for the memory of this process
    fresh: bool = False  # whether to ignore cached content
    used_kept: bool = False  # set by a tool that used cached content for its result
    # Lines that the tool adds for the user, about the result. A result with notes is not cached.
    notes: list[str] = field(default_factory=list)
    task: str = ""  # id of the task that makes the call; empty outside a task
    attempt: int = 0  # number of calls that the task made before
    tool: str = ""  # name of the tool
    user: str = ""  # user of the run; empty if unknown
    state: Mapping[str, Any] = field(default_factory=dict)  # state of the run, for injected arguments

    @property
    def idempotency_key(self) -> str:
        """Return a hash of run, task, attempt and tool, which is the same if the call is made again after a crash.

        It differs between runs, tasks, tools and attempts of a task.
        """
        parts = (self.run, self.task, str(self.attempt), self.tool)
        return sha256("\0".join(parts).encode()).hexdigest()[:32]


_current: Final[ContextVar[CallContext | None]] = ContextVar("call", default=None)


def current_call() -> CallContext:
    """Return the context of the current call, or an empty context outside any call."""
    return _current.get() or CallContext()


def find_call() -> CallContext | None:
    """Return the context of the current call, or None outside any call."""
    return _current.get()


def set_current_call(context: CallContext) -> None:
    """Set the context for all further work of the running asyncio task."""
    _current.set(context)
