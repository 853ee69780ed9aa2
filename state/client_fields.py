"""The allow-list of a server's clients: which fields of a run's `Context` they may set, closed by default.

A client may ask, and may be more careful than the operator: how deep to look, in what form and length to answer,
whether to ask back, limits that lower the operator's, a person's approval, no web, no telemetry, no memory of plans;
whether an earlier answer of its own will do; and it may restrict sources to sites,
dates and folders of the documents, within the operator's own restrictions. What else it may set, the operator names in
`WEIWO_CLIENT_FIELDS`. `tools` and `mcp` run code beside the server, `procedures` reads its files, and `allow_tools` and
`allow_acting` speak for a person, so that no operator can hand them over; a `corpus` of a client is a name.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from weiwo.state.errors import WeiwoError
from weiwo.state.run_limits import Limits

VARIABLE: Final = "WEIWO_CLIENT_FIELDS"
_LIMITS: Final = {field.name: field.default for field in fields(Limits)}
_OPEN: Final = frozenset(
    {"depth", "form", "words", "clarify", "site", "not_site", "since", "folder", "answer_memory", *_LIMITS}
)
_MORE_CAREFUL: Final[Mapping[str, bool]] = {
    "approve_plan": True,
    **dict.fromkeys(("web", "telemetry", "plan_memory"), False),
}
_NEVER: Final = frozenset({"tools", "mcp", "procedures", "allow_tools", "allow_acting"})


class ClientFieldError(WeiwoError, ValueError):
    """A client of a server set what it may not. One line: which field, why, what to do."""


def check_client_fields(given: Mapping[str, Any], known: frozenset[str], env: Mapping[str, str]) -> None:
    """See that a client set only what it may.

    Args:
        given: The fields it set.
        known: The fields of `Context`.
        env: The server's environment.

    Raises:
        ClientFieldError: It set another; or the operator's list names none of the fields.
    """
    widened = _read_widened(known, env)
    for folder in given.get("folder") or ():
        if str(folder).startswith(("/", "..")) or ":" in str(folder):
            raise ClientFieldError(
                f"context.folder: {str(folder)[:60]!r} is not within the documents; write it as passages name it"
            )
    for field, value in given.items():
        if field in _NEVER:
            raise ClientFieldError(
                f"context.{field}: it runs code in the server, reads its files or lets it act, so no client may set it;"
                f" the operator sets WEIWO_{field.upper()}"
            )
        if field not in _OPEN | widened and _MORE_CAREFUL.get(field) is not value:
            raise ClientFieldError(
                f"context.{field}: a client of this server may not set it; leave it out, or its operator allows it with"
                f" {VARIABLE}={field}"
            )


def lower_limits(asked: Mapping[str, Any], allowed: Mapping[str, Any]) -> dict[str, Any]:
    """The operator's limits, each lowered to the client's where that is lower."""
    limits = {name: allowed.get(name, default) for name, default in _LIMITS.items()}
    for name in limits.keys() & asked.keys():
        limits[name] = asked[name] if limits[name] is None else min(limits[name], asked[name])
    return limits


def _read_widened(known: frozenset[str], env: Mapping[str, str]) -> frozenset[str]:
    """The further fields that the operator allows."""
    named = frozenset(part.strip() for part in env.get(VARIABLE, "").split(",") if part.strip())
    if wrong := sorted(named - known | named & _NEVER):
        raise ClientFieldError(
            f"{VARIABLE}: {wrong[0][:60]!r} is no field that clients can be allowed; see docs/server.md"
        )
    return named
