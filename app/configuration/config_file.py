"""`config.toml` in Weiwo's own folder, for variables set neither in the environment nor in `.env`.

The file is the user's own (mode 600) and needs no trust. `weiwo setup` and the page's settings write it.
"""

import json
import os
import re
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from weiwo.app.errors import AppError, MisuseError
from weiwo.state.environment import home
from weiwo.tools.private_files import replace_private_file

TABLE: Final = "env"
_OF_A_MODEL: Final = frozenset({"WEIWO_MODEL", "OPENAI_BASE_URL", "WEIWO_CONTEXT_TOKENS", "WEIWO_THINKING"})
_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{0,99}")
_MOST_BYTES: Final = 100_000


def config_path(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the path of the configuration file."""
    return home(environ) / "config.toml"


def read_config(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Read the variables set by the file. The result is empty if the file does not exist.

    Raises:
        MisuseError: The file cannot be read or is invalid.
    """
    path = config_path(environ)
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise MisuseError(f"{path} is larger than {_MOST_BYTES:,} bytes; correct or remove it")
        table = tomllib.loads(text.decode()).get(TABLE, {})
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise MisuseError(f"{path} cannot be read: {error.strerror}; correct or remove it") from None
    except (ValueError, RecursionError) as error:
        raise MisuseError(
            f"{path} is not valid TOML: {' '.join(str(error).split())[:200]}; correct or remove it"
        ) from None
    wrong = not isinstance(table, dict) or [
        name for name, value in table.items() if not (_NAME.fullmatch(name) and isinstance(value, str))
    ]
    if wrong:
        raise MisuseError(f'{path}: [{TABLE}] must contain lines such as WEIWO_MODEL = "openai:gpt-5-mini"; correct it')
    return dict(table)


def apply_config() -> None:
    """Set those variables of the file that the environment does not set.

    The model, its endpoint and its window belong together. If the environment sets `WEIWO_MODEL` or `OPENAI_BASE_URL`,
    none of these variables is taken from the file.

    Raises:
        MisuseError: The file cannot be read.
    """
    found = read_config()
    if os.environ.get("WEIWO_MODEL") or os.environ.get("OPENAI_BASE_URL"):
        found = {name: value for name, value in found.items() if name not in _OF_A_MODEL}
    for name, value in found.items():
        os.environ.setdefault(name, value)


def write_config(
    settings: Mapping[str, str], environ: Mapping[str, str] = os.environ, *, removed: Collection[str] = ()
) -> Path:
    """Add or replace settings in the file, remove others, and return its path. Other settings are kept.

    Raises:
        MisuseError: The existing file cannot be read.
        AppError: The file cannot be written.
    """
    path = config_path(environ)
    lines = ["# Written by weiwo; the environment and a folder's .env take precedence.", f"[{TABLE}]"]
    kept = sorted({**read_config(environ), **settings}.items())
    lines += [f"{name} = {_quote_string(value)}" for name, value in kept if name not in removed]
    try:
        replace_private_file(path, ("\n".join(lines) + "\n").encode())
    except OSError as error:
        raise AppError(f"{path} cannot be written: {error.strerror}; check WEIWO_HOME") from None
    return path


def _quote_string(value: str) -> str:
    """Quote a value as a string of TOML.

    JSON quotes in the same way, except that it may split rare characters into two escapes, which TOML forbids.
    Characters are therefore left unescaped.
    """
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
