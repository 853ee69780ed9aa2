"""Failure policies for tool calls, by kind of failure. This table alone decides.

First the same call is retried (`invoke`), then another tool with the same purpose is called (`substitutes`), then
reflection reviews the whole plan: it may run the task once more, or find another way.

- A timeout, a rate limit or a broken connection may pass, so the call is retried: after a timeout only once, since it
  has cost the most already, and after a rate limit when the server's Retry-After has passed.
- A refused key or a refused caller stays refused: no retry, a substitute at once.
- If a tool does not find something, or its reply is too large, another tool may do better: a substitute, no retry.
- Arguments that are wrong for a tool are wrong for its substitutes, so only another plan helps.
- If a limit of the run is reached, nothing more is tried.
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

    retries: int = 0  # limit of further calls with the same arguments, if the failure is transient
    substitute: bool = False  # whether another tool of the same cluster is called
    again: bool = False  # whether the task may succeed if it is run once more after the rest of the plan
    # Last resort: reflection on the plan, or none.
    last: Literal["reflect", "give_up"] = "reflect"
    # Effect on the tool's circuit breaker (`tool_breaker`): none, counts as a failure, or opens it at once.
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
"""The policy of each kind. After an `empty` result, the query is reworded before another tool is called."""

PATIENCE: Final = 2.0
"""Longest wait in seconds for a tool that has a substitute. Without a substitute, a call may wait all its time."""


def strain_of(kind: FailureKind, cluster: str, *, transient: bool) -> _Strain:
    """Return the effect of a failure on the tool's circuit breaker: "none", "counts" or "opens".

    A page that wants a login, or refuses readers, does not count against the tool that opens pages. Nor does an
    exception of the tool's own code, unless it concerns the connection, because other arguments may work.

    Args:
        kind: Kind of the failure.
        cluster: Name of the tool's cluster. "open" for tools that open pages.
        transient: Whether the failure is transient.
    """
    if (cluster == "open" and kind in {"auth", "blocked"}) or (kind == "crash" and not transient):
        return "none"
    return POLICIES[kind].strain
