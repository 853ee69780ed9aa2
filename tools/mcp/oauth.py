"""OAuth 2.1 with PKCE for MCP servers over HTTP.

Tokens are kept in one file on this machine, and a login happens only by a command. FastMCP implements the protocol
(discovery, registration, S256, refresh). A run uses and refreshes the existing tokens and opens no browser. The command
`weiwo tools --login NAME` opens the browser, and waits for the redirect on a loopback port.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Final, SupportsFloat

from fastmcp.client import Client
from fastmcp.client.auth.oauth import OAuth
from fastmcp.client.transports.base import ClientTransport

from weiwo.state.environment import home
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.mcp.servers import McpServer
from weiwo.tools.private_files import replace_private_file

FILE: Final = "mcp_tokens.json"
_LOGIN_SECONDS: Final = 300.0
"""Seconds that a person has to log in."""
_writing: Final = Lock()


class _TokenFile:
    """Key-value store in a single file readable only by the owner.

    FastMCP keeps tokens in such a store.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    async def get(self, key: str, *, collection: str | None = None) -> dict[str, Any] | None:
        """Return the value stored under a key. Returns None if absent."""
        found = (await asyncio.to_thread(self._read)).get(f"{collection}:{key}")
        return found if isinstance(found, dict) else None

    async def put(
        self,
        key: str,
        value: Mapping[str, Any],
        *,
        collection: str | None = None,
        ttl: SupportsFloat | None = None,  # noqa: ARG002 - the interface has it; expiry is in what is kept
    ) -> None:
        """Store a value under a key. `ttl` is ignored: the stored tokens contain their expiry."""
        await asyncio.to_thread(self._change, f"{collection}:{key}", dict(value))

    async def delete(self, key: str, *, collection: str | None = None) -> bool:
        """Delete the value stored under a key and report whether the key existed."""
        return await asyncio.to_thread(self._change, f"{collection}:{key}", None)

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _change(self, key: str, value: dict[str, Any] | None) -> bool:
        with _writing:
            kept = self._read()
            known = kept.pop(key, None) is not None
            if value is not None:
                kept[key] = value
            replace_private_file(self._path, json.dumps(kept).encode())
        return known


class ServerLogin(OAuth):
    """OAuth authorization of requests to a single server.

    Args:
        server: The server.
        show: Opens the authorization URL for the user. Without it, a needed login is an error.
        client: Factory of the HTTP client.
    """

    def __init__(
        self, server: McpServer, show: Callable[[str], None] | None = None, *, client: Any | None = None
    ) -> None:
        known = server.oauth or {}
        super().__init__(
            server.url,
            scopes=known.get("scopes"),
            client_name="Weiwo",
            token_storage=_TokenFile(home() / FILE),  # type: ignore[arg-type]  # all of the interface that OAuth calls
            callback_timeout=_LOGIN_SECONDS,
            callback_host="127.0.0.1",
            httpx_client_factory=client,
            client_id=known.get("clientId"),
            client_secret=known.get("clientSecret"),
        )
        self._name = server.name
        self._show = show

    async def redirect_handler(self, authorization_url: str) -> None:
        """Show the user the URL of the authorization server.

        Raises:
            ToolCallError: `auth`, if the login was created without `show`.
        """
        if self._show is None:
            raise ToolCallError("auth", f"login required; run weiwo tools --login {self._name}")
        await asyncio.to_thread(self._show, authorization_url)


async def log_in(server: McpServer, transport: ClientTransport) -> int:
    """Let the user log in to a server, and return the number of tools that the server offers.

    Clears the stored login first, then opens a connection and waits up to `_LOGIN_SECONDS` for the user.

    Args:
        server: The server.
        transport: Transport with a `ServerLogin` that shows the authorization URL.

    Raises:
        ToolCallError: `auth`, if the user did not log in within the time.
        Exception: The server cannot be reached, or refused the login.
    """
    await ServerLogin(server).token_storage_adapter.clear()  # a client is registered for one port to come back to
    client: Client[Any] = Client(transport, name=f"weiwo-{server.name}", init_timeout=_LOGIN_SECONDS)
    try:
        async with asyncio.timeout(_LOGIN_SECONDS), client:
            return len(await client.list_tools())
    except TimeoutError:
        raise ToolCallError("auth", f"nobody logged in within {_LOGIN_SECONDS:.0f} s") from None
