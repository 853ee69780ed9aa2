"""The call under way, as a tool may look at it: on whose account it works, and where it may keep things.

A tool gets its arguments from a plan; what it needs to know of the run it works for it finds here. So whoever makes
calls need not know what the tools do with it.
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
    """What a tool may know of the call that it is made for."""

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
        """What tells this call from others; the same where a call in flight is made again after a crash."""
        parts = (self.run, self.task, str(self.attempt), self.tool)
        return sha256("\0".join(parts).encode()).hexdigest()[:32]


_current: Final[ContextVar[CallContext | None]] = ContextVar("call", default=None)


def current_call() -> CallContext:
    """The context of the call under way; an empty one outside of any."""
    return _current.get() or CallContext()


def find_call() -> CallContext | None:
    """The context of the call under way, if there is one."""
    return _current.get()


def set_current_call(context: CallContext) -> None:
    """Make this the context of all that the running asyncio task does from now on."""
    _current.set(context)
