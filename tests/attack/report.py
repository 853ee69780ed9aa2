"""What became of the attacks of one kind."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Report:
    """Attacks of one kind."""

    tried: int = 0  # how many were made
    failures: list[str] = field(default_factory=list)  # what got through, a line each

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
    """A kind of attack."""

    name: str  # what it is
    run: Callable[[Report, Path], Awaitable[None]]  # makes it, in an empty folder
