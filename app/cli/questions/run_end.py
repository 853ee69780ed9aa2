"""How a run ended, or where it waits for a person."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

APPROVE: Final = "approve"
"""The answer that lets a plan run as it is."""


@dataclass(frozen=True)
class RunEnd:
    """How a run ended, or where it waits.

    Attributes:
        thread_id: Its thread.
        result: The result object; empty while the run waits.
        request: What it asks a person, where it waits for one.
        ran: Whether there was anything to run.
    """

    thread_id: str
    result: dict[str, Any]
    request: Mapping[str, Any] | None = None
    ran: bool = True
