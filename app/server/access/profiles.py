"""User profiles: what the operator sets for a user's runs, in `users.toml` of Weiwo's home.

    ["*"]                   # whoever has no table of his own; never the operator
    max_cost = 0.2

    [ann]
    max_model_calls = 20

A table holds fields of a run's `Context`, which count as if the environment said so.
"""

import tomllib
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from weiwo.app.server.access.users import OPERATOR
from weiwo.state.settings import Context, SettingsError, describe_validation_error

FILE_NAME: Final = "users.toml"
_OTHERS: Final = "*"


def read_profiles(home: Path) -> dict[str, Context]:
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


def profile_of(home: Path, user: str) -> Context:
    """A user's profile; blocks.

    Raises:
        SettingsError: As for `read_profiles`.
    """
    profiles = read_profiles(home)
    others = Context() if user == OPERATOR else profiles.get(_OTHERS, Context())
    return profiles.get(user, others)


def _read_profile(path: Path, user: str, table: Any) -> Context:
    known = table if isinstance(table, dict) else {"": table}
    if unknown := sorted(known.keys() - Context.model_fields.keys()):
        raise SettingsError(f"{path}: [{user}] {unknown[0][:60]!r} is no setting; see docs/configuration.md")
    try:
        return Context.model_validate(known)
    except ValidationError as error:
        raise SettingsError(f"{path}: [{user}] {describe_validation_error(error)}") from None
