"""The environment's settings: the folder of Weiwo's files, and `WEIWO_*` variables read as fields of a run's context.

Imports little: light commands find the folder without reading any other setting.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from weiwo.state.errors import WeiwoError


class SettingsError(WeiwoError, ValueError):
    """Error for an unusable setting.

    The message is one line: the setting, the cause, and the fix.
    """


_NO_FIELDS: Final = frozenset({"WEIWO_HOME", "WEIWO_DATABASE_URL"})
"""Variables that set no field of `Context`. Often only these are set, and reading fields can be skipped."""


def read_environment(env: Mapping[str, str]) -> dict[str, Any]:
    """Return the `Context` fields set by `WEIWO_*` variables.

    Each field is validated separately so that an error can name it.

    Raises:
        SettingsError: A value is malformed.
    """
    if not any(name.startswith("WEIWO_") and value for name, value in env.items() if name not in _NO_FIELDS):
        return {}
    from pydantic import ValidationError

    from weiwo.state.context import Context, describe_validation_error, field_settings

    readers: Mapping[str, Callable[[str, str], Any]] = {
        "text": lambda _name, text: text,
        "flag": _read_flag,
        "list": lambda _name, text: [part.strip() for part in text.split(",") if part.strip()],
        "paths": lambda _name, text: [part for part in text.split(os.pathsep) if part],
        "prices": _read_prices,
    }
    found: dict[str, Any] = {}
    for field, setting in field_settings().items():
        name = f"WEIWO_{field.upper()}"
        text = env.get(name, "").strip()
        if not text:
            continue
        value = readers[setting.read](name, text)
        try:
            found[field] = getattr(Context.model_validate({field: value}), field)
        except ValidationError as error:
            raise SettingsError(f"{name}: {describe_validation_error(error)}; correct or unset it") from None
        if field == "model" or field.endswith("_model"):
            check_model(name, text)
    return found


def check_model(name: str, model: str) -> None:
    """Raise SettingsError unless the model name includes the provider, as `provider:model`."""
    provider, _, rest = model.partition(":")
    if not (provider and rest):
        raise SettingsError(f"{name}: {model!r} is not provider:model; use, for example, openai:gpt-5-mini")


def _read_prices(name: str, text: str) -> dict[str, tuple[float, float]]:
    """Parse model prices, for example `openai:gpt-5-mini=0.25/2,other:model=1/4`.

    A price is US dollars per million tokens, for input and output.

    Raises:
        SettingsError: An entry is malformed.
    """
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
                f"{name}: {entry[:60]!r} is not a price; use provider:model=input/output in US dollars per "
                "million tokens, such as openai:gpt-5-mini=0.25/2"
            )
        prices[model.strip()] = pair
    return prices


def _read_flag(name: str, text: str) -> bool:
    if text.lower() in {"1", "true", "yes", "on"}:
        return True
    if text.lower() in {"0", "false", "no", "off"}:
        return False
    raise SettingsError(f"{name}: {text!r} is neither on nor off; use on or off")


def home(env: Mapping[str, str] | None = None) -> Path:
    """Return the folder of Weiwo's own files: `WEIWO_HOME`, by default `~/.weiwo`. It need not exist."""
    env = os.environ if env is None else env
    return Path(env.get("WEIWO_HOME") or "~/.weiwo").expanduser()
