"""Settings on the page, for the operator: tried, saved in `config.toml`, used from the next run on.

A variable set by the server's environment or `.env` is shown and cannot be changed here. Keys go in and never come out.
"""

import asyncio
import os
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.configuration.config_file import read_config, write_config
from weiwo.app.model_setup.trial import try_settings
from weiwo.app.model_setup.words import describe_problem
from weiwo.app.server.access.profiles import FILE_NAME, profile_of, read_profiles, require_operator
from weiwo.app.server.engine import backend_of
from weiwo.app.server.errors import RequestError
from weiwo.app.server.wire import read_json, reply
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.models.local_servers import find_servers
from weiwo.state.settings import Settings, SettingsError
from weiwo.text.printable import is_secret
from weiwo.tools.private_files import make_private_folder
from weiwo.tools.web.providers.catalog import PROVIDERS

_KEYS: Final = {provider.name: provider.key for provider in PROVIDERS.values() if provider.key}
"""The variable of each search provider's key."""
_KINDS: Final[dict[str, tuple[str, ...]]] = {
    "model": ("WEIWO_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "WEIWO_CONTEXT_TOKENS"),
    "embeddings": ("WEIWO_EMBEDDINGS", "WEIWO_EMBEDDINGS_BASE_URL", "WEIWO_EMBEDDINGS_API_KEY"),
    "search": ("WEIWO_WEB", "WEIWO_SEARCH", "SEARXNG_BASE_URL", *_KEYS.values()),
}
"""Variables that each part of the page's settings may set."""
_KEY_OF: Final = {"OPENAI_BASE_URL": "OPENAI_API_KEY", "WEIWO_EMBEDDINGS_BASE_URL": "WEIWO_EMBEDDINGS_API_KEY"}
"""The key sent to each address. A new address needs the key again, so that no stored key is sent elsewhere."""
_LONGEST: Final = 500
_VALUE: Final = re.compile(r"[!-~]*")
_ADDRESS: Final = re.compile(r"https?://[^\s/@]+\S*")
_MOST_COST: Final = 1_000_000.0
_BUDGET: Final = re.compile(r"^cost_per_day\s*=.*\n?", re.MULTILINE)
_TABLE: Final = re.compile(rf"^\[{OPERATOR}\][^\n]*\n", re.MULTILINE)
_changing = asyncio.Lock()


async def show(request: Request) -> Response:
    """Return the available settings with current values. Of a key, only the existence is shown."""
    require_operator(request)
    return reply(await asyncio.to_thread(_read, Path(backend_of(request).settings.home)))


async def models(request: Request) -> Response:
    """Models of servers on this machine, to choose among."""
    require_operator(request)
    servers = await find_servers()
    return reply(
        [
            {**asdict(server), "base_url": server.base_url, "problem": describe_problem(server.problem)}
            for server in servers
        ]
    )


async def change(request: Request) -> Response:
    """Try settings of a kind, and save working settings. Settings without a value are removed."""
    require_operator(request)
    kind, body = request.path_params["kind"], await read_json(request)
    if kind not in _KINDS:
        raise RequestError(404, f"{kind!r} is unknown; use one of {', '.join(_KINDS)}", "没有这一类设置")
    settings = _read_settings(kind, body)
    tried: dict[str, Any] = {"works": True, "said": "", "seconds": 0.0}
    # Mere removals are not tried.
    if kind == "search":
        to_try = settings.get("WEIWO_WEB") != "off" and any(settings.values())
    else:
        to_try = bool(settings.get(_KINDS[kind][0]))
    async with _changing:
        if to_try:
            tried = await try_settings(kind, settings)
        if tried["works"]:
            await asyncio.to_thread(_keep, settings)
    home = Path(backend_of(request).settings.home)
    return reply({**tried, "setup": await asyncio.to_thread(_read, home)})


async def put_budget(request: Request) -> Response:
    """Set the daily cost limit of the operator's runs in US dollars. Null removes the limit."""
    require_operator(request)
    amount = (await read_json(request)).get("cost_per_day")
    is_number = isinstance(amount, int | float) and not isinstance(amount, bool)
    if amount is not None and not (is_number and 0 <= amount <= _MOST_COST):
        raise RequestError(422, "cost_per_day must be a number of US dollars, or null", "这不是金额")
    home = Path(backend_of(request).settings.home)
    async with _changing:
        await asyncio.to_thread(_write_budget, home, amount)
    return reply(await asyncio.to_thread(_read, home))


def _read(home: Path) -> dict[str, Any]:
    values = {name: os.environ.get(name, "") for kind in _KINDS.values() for name in kind}
    return {
        "values": {name: "set" if value and is_secret(name) else value for name, value in values.items()},
        "fixed": _list_fixed(read_config()),
        "providers": _KEYS,
        "cost_per_day": profile_of(home, OPERATOR).cost_per_day,
    }


def _list_fixed(config: Mapping[str, str]) -> list[str]:
    """Return the variables that cannot be changed here, because the environment or a `.env` file sets them.

    `config` holds the values of `config.toml`, which this page and `weiwo setup` write.
    """
    names = (name for kind in _KINDS.values() for name in kind)
    return [name for name in names if os.environ.get(name) and config.get(name) != os.environ[name]]


def _read_settings(kind: str, body: Mapping[str, Any]) -> dict[str, str]:
    """Parse and validate the settings of a request.

    Raises:
        RequestError: A setting is unknown, malformed, or fixed by the environment.
    """
    fixed, settings = _list_fixed(read_config()), {}
    for name, value in body.items():
        if name not in _KINDS[kind] or not isinstance(value, str):
            raise RequestError(422, f"{name[:60]!r} cannot be set here", "这里不能设置它")
        settings[name] = text = value.strip()
        reachable = not text or not name.endswith("_BASE_URL") or _ADDRESS.fullmatch(text)
        if len(text) > _LONGEST or not _VALUE.fullmatch(text) or not reachable:
            raise RequestError(
                422,
                f"{name} contains spaces or invalid characters, or the address is invalid; correct it",
                "写法不对，请更正",
            )
        if name in fixed and text != os.environ[name]:
            raise RequestError(409, f"{name} is set by the server's environment; change it there", "由服务器环境设定")
    for address, key in _KEY_OF.items():
        if address in settings and settings[address] != os.environ.get(address, "") and not settings.get(key):
            if key in fixed:
                told = (
                    f"{address} cannot be changed here, because {key} of the server's environment belongs to the "
                    "current address; change both there"
                )
                raise RequestError(409, told, "服务器环境中的密钥只用于原来的地址；请在那里一并修改")
            settings[key] = ""
    return settings


def _keep(settings: Mapping[str, str]) -> None:
    """Write settings to the file, and apply the settings at once."""
    write_config(settings, removed=[name for name, value in settings.items() if not value])
    for name, value in settings.items():
        if value:
            os.environ[name] = value
        else:
            os.environ.pop(name, None)


def _write_budget(home: Path, amount: float | None) -> None:
    """Set `cost_per_day` in the operator's table of `users.toml`. The rest of the file is unchanged.

    Raises:
        RequestError: The file cannot be used.
    """
    file = home / FILE_NAME
    try:
        text = file.read_text("utf-8") if file.exists() else ""
        table = _TABLE.search(text)
        head, rest = (text[: table.end()], text[table.end() :]) if table else (text, "")
        end = rest.find("\n[") + 1 or len(rest)
        own = _BUDGET.sub("", rest[:end])
        line = "" if amount is None else f"cost_per_day = {amount}\n"
        if not table and line:
            head += f"{'' if not head or head.endswith(chr(10)) else chr(10)}[{OPERATOR}]\n"
        make_private_folder(home)
        written = head + line + own + rest[end:]
        before = text
        file.write_text(written, "utf-8")
        try:
            read_profiles(home)
            Settings.resolve()
        except SettingsError:
            file.write_text(before, "utf-8")
            raise
    except (OSError, ValueError, SettingsError) as error:
        raise RequestError(422, f"{file}: {error}; correct the file") from None
