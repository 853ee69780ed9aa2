"""What became of the attacks of one kind."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Report:
    """Attacks of one kind.

    Attributes:
        tried: How many were made.
        failures: What got through, a line each.
    """

    tried: int = 0
    failures: list[str] = field(default_factory=list)

    def check(self, what: str, held: bool, why: str = "it got through") -> None:  # noqa: FBT001 - a verdict
        """Count an attack, which held or did not."""
        self.tried += 1
        if not held:
            self.failed(what, why)

    def failed(self, what: str, why: str) -> None:
        """Something got through."""
        self.failures.append(f"{what[:80]!r}: {' '.join(why.split())[:200]}")


@dataclass(frozen=True)
class Attack:
    """A kind of attack.

    Attributes:
        name: What it is.
        run: Makes it, in an empty folder.
    """

    name: str
    run: Callable[[Report, Path], Awaitable[None]]
