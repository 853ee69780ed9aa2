"""Usual times of tools: median and 95th percentile of how long their calls took.

Read from the log of calls, for one user; what was kept from an earlier call, or refused, tells nothing of it.
"""

import math
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

_MOST_TIMES: Final = 200
"""The latest calls of a tool that count."""
_LEAST_TIMES: Final = 20
"""Calls from which on a tool has a usual time."""
_TELLING: Final = frozenset({"", "slow", "timeout"})
"""Kinds of failure, and none, whose time says how long the tool takes."""


@dataclass(frozen=True)
class UsualTime:
    """Usual time of a tool's calls, retries included."""

    median: float  # seconds of half of them
    p95: float  # seconds within which 19 in 20 have ended
    calls: int  # calls that this is told from


def find_usual_times(records: Iterable[Mapping[str, Any]], user: str) -> dict[str, UsualTime]:
    """The usual times by tool, of those called often enough."""
    times: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=_MOST_TIMES))
    for record in records:
        name, seconds = record.get("tool"), record.get("seconds")
        if record.get("user") != user or not isinstance(name, str) or record.get("kind", "") not in _TELLING:
            continue
        if isinstance(seconds, int | float) and 0 <= seconds < math.inf:
            times[name].append(float(seconds))
    return {name: _usual(sorted(kept)) for name, kept in times.items() if len(kept) >= _LEAST_TIMES}


def _usual(times: list[float]) -> UsualTime:
    return UsualTime(times[len(times) // 2], times[math.ceil(0.95 * len(times)) - 1], len(times))
