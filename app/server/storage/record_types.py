"""What the server records: threads, runs, the events of runs, and what users spend."""

from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

RunStatus = Literal["pending", "running", "success", "error", "interrupted"]
UNDER_WAY: Final = frozenset({"pending", "running"})


@dataclass(frozen=True, slots=True)
class ThreadRecord:
    """What the server knows of a thread beside its checkpoints.

    Attributes:
        thread_id: Its id.
        owner: The user it belongs to.
        created: When it was made, in seconds of the epoch.
        updated: When a run or a client last touched it.
        metadata: What clients say of it.
    """

    thread_id: str
    owner: str
    created: float
    updated: float
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run.

    Attributes:
        run_id: Its id.
        thread_id: Its thread.
        owner: The user who started it.
        created: When, in seconds of the epoch.
        updated: When its status last changed.
        status: How it goes.
        attempt: 1; one more each time a server took it up again.
        request: What was asked for, as `run_request.RunRequest` writes it.
        error: Why it failed, in one line; else empty.
    """

    run_id: str
    thread_id: str
    owner: str
    created: float
    updated: float
    status: RunStatus
    attempt: int
    request: dict[str, Any]
    error: str


class Spending(NamedTuple):
    """What a user has spent on a day.

    Attributes:
        runs: Questions asked.
        tokens: Input and output tokens of model calls.
        cost: US dollars, as far as prices are known.
    """

    runs: int = 0
    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a run, as it goes over the wire.

    Attributes:
        attempt: The attempt it belongs to.
        seq: Its number within the attempt, from 1.
        name: Its name, such as `values`.
        data: Its data, as JSON.
        at: When it came, in seconds of the epoch.
    """

    attempt: int
    seq: int
    name: str
    data: bytes
    at: float

    @property
    def id(self) -> str:
        """Its id: ids grow over a run, whatever of an attempt was lost when a server was killed."""
        return f"{self.attempt}-{self.seq}"
