"""User profiles: what the operator sets for a user's runs, in `users.toml` of Weiwo's home.

    ["*"]                   # whoever has no table of his own; never the operator
    max_cost = 0.2

    [ann]
    max_model_calls = 20
    tokens_per_day = 500_000

A table holds fields of a run's `Context`, which count as if the environment said so, and the budget of a day.
"""

import tomllib
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from pydantic import Field, ValidationError
from starlette.requests import Request

from weiwo.app.server.errors import RequestError
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.nodes.memory.memory_store import client_user, local_user
from weiwo.state.settings import Context, Settings, SettingsError, describe_validation_error

USER: Final = "weiwo.user"
"""Under this name the guard leaves the user in a request's scope."""
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names of this machine, by which only itself can be reached."""


def user_of(request: Request) -> str:
    """The user whose request this is; empty before a login."""
    return str(request.scope.get(USER, OPERATOR))


def memory_user(user: str, settings: Settings) -> str:
    """Whose memory a user's is: the operator's is the one that the command line uses."""
    return local_user(settings) if user == OPERATOR else client_user(user)


def require_operator(request: Request) -> None:
    """See that a request is the operator's.

    Raises:
        RequestError: It is another user's.
    """
    if user_of(request) != OPERATOR:
        raise RequestError(404, "the route; it is the operator's alone", "这一页只供管理员使用")


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


FILE_NAME: Final = "users.toml"
_OTHERS: Final = "*"


class Profile(Context):
    """What the operator sets for a user: fields of each run, and what he may spend a day."""

    runs_per_day: int | None = Field(default=None, ge=0, description="Questions a day.")
    tokens_per_day: int | None = Field(default=None, ge=0, description="Input and output tokens a day.")
    cost_per_day: float | None = Field(default=None, ge=0, description="US dollars a day, where prices are known.")


def read_profiles(home: Path) -> dict[str, Profile]:
    """The profiles there are, by user; blocks.

    Raises:
        SettingsError: The file cannot be read, or says what is no setting.
    """
    path = home / FILE_NAME
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: {error}; mend the file, or remove it") from None
    return {user: _read_profile(path, user, table) for user, table in tables.items()}


def profile_of(home: Path, user: str) -> Profile:
    """A user's profile; blocks.

    Raises:
        SettingsError: As for `read_profiles`.
    """
    profiles = read_profiles(home)
    others = Profile() if user == OPERATOR else profiles.get(_OTHERS, Profile())
    return profiles.get(user, others)


def _read_profile(path: Path, user: str, table: Any) -> Profile:
    known = table if isinstance(table, dict) else {"": table}
    if unknown := sorted(known.keys() - Profile.model_fields.keys()):
        raise SettingsError(f"{path}: [{user}] {unknown[0][:60]!r} is no setting; see docs/configuration.md")
    try:
        return Profile.model_validate(known)
    except ValidationError as error:
        raise SettingsError(f"{path}: [{user}] {describe_validation_error(error)}") from None
