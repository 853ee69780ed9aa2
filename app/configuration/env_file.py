"""`.env` of the working directory: harmless settings are read, the rest only in trusted folders.

A folder may come from anywhere. Its `.env` may choose a model, limits and documents, and bring keys of its own.
Settings that would load code, start a program or redirect requests and keys wait until the user trusts the folder with
exactly these settings. Everything not known to be harmless belongs to them, since a list of dangerous settings is never
complete.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from weiwo.app.errors import AppError, MisuseError
from weiwo.state.environment import home
from weiwo.tools.private_files import replace_private_file

NAME: Final = ".env"
_MOST_BYTES: Final = 1_000_000
_KEY: Final = re.compile(r"(?!LANG(SMITH|CHAIN|GRAPH)_)[A-Z0-9_]+_API_KEY")
_PLACE: Final = re.compile(r".*(_BASE_URL|_API_BASE|_ENDPOINT|_HOST|_URL|_PROXY)")
_OURS: Final = re.compile(r"(WEIWO|OPENAI|LANGSMITH|LANGCHAIN|LANGGRAPH|DDGS)_.*|.*_BASE_URL|.*_API_BASE|EDITOR|VISUAL")
"""Variables that Weiwo uses. Only if one of these is not applied, the user is told, since `.env` also serves others."""
_EFFECTS: Final = {
    "WEIWO_TOOLS": "imports and runs these Python modules as tools",
    "WEIWO_MCP": "starts the programs named in this file, and sends them the arguments of tool calls",
    "WEIWO_PROCEDURES": "plans questions by the procedures in this folder",
    "WEIWO_ALLOW_TOOLS": "lets these tools make changes without asking you",
    "WEIWO_ALLOW_ACTING": "lets every tool make changes without asking you",
    "WEIWO_CORPUS": "imports and runs the Python modules after @",
    "WEIWO_ALLOW_HOSTS": "allows fetching pages from these hosts of your network",
    "WEIWO_HOME": "stores threads and corpora there, and reads existing ones",
    "WEIWO_DATABASE_URL": "stores questions and answers in this database",
    "WEIWO_CLIENT_FIELDS": "lets clients of the server set these fields",
    "WEIWO_AUTH": "sets how users of weiwo serve log in",
    "WEIWO_OIDC_ISSUER": "lets users known to this issuer use weiwo serve",
    "WEIWO_OIDC_CLIENT_ID": "lets users who log in at this client use weiwo serve",
    "WEIWO_OIDC_OPERATOR": "makes this user the operator of weiwo serve",
    "WEIWO_ORIGINS": "lets pages of these origins use weiwo serve",
    "EDITOR": "starts this program when a plan is edited",
    "VISUAL": "starts this program when a plan is edited",
}


@dataclass(frozen=True)
class _EnvFile:
    """The settings of a folder's `.env`.

    Attributes:
        path: The file.
        harmless: Settings that take effect in any folder.
        risky: Settings that take effect only in a trusted folder.
        trusted: Whether the user trusts the folder with exactly these risky settings.
    """

    path: Path
    harmless: Mapping[str, str] = field(default_factory=dict)
    risky: Mapping[str, str] = field(default_factory=dict)
    trusted: bool = True

    @property
    def complaint(self) -> str:
        """Return a line about risky settings that are not used. Empty if none of them concerns Weiwo."""
        if self.trusted or not any(_OURS.fullmatch(name) for name in self.risky):
            return ""
        return (
            f"{self.path}: some settings are not used, because this folder is not trusted: {', '.join(self.risky)}; "
            "run weiwo trust to see their effect"
        )


def read_env_file(environ: Mapping[str, str] = os.environ) -> _EnvFile:
    """Read `.env` of the working directory. Nothing is set.

    Raises:
        MisuseError: It cannot be read.
    """
    path = Path(NAME).absolute()
    try:
        if not path.is_file():
            return _EnvFile(path)
        if path.stat().st_size > _MOST_BYTES:
            raise MisuseError(f"{path} cannot be read: larger than {_MOST_BYTES:,} bytes; correct or remove it")
        from dotenv import dotenv_values

        found = {name: value for name, value in dotenv_values(path, interpolate=False).items() if value is not None}
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise MisuseError(f"{path} cannot be read: {why}; correct or remove it") from None
    risky = {name: value for name, value in found.items() if not _is_harmless(name, value)}
    harmless = {name: value for name, value in found.items() if name not in risky}
    trusted = not risky or read_trusted(environ).get(str(path.parent.resolve())) == digest(risky)
    return _EnvFile(path, harmless, risky, trusted)


def apply_env_file(file: _EnvFile) -> None:
    """Set those permitted variables of the file that the environment does not set.

    All are permitted in a trusted folder, otherwise only the harmless ones.
    """
    if file.risky and file.trusted:
        from dotenv import load_dotenv

        load_dotenv(file.path, override=False)  # with ${NAME} filled in
        return
    for name, value in file.harmless.items():
        os.environ.setdefault(name, value)


def describe_effect(name: str, value: str) -> str:
    """Describe in a few words what a risky setting does.

    For `OPENAI_BASE_URL`, it "sends requests, with their keys, to this address".
    """
    if effect := _EFFECTS.get(name):
        return effect
    if _PLACE.fullmatch(name):
        return "sends requests, with their keys, to this address"
    if "${" in value:
        return "is expanded from your environment, which may contain keys"
    return "is read by programs and libraries that Weiwo runs"


def digest(risky: Mapping[str, str]) -> str:
    """Return a hash of the settings. It changes with any name or value, and the folder is then no longer trusted."""
    return hashlib.sha256(json.dumps(sorted(risky.items())).encode()).hexdigest()


def read_trusted(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Read the digests of the trusted settings by folder.

    The result is empty if the list cannot be read.
    """
    try:
        known = json.loads(_list_path(environ).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(folder): str(value) for folder, value in known.items()} if isinstance(known, dict) else {}


def write_trusted(trusted: Mapping[str, Any]) -> None:
    """Keep the list of trusted folders.

    Raises:
        AppError: It cannot be written.
    """
    path = _list_path(os.environ)
    try:
        replace_private_file(path, (json.dumps(trusted, indent=1, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise AppError(f"{path} cannot be written: {error.strerror}; check WEIWO_HOME") from None


def _is_harmless(name: str, value: str) -> bool:
    from weiwo.state.context import field_settings

    if "${" in value:
        return False
    if _KEY.fullmatch(name):
        return True
    field_name = name.removeprefix("WEIWO_").lower() if name.startswith("WEIWO_") else ""
    if field_name == "corpus":
        return not any(entry.strip().startswith("@") for entry in value.split(os.pathsep))
    setting = field_settings().get(field_name)
    return name == "WEIWO_DEBUG" if setting is None else not setting.needs_trust


def _list_path(environ: Mapping[str, str]) -> Path:
    return home(environ) / "trusted.json"
