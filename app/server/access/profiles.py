"""User profiles: what the operator sets for a user's runs, in `users.toml` of Weiwo's home.

    ["*"]                   # whoever has no table of his own; never the operator
    max_cost = 0.2

    [ann]
    max_model_calls = 20
    tokens_per_day = 500_000

A table holds fields of a run's `Context`, which count as if the environment said so, and the budget of a day.
"""

import tomllib
from pathlib import Path
from typing import Any, Final

from pydantic import Field, ValidationError

from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.state.settings import Context, SettingsError, describe_validation_error

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
