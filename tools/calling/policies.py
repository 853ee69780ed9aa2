"""Failure policies for tool calls, by kind of failure. This table alone decides.

First the same call is made again (`invoke`), then another tool that does the same is called (`substitutes`), then
reflection reviews the whole plan: it may run the task once more, or find another way.

- A timeout, a rate limit or a broken line may pass. So it is tried again, a timeout only once, since it has cost the
  most already, and a rate limit after the time the other side asked for.
- A refused key or a refused caller stays refused: no second call, a substitute at once.
- If one tool lacks something, or has too much of it, another tool may have it: a substitute, no second call.
- Arguments that are wrong for one tool are wrong for its substitutes, so only another plan helps.
- If no time is left, nothing is tried.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from weiwo.state import FailureKind

_Strain = Literal["none", "counts", "opens"]


@dataclass(frozen=True, slots=True)
class _FailurePolicy:
    """Policy for a kind of failure, in order of application."""

    # Further calls of the same tool with the same arguments at most, if the failure is a transient one.
    retries: int = 0
    substitute: bool = False  # whether another tool of the same cluster is asked
    again: bool = False  # whether the same task may have a value when it is run once more, after the rest of the plan
    # Who decides in the end: reflection, or nobody, because nothing can be done.
    last: Literal["reflect", "give_up"] = "reflect"
    # What it tells of the tool's health: nothing, something, or that it is out of order (`circuit_breaker`).
    strain: _Strain = "none"


POLICIES: Final[Mapping[FailureKind, _FailurePolicy]] = MappingProxyType(
    {
        "timeout": _FailurePolicy(retries=1, substitute=True, again=True, strain="counts"),
        "rate_limit": _FailurePolicy(retries=2, substitute=True, again=True, strain="counts"),
        "crash": _FailurePolicy(retries=2, substitute=True, again=True, strain="counts"),
        "refused": _FailurePolicy(substitute=True, again=True),  # the tool's own error: no such city
        "auth": _FailurePolicy(substitute=True, strain="opens"),
        "blocked": _FailurePolicy(substitute=True, strain="counts"),
        "not_found": _FailurePolicy(substitute=True),
        "oversized": _FailurePolicy(substitute=True),
        "empty": _FailurePolicy(substitute=True),
        "bad_arguments": _FailurePolicy(),
        "incomplete": _FailurePolicy(),
        "inconsistent": _FailurePolicy(),
        "slow": _FailurePolicy(),
        "limit": _FailurePolicy(last="give_up"),
    }
)
"""The policy of each kind. An `empty` result is asked for in other words before another tool is."""

PATIENCE: Final = 2.0
"""Seconds worth waiting for a tool that has a stand-in; without one, all the time of the call is."""


def strain_of(kind: FailureKind, cluster: str, *, transient: bool) -> _Strain:
    """Return the effect of a failure on the tool's health.

    A page that wants a login, or refuses readers, says nothing of the tool that opens pages. Nor does an exception of
    the tool's own (no such city), unless it concerns the connection, because other arguments may work.
    """
    if (cluster == "open" and kind in {"auth", "blocked"}) or (kind == "crash" and not transient):
        return "none"
    return POLICIES[kind].strain
