"""How a run ends for the command: with a result, or waiting for a person."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from weiwo.tools.printable import one_line

APPROVE: Final = "approve"
"""The answer that lets a plan run as it is."""


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
    def complaints(self) -> list[str]:
        """What is wrong with the answer a person gave before, a line each."""
        return [one_line(str(one), 500) for one in self.request.get("complaints") or ()]
