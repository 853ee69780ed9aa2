"""The environment's settings: the folder of Weiwo's files, and `WEIWO_*` variables read as fields of a run's context.

Imports little: light commands find the folder without reading any other setting.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from weiwo.state.errors import WeiwoError

AGENTS: Final = ("master", "planner", "executor", "reflection", "writer")
ROLES: Final = (*AGENTS, "verifier")
"""What a chat model can be chosen for."""
MODEL_FIELDS: Final = frozenset({"model", *(f"{role}_model" for role in ROLES)})
FILTER_FIELDS: Final = {"site": "sites", "not_site": "not_sites", "since": "since", "folder": "folders"}
"""The fields that restrict sources, with what they are called in a `SourceFilter`."""
LIST_FIELDS: Final = ("tools", "search", "allow_hosts", "allow_tools")
"""The fields that hold a list of names, without those that restrict sources."""
FLAG_FIELDS: Final = frozenset(
    {"web", "telemetry", "approve_plan", "clarify", "fresh", "allow_acting", "plan_memory", "answer_memory"}
)


class SettingsError(WeiwoError, ValueError):
    """A setting that cannot be used. The message is one line: which, why, what to do."""


_NO_FIELDS: Final = frozenset({"WEIWO_HOME", "WEIWO_DATABASE_URL"})
"""Variables that are no fields of `Context`, and as good as always set."""


def read_environment(env: Mapping[str, str]) -> dict[str, Any]:
    """The `Context` fields that `WEIWO_*` variables set, each checked alone so that an error can name it.

    Raises:
        SettingsError: A value is malformed.
    """
    if not any(name.startswith("WEIWO_") and value for name, value in env.items() if name not in _NO_FIELDS):
        return {}
    from pydantic import ValidationError

    from weiwo.state.context import Context, describe_validation_error

    found: dict[str, Any] = {}
    for field in Context.model_fields:
        name = f"WEIWO_{field.upper()}"
        text = env.get(name, "").strip()
        if not text:
            continue
        if field == "corpus":
            value: Any = [part for part in text.split(os.pathsep) if part]
        elif field in (*LIST_FIELDS, "site", "not_site", "folder"):
            value = [part.strip() for part in text.split(",") if part.strip()]
        elif field == "prices":
            value = _prices(name, text)
        elif field in FLAG_FIELDS:
            value = _flag(name, text)
        else:
            value = text
        try:
            found[field] = getattr(Context.model_validate({field: value}), field)
        except ValidationError as error:
            raise SettingsError(f"{name}: {describe_validation_error(error)}; correct or unset it") from None
        if field in MODEL_FIELDS:
            check_model(name, text)
    return found


def check_model(name: str, model: str) -> None:
    """Raise SettingsError where a model is not named with its provider, as `provider:model`."""
    provider, _, rest = model.partition(":")
    if not (provider and rest):
        raise SettingsError(f"{name}: {model!r} is not provider:model; write, say, openai:gpt-5-mini")


def _prices(name: str, text: str) -> dict[str, tuple[float, float]]:
    """Read `openai:gpt-5-mini=0.25/2,other:model=1/4`."""
    prices = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        model, equals, amounts = entry.rpartition("=")
        per_input, slash, per_output = amounts.partition("/")
        try:
            pair = (float(per_input), float(per_output))
        except ValueError:
            pair = (-1.0, -1.0)
        if not (equals and slash and ":" in model and min(pair) >= 0 and max(pair) < float("inf")):
            raise SettingsError(
                f"{name}: {entry[:60]!r} is no price; write provider:model=input/output, US dollars per million"
                " tokens, such as openai:gpt-5-mini=0.25/2"
            )
        prices[model.strip()] = pair
    return prices


def _flag(name: str, text: str) -> bool:
    if text.lower() in {"1", "true", "yes", "on"}:
        return True
    if text.lower() in {"0", "false", "no", "off"}:
        return False
    raise SettingsError(f"{name}: {text!r} is neither on nor off; use one of these")


def home(env: Mapping[str, str] | None = None) -> Path:
    """The folder of Weiwo's own files: `WEIWO_HOME`, by default `~/.weiwo`."""
    env = os.environ if env is None else env
    return Path(env.get("WEIWO_HOME") or "~/.weiwo").expanduser()
