"""OAuth 2.1 with PKCE against a loopback authorization server: a login by hand, tokens in a file, refreshed without one."""

import asyncio
import json
import socket
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

pytest.importorskip("fastmcp", reason="needs the extra: pip install 'weiwo[mcp]'")

import uvicorn
from fastmcp import FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from mcp_types import ToolAnnotations

from weiwo.tools.mcp.connection import Connection
from weiwo.tools.mcp.oauth import FILE, log_in
from weiwo.tools.mcp.servers import McpServer, read_servers
from weiwo.tools.mcp.transport import make_transport

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
PATIENT = 120.0


@asynccontextmanager
async def guarded_server() -> AsyncIterator[tuple[str, InMemoryOAuthProvider]]:
    """A server whose every request needs a token; gives its address and its authorization server."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{listening.getsockname()[1]}"
        provider = InMemoryOAuthProvider(
            base_url=base, client_registration_options=ClientRegistrationOptions(enabled=True)
        )
        mcp: FastMCP = FastMCP("guarded", auth=provider)

        @mcp.tool(annotations=ToolAnnotations(read_only_hint=True))
        def secret_ticket(query: str) -> str:
            """Find secret tickets."""
            return f"The vault was opened on 3 May 2024: {query}."

        server = uvicorn.Server(uvicorn.Config(mcp.http_app(path="/mcp"), log_level="critical", lifespan="on"))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield f"{base}/mcp", provider
        finally:
            server.should_exit = True
            await serving


@pytest.fixture
def described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path / "home"))

    def describe(url: str) -> McpServer:
        file = tmp_path / "servers.json"
        file.write_text(json.dumps({"mcpServers": {"vault": {"url": url, "auth": "oauth"}}}), encoding="utf-8")
        return read_servers(str(file))[0]

    return describe


def browse(address: str) -> None:
    """Go where the authorization server leads, as soon as somebody listens there."""
    back = httpx.get(address, timeout=PATIENT).headers["location"]
    while True:
        try:
            httpx.get(back, timeout=PATIENT)
        except httpx.ConnectError:
            continue
        return


async def settled(server: McpServer) -> Connection:
    """A connection after its first try."""
    connection = Connection(server)
    owner = asyncio.create_task(connection.run())
    try:
        async with asyncio.timeout(PATIENT):
            await connection.settled.wait()
    finally:
        health, why, names = connection.health, connection.why, set(connection.definitions)
        await connection.stop()
        await owner
    connection.health, connection.why = health, why
    assert names == (set() if health != "up" else {"vault_secret_ticket"})
    return connection


async def test_a_run_opens_no_browser_and_a_login_serves_later_runs(described, tmp_path):
    async with guarded_server() as (url, provider):
        server = described(url)
        before = await settled(server)
        assert before.health == "down"
        assert before.why is not None
        assert "weiwo tools --login vault" in before.why["zh"]

        seen: list[str] = []

        def agree(address: str) -> None:  # the person's browser, which follows to the loopback port
            seen.append(address)
            Thread(target=browse, args=(address,), daemon=True).start()

        async with asyncio.timeout(PATIENT):
            assert await log_in(server, make_transport(server, agree)) == 1
        (asked,) = seen
        assert parse_qs(urlsplit(asked).query)["code_challenge_method"] == ["S256"]

        after = await settled(server)
        assert (after.health, after.why) == ("up", None)
        kept = tmp_path / "home" / FILE
        if sys.platform != "win32":
            assert stat.S_IMODE(kept.stat().st_mode) == 0o600

        provider.access_tokens.clear()  # as if they had expired there: the refresh token brings others
        refreshed = json.loads(kept.read_text(encoding="utf-8"))
        for one in refreshed.values():
            if "expires_at" in one.get("value", one):
                one.get("value", one)["expires_at"] = 1.0
        kept.write_text(json.dumps(refreshed), encoding="utf-8")
        assert (await settled(server)).health == "up"
        assert len(seen) == 1
