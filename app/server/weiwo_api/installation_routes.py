"""Routes on the installation: version, settings, corpora and tools, logging in and out."""

import asyncio
import os
import sqlite3
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.configuration.config_file import read_config
from weiwo.app.configuration.env_file import read_env_file
from weiwo.app.server.access.profiles import (
    USER_PREFIX,
    may_client_set,
    own_corpora,
    require_operator,
    run_defaults,
    user_of,
)
from weiwo.app.server.engine import backend_of, engine_of
from weiwo.app.server.weiwo_api.answer_routes import format_names
from weiwo.app.server.weiwo_api.uploads import MOST_UPLOAD_BYTES, upload
from weiwo.app.server.wire import reply, wants_chinese
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.state.settings import Context, Settings, operator_defaults
from weiwo.text.data_files import read_data
from weiwo.text.printable import is_secret, one_line
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.catalog import CorpusSummary, corpus_exists, list_corpora, list_titles, locate_by_roots
from weiwo.tools.corpus.source_names import find_sample_corpus
from weiwo.tools.registry import list_tools
from weiwo.tools.web.providers.selection import select_providers


def _describe_settings(*, chinese: bool) -> dict[str, tuple[str, str]]:
    """Describe the settings by variable: the field of a run's context and a description.

    The field is empty for a variable without a context field.
    """
    known = read_data("descriptions")
    translated = known["fields"]["zh"] if chinese else {}
    fields = {
        f"WEIWO_{name.upper()}": (name, translated.get(name) or field.description or "")
        for name, field in Context.model_fields.items()
    }
    return fields | {name: ("", says) for name, says in known["settings"]["zh" if chinese else "en"].items()}


_MOST_TITLES: Final = 3


async def info(request: Request) -> Response:
    """Return the features of the installation. Before a login, return the login method only."""
    backend, user = backend_of(request), user_of(request)
    logins = request.app.state.auth
    auth = "none" if logins is None else "token" if logins.oidc is None else "oidc"
    language = "zh" if os.environ.get("LC_ALL", os.environ.get("LANG", "")).startswith("zh") else "en"
    known: dict[str, Any] = {"version": version("weiwo"), "user": user or None, "language": language, "auth": auth}
    if not user:
        return reply(known)
    settings = await asyncio.to_thread(_user_settings, Path(backend.settings.home), user)
    # Unless set otherwise the page uses earlier answers, because somebody reads along there, as at a terminal.
    undecided = not os.environ.get("WEIWO_ANSWER_MEMORY")
    known |= {
        "models": settings.models,
        "chooses_model": may_client_set("model"),
        "web": next((provider.name for provider in select_providers(settings)), None),
        "corpora": await asyncio.to_thread(_named_corpora, Path(backend.settings.home), user),
        **await asyncio.to_thread(_documents, settings, user),
        "limits": settings.limits,
        "max_upload": MOST_UPLOAD_BYTES,
        "formats": format_names(),
        "day": await backend.day(user),
        "answer_memory": backend.memory(user) is not None and (bool(settings.answer_memory) or undecided),
    }
    return reply(known)


async def settings_list(request: Request) -> Response:
    """Return every setting with value and origin."""
    require_operator(request)
    return reply(await asyncio.to_thread(_settings, chinese=wants_chinese(request.headers)))


async def corpora(request: Request) -> Response:
    """The corpora."""
    home, user = Path(backend_of(request).settings.home), user_of(request)

    def list_own() -> list[dict[str, Any]]:
        names = {stored: name for name, stored in own_corpora(home, user).items()}
        listed = [corpus for corpus in list_corpora(home) if corpus.name in names]
        hidden: dict[str, Any] = {} if user == OPERATOR else {"roots": []}
        return [
            {**_corpus(item), "name": names[item.name], "sample": item.name == _sample(home), **hidden}
            for item in listed
        ]

    return reply(await asyncio.to_thread(list_own))


async def tools(request: Request) -> Response:
    """Return the tools of a run, and the MCP servers with health."""
    found = await list_tools(Settings.resolve())
    health = {item["name"]: item["health"] for item in found["servers"]}
    translated = read_data("descriptions")["tools"]["zh"] if wants_chinese(request.headers) else {}
    for tool in found["tools"]:
        if not tool["server"]:
            tool["description"] = translated.get(tool["name"], tool["description"])
        tool["health"] = health.get(tool["server"], "up") if tool["available"] else "not available"
        tool["server"] = tool["server"] or None
    return reply(found["tools"])


async def upload_file(request: Request) -> Response:
    """Add a file to a corpus of the user, and index the file."""
    engine = engine_of(request)
    return await upload(request, engine.settings, engine.runs.quota)


def _user_settings(home: Path, user: str) -> Settings:
    with operator_defaults(run_defaults(home, user)):
        return Settings.resolve()


def _named_corpora(home: Path, user: str) -> list[str]:
    """Return the names of the corpora that a user can choose: those that the user added.

    The sample and the corpora of other users are not among them.
    """
    return [name for name in own_corpora(home, user) if name != _sample(home) and not name.startswith(USER_PREFIX)]


def _documents(settings: Settings, user: str) -> dict[str, Any]:
    """Return `documents`, whether the user has documents beside the sample, and `titles`, up to three of theirs."""
    home, own = Path(settings.home), own_corpora(Path(settings.home), user)
    folders = [home / "corpora" / own[name] for name in _named_corpora(home, user)]
    if user == OPERATOR and settings.corpus:
        named = [home / "corpora" / entry for entry in settings.corpus if corpus_exists(home, entry)]
        folders = [*named, locate_by_roots(home, settings.corpus), *folders]
    titles: list[str] = []
    for folder in dict.fromkeys(folders):
        with suppress(CorpusError, sqlite3.Error, OSError):
            titles += list_titles(folder, _MOST_TITLES - len(titles))
    return {"documents": bool(titles or (user == OPERATOR and settings.corpus)), "titles": titles}


def _sample(home: Path) -> str:
    return locate_by_roots(home, [find_sample_corpus()]).name


def _corpus(summary: CorpusSummary) -> dict[str, Any]:
    vectors = next(iter(summary.vectors.items()), None)
    updated = datetime.fromtimestamp(datetime.now(UTC).timestamp() - summary.age, UTC)
    errors = [*filter(None, [summary.trouble, summary.note])]
    errors += [f"{summary.problems:,} files could not be read"] if summary.problems else []
    return {
        "name": summary.name,
        "documents": summary.documents,
        "passages": summary.passages,
        "bytes": summary.bytes,
        "vectors": {"model": vectors[0], "covered": vectors[1][0], "of": vectors[1][1]} if vectors else None,
        "updated": updated.isoformat(timespec="seconds"),
        "roots": list(summary.roots),
        "errors": [one_line(text, 300) for text in errors],
    }


def _settings(*, chinese: bool) -> list[dict[str, Any]]:
    file, config = read_env_file(), read_config()
    local = {**file.harmless, **(file.risky if file.trusted else {})}
    resolved = Settings.resolve()
    found = []
    for name, (field, says) in _describe_settings(chinese=chinese).items():
        value = os.environ.get(name, "")
        origin = "default"
        if value:
            origin = (
                ".env" if local.get(name) == value else "config.toml" if config.get(name) == value else "environment"
            )
        if value and is_secret(name):
            shown: Any = "set"
        else:
            shown = value or getattr(resolved, field, getattr(resolved.limits, field, None))
        found.append({"name": name, "field": field or None, "value": shown, "from": origin, "says": says})
    return found
