"""`mcpServers` configuration file: the MCP servers and the way to reach each server.

The format is that of desktop clients. `{"mcpServers": {"NAME": …}}` holds `{"command": …, "args": […], "env": {…},
"cwd": …}` for a program, or `{"url": …, "headers": {…}}` for Streamable HTTP, with `"type": "sse"` for the older
transport. `${VAR}` and `${VAR:-default}` are replaced by the environment's values. `servers` and `${env:VAR}`, as VS
Code writes them, and `serverUrl` mean the same. In addition, `"disabled": true` leaves a server out, and `"trusted":
false` ignores the server's claims about read-only tools.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, TypeVar
from urllib.parse import urlsplit

from weiwo.state.environment import SettingsError
from weiwo.text.printable import one_line

_MOST_SERVERS: Final = 50
_LARGEST_FILE: Final = 1_000_000
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_VARIABLE: Final = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]{0,99})(:-([^}]{0,1000}))?\}")
_TRANSPORTS: Final[Mapping[str, "_TransportKind"]] = {
    "stdio": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamableHttp": "http",
    "sse": "sse",
}
_TransportKind = Literal["stdio", "http", "sse"]
_Kind = TypeVar("_Kind", list[Any], dict[str, Any])


@dataclass(frozen=True)
class McpServer:
    """Configuration of a single MCP server.

    Fields that may hold keys (`env`, `headers`, `oauth`) are left out of the `repr`.
    """

    name: str  # prefix of the tools' names
    transport: _TransportKind  # `stdio` for a program, `http` for Streamable HTTP, `sse` for the older transport
    command: str = ""  # program, for `stdio`
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)  # in addition to PATH, HOME and the like
    cwd: str | None = None  # working directory of the program; None for the current one
    url: str = ""  # for `http` and `sse`
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # sent with each request
    trusted: bool = True  # whether to believe the server's claims about read-only tools
    # OAuth's `scopes`, and `clientId` and `clientSecret` of a registered client. None if the server needs no login.
    oauth: Mapping[str, str] | None = field(default=None, repr=False)

    @property
    def identity(self) -> str:
        """Hash of the whole configuration."""
        parts = [self.name, self.transport, self.command, self.args, sorted(self.env.items()), self.cwd, self.url]
        oauth = None if self.oauth is None else sorted(self.oauth.items())
        text = json.dumps([*parts, sorted(self.headers.items()), self.trusted, oauth], default=str)
        return sha256(text.encode()).hexdigest()

    @property
    def secrets(self) -> tuple[str, ...]:
        """Secret values to keep out of all messages."""
        return (*self.env.values(), *self.headers.values(), (self.oauth or {}).get("clientSecret", ""))

    @property
    def address(self) -> str:
        """Readable address: the program's name, or the URL without user, query and fragment."""
        if self.transport == "stdio":
            return one_line(self.command, 100)
        parts = urlsplit(self.url)
        return one_line(
            f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}", 200
        )


def read_servers(path: str, env: Mapping[str, str] | None = None) -> tuple[McpServer, ...]:
    """Read the servers listed in a configuration file, without disabled ones.

    Args:
        path: The file. "~" stands for the home folder.
        env: Values for `${VAR}`. None for the environment.

    Raises:
        SettingsError: The file cannot be read, is not JSON, or a server's entry is invalid. The message names the file
            or server, and what to correct.
    """
    file, env = Path(path).expanduser(), os.environ if env is None else env
    try:
        if file.stat().st_size > _LARGEST_FILE:
            raise SettingsError(f"mcp: {path!r} is larger than 1 MB, which no list of servers is")
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SettingsError(f"mcp: {path!r} cannot be read ({error.strerror}); correct the path or unset it") from None
    except UnicodeDecodeError:
        raise SettingsError(f"mcp: {path!r} is not UTF-8 text; save it as UTF-8") from None
    try:
        data = json.loads(text, object_pairs_hook=_unique)
    except SettingsError:
        raise
    except (ValueError, RecursionError) as error:
        said = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        raise SettingsError(f"mcp: {path!r} is not valid JSON ({said}); correct it") from None
    servers = data.get("mcpServers", data.get("servers")) if isinstance(data, dict) else None  # `servers`: VS Code's
    if not isinstance(servers, dict):
        raise SettingsError(f'mcp: {path!r} has no "mcpServers"; use {{"mcpServers": {{"NAME": {{"command": "…"}}}}}}')
    if len(servers) > _MOST_SERVERS:
        raise SettingsError(f"mcp: {path!r} names {len(servers)} servers; at most {_MOST_SERVERS} can be used at once")
    found = [_read_server(name, entry, env) for name, entry in servers.items()]
    return tuple(server for server in found if server is not None)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object from key-value pairs. Python's parser would silently keep the last of two equal keys.

    Raises:
        SettingsError: A key occurs twice.
    """
    known: dict[str, Any] = {}
    for key, value in pairs:
        if key in known:
            raise SettingsError(f"mcp: {one_line(key, 60)!r} is used twice in one object of the file; keep one of them")
        known[key] = value
    return known


def _read_server(name: str, entry: Any, env: Mapping[str, str]) -> McpServer | None:
    if not _NAME.fullmatch(name):
        raise SettingsError(
            f"mcp: {one_line(name, 60)!r} is not a valid server name; use up to 40 letters, digits, '_', '-' and '.'"
        )
    if not isinstance(entry, dict):
        raise _wrong(name, "it is not an object", '{"command": "…"} or {"url": "…"}')
    if entry.get("disabled") is True:
        return None
    entry = {**entry, "url": entry.get("url", entry.get("serverUrl"))}
    said = entry.get("type", entry.get("transport"))
    if said is not None and (not isinstance(said, str) or said not in _TRANSPORTS):
        raise _wrong(name, f"transport {one_line(str(said), 40)!r} is unknown", '"stdio", "http" or "sse"')
    kind: _TransportKind = _TRANSPORTS[said] if said else "stdio" if "command" in entry else "http"
    needs = "command" if kind == "stdio" else "url"
    if not isinstance(entry.get(needs), str) or not entry[needs].strip():
        raise _wrong(name, f"it has no {needs}", '{"command": "…"} for a program or {"url": "…"} for an address')
    values = {
        key: _expand_variables(name, key, entry[key], env)
        for key in ("command", "cwd", "url")
        if entry.get(key) is not None
    }
    url = values.get("url", "")
    if kind != "stdio" and (not url.startswith(("http://", "https://")) or not urlsplit(url).hostname):
        raise _wrong(name, "its url is not an http(s) address", '"url": "https://host/mcp"')
    return McpServer(
        name=name,
        transport=kind,
        command=os.path.expanduser(values.get("command", "")),  # noqa: PTH111 - a command is no path until it is one
        args=tuple(
            _expand_variables(name, "args", item, env) for item in _require_kind(name, "args", entry.get("args"), list)
        ),
        env=_filled_object(name, "env", entry, env),
        cwd=values.get("cwd"),
        url=url,
        headers=_filled_object(name, "headers", entry, env),
        trusted=entry.get("trusted") is not False,
        oauth=_read_oauth(name, entry, env) if kind != "stdio" else None,
    )


def _read_oauth(name: str, entry: Mapping[str, Any], env: Mapping[str, str]) -> dict[str, str] | None:
    """Read the OAuth settings of a server: `"auth": "oauth"`, or an object `oauth`.

    Returns None if neither is present.
    """
    if entry.get("auth") not in (None, "oauth"):
        raise _wrong(name, f"auth {one_line(str(entry['auth']), 40)!r} is unknown", '"auth": "oauth", or "headers"')
    if entry.get("auth") is None and entry.get("oauth") is None:
        return None
    known = {"scopes", "clientId", "clientSecret"}
    given = _filled_object(name, "oauth", entry, env)
    if surplus := given.keys() - known:
        raise _wrong(name, f"oauth.{one_line(min(surplus), 40)} is unknown", '"scopes", "clientId", "clientSecret"')
    return given


def _wrong(name: str, why: str, instead: str) -> SettingsError:
    return SettingsError(f"mcp: server {name!r}: {why}; use {instead}")


def _require_kind(name: str, key: str, value: Any, kind: type[_Kind]) -> _Kind:
    """Return a value of the file that must be a list or an object, or an empty one if the value is None.

    Args:
        name: Name of the server, for the message.
        key: Key of the value, for the message.
        value: The value.
        kind: `list` or `dict`.

    Raises:
        SettingsError: The value is of another kind.
    """
    if value is None:
        return kind()
    if not isinstance(value, kind):
        if kind is list:
            raise _wrong(name, f"{key} is not a list", f'"{key}": ["…", "…"]')
        raise _wrong(name, f"{key} is not an object", f'"{key}": {{"NAME": "value"}}')
    return value


def _filled_object(name: str, key: str, entry: Mapping[str, Any], env: Mapping[str, str]) -> dict[str, str]:
    """Return an object of texts from a server's entry, with variables expanded, or an empty object if absent."""
    given = _require_kind(name, key, entry.get(key), dict)
    return {
        field_name: _expand_variables(name, f"{key}.{field_name}", value, env) for field_name, value in given.items()
    }


def _expand_variables(name: str, key: str, value: Any, env: Mapping[str, str]) -> str:
    """Replace `${VAR}` and `${VAR:-default}` in a text by values of `env`.

    Raises:
        SettingsError: The value is no text, or a variable is not set, or empty, and has no default.
    """
    if not isinstance(value, str):
        raise _wrong(name, f"{one_line(key, 60)} is not a string", "it in quotes")

    def fill(found: re.Match[str]) -> str:
        known = env.get(found[1]) or found[3]
        if known is None:
            raise SettingsError(
                f"mcp: server {name!r}: {one_line(key, 60)} uses ${{{found[1]}}}, which is not set or empty; set it, "
                f"or use ${{{found[1]}:-default}}"
            )
        return known

    return _VARIABLE.sub(fill, value)
