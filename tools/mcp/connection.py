"""Connection to an MCP server with a single owner task: connect, list, watch, reconnect.

All of it runs on the pool's event loop. A broken session works again only after it was closed and opened anew, so the
owner task alone opens and closes it. Calls use the current session, and wait a moment for the next if there is none.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Literal

import httpx2
import mcp_types as types
from fastmcp.client import Client
from fastmcp.client.transports.base import ClientTransport
from mcp.client import InputRequiredRoundsExceededError
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost, listen
from mcp.shared.exceptions import MCPError

from weiwo.state import FailureKind
from weiwo.text.printable import one_line, redact_secrets
from weiwo.tools.calling.errors import ToolCallError, classify_error
from weiwo.tools.mcp.definitions import MOST_TOOLS, ToolDefinition, define_tools
from weiwo.tools.mcp.problems import ProblemLine, clean_problem, describe_problem
from weiwo.tools.mcp.results import error_text
from weiwo.tools.mcp.servers import McpServer
from weiwo.tools.mcp.stdio import TOO_LARGE
from weiwo.tools.mcp.transport import make_transport

Health = Literal["starting", "up", "down"]
CONNECT_SECONDS: Final = 60.0
"""Time limit in seconds of a server's initialization, and again of its list of tools."""
_FIRST_BACKOFF: Final = 0.25
_LONGEST_BACKOFF: Final = 60.0
"""Seconds before reconnecting: after the first failure, doubled after each further one, and at most."""
_RELIST_SECONDS: Final = 60.0
"""Age in seconds from which a list of tools is fetched anew, since not every server announces changes."""
_RECONNECT_SECONDS: Final = 20.0
_PATIENT_FAILURES: Final = 4
_MOST_PAGES: Final = 200
_WRAPPED: Final = "Client failed to connect: "
"""Prefix of FastMCP's error that wraps the actual error."""
_DECLINED: Final = (
    "its server asked you a question during a call, which Weiwo does not support; put all details into the question"
)
_KIND_OF: Final[Mapping[int, FailureKind]] = {TOO_LARGE: "oversized", types.INVALID_PARAMS: "bad_arguments"}
_CLOSED: Final = types.CONNECTION_CLOSED
_TIMED_OUT: Final = frozenset({types.REQUEST_TIMEOUT})


class Connection:
    """Connection to an MCP server, with the server's tools and health."""

    def __init__(self, server: McpServer, clock: Callable[[], float] = time.monotonic) -> None:
        self.server = server
        self.health: Health = "starting"
        self.why: ProblemLine | None = None  # reason why the server is down; None while it is up or starting
        self.definitions: Mapping[str, ToolDefinition] = {}  # by local name, as last listed; kept while it is down
        self.problems: tuple[ProblemLine, ...] = ()  # problems in the list of tools
        self.starts = 0  # number of successful connections
        self.version = ""  # protocol version; empty while not connected
        self.settled = asyncio.Event()  # set once the first attempt to connect has ended, successful or not
        self._clock = clock
        self._declined = 0
        self._listed = 0.0
        self._failures = 0
        self._client: Client[Any] | None = None
        self._up = asyncio.Event()
        self._broken = asyncio.Event()
        self._stale = asyncio.Event()
        self._wake = asyncio.Event()
        self._stopping = False

    async def run(self) -> None:
        """Keep the server connected until `stop`: connect, wait until the connection breaks, reconnect after a wait."""
        while not self._stopping:
            transport = make_transport(self.server, elicit=self._decline)
            try:
                await self._hold(transport)
                why = _with_problem(describe_problem("lost"), transport)
            except Exception as error:  # noqa: BLE001 - whatever a server does costs its tools, nothing else
                why = _explain(error, transport, self.server)
            self.why = clean_problem(why, self.server.secrets)
            self.health, self._client, self.version = "down", None, ""
            self._up.clear()
            self._failures += 1
            self.settled.set()
            if not self._stopping:
                self._wake.clear()
                wait = min(_FIRST_BACKOFF * 2 ** min(self._failures - 1, 10), _LONGEST_BACKOFF)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), wait)

    async def stop(self) -> None:
        """End the connection. `run` returns soon after."""
        self._stopping = True
        self._broken.set()
        self._wake.set()

    def refresh(self) -> None:
        """Request a new tool list if the current list is older than `_RELIST_SECONDS`."""
        if self.health == "up" and self._clock() - self._listed > _RELIST_SECONDS:
            self._stale.set()

    async def call(
        self, definition: ToolDefinition, args: Mapping[str, Any], *, key: str = ""
    ) -> tuple[types.CallToolResult, str]:
        """Call a tool and send the idempotency key along if given.

        Returns:
            The result, and a line saying that a request to the user was declined during the call, or an empty string.

        Raises:
            ToolCallError: The call produced no result. `transient` is set only if the same call may be repeated.
        """
        client = await self._ready(definition.name)
        self._check(definition)
        meta = {"weiwo/idempotencyKey": key} if key else None
        declined = self._declined
        try:
            result = await client.call_tool_mcp(definition.own_name, dict(args), meta=meta)
        except MCPError as error:
            raise self._failure(definition, error, self._declined_note(definition, declined)) from None
        except InputRequiredRoundsExceededError:
            said = self._declined_note(definition, declined) or f"{definition.name}: its server never ends the call"
            raise ToolCallError("crash", said, transient=False) from None
        except Exception as error:  # noqa: BLE001 - the transport's, whatever it is: the session is not to be trusted
            self._broken.set()
            failure = classify_error(error, definition.name)
            raise ToolCallError(failure.kind, self._clean(failure.message), transient=definition.read_only) from None
        self._failures = 0
        note = self._declined_note(definition, declined)
        if result.is_error:
            raise ToolCallError("refused", f"{note or definition.name}: {error_text(result)}", transient=False)
        return result, note

    async def _hold(self, transport: ClientTransport) -> None:
        """Connect, list the tools, and wait until the connection breaks or `stop` is called.

        Raises:
            Exception: Connecting or listing failed.
        """
        self._broken.clear()
        client: Client[Any] = Client(
            transport,
            name=f"weiwo-{self.server.name}",
            init_timeout=CONNECT_SECONDS,
            message_handler=self._heard,
            log_handler=_ignore,
        )
        closed = getattr(transport, "closed", None)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await client.__aenter__()
            async with asyncio.timeout(CONNECT_SECONDS):
                await self._list(client)
            self._client, self.health, self.why = client, "up", None
            self.version = str(client.protocol_version or "")
            self.starts += 1
            self._up.set()
            self.settled.set()
            await self._watch(client, closed if closed is None else transport.closed)  # type: ignore[attr-defined]
        finally:
            self._up.clear()
            self._client = None
            with suppress(Exception):
                async with asyncio.timeout(5):
                    await client.close()

    async def _watch(self, client: Client[Any], closed: asyncio.Event | None) -> None:
        """Wait until the connection breaks, and refresh the tool list whenever it is stale."""
        events = [self._broken, self._stale, *([closed] if closed is not None else [])]
        waits = {asyncio.create_task(event.wait()): event for event in events}
        follower = asyncio.create_task(self._follow(client))
        try:
            while True:
                done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                if {waits[item] for item in done} != {self._stale}:
                    return
                self._stale.clear()
                for wait in done:
                    del waits[wait]
                waits[asyncio.create_task(self._stale.wait())] = self._stale
                async with asyncio.timeout(CONNECT_SECONDS):
                    await self._list(client)
        finally:
            follower.cancel()
            for wait in waits:
                wait.cancel()

    async def _follow(self, client: Client[Any]) -> None:
        """Subscribe to changes of the tool list, as the newer protocol expects.

        Returns if the server does not offer the subscription. A lost subscription is renewed after a pause, and the
        list is marked stale because changes in between were not announced.
        """
        while True:
            try:
                async with listen(client.session, tools_list_changed=True) as changes:
                    if not changes.honored.tools_list_changed:
                        return
                    async for _ in changes:
                        self._stale.set()
            except (ListenNotSupportedError, MCPError, TimeoutError):
                return
            except SubscriptionLost:
                pass
            await asyncio.sleep(_RELIST_SECONDS)
            self._stale.set()  # changes in between were not announced

    async def _list(self, client: Client[Any]) -> None:
        """Fetch the list of tools page by page, up to the limits on pages and tools."""
        tools: list[Any] = []
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(_MOST_PAGES):
            page = await client.list_tools_mcp(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None or cursor in seen or len(tools) > MOST_TOOLS:
                break
            seen.add(cursor)
        found, problems = await asyncio.to_thread(define_tools, self.server, tools)
        self.definitions, self.problems, self._listed = found, tuple(problems), self._clock()

    async def _heard(self, message: Any) -> None:
        if getattr(message, "method", getattr(getattr(message, "root", None), "method", "")) == (
            "notifications/tools/list_changed"
        ):
            self._stale.set()

    async def _decline(self, _context: Any, _params: Any) -> types.ElicitResult:
        """Decline an elicitation request from the server.

        Older protocols do not name the call that a request belongs to, so every call in progress reports the decline.
        """
        self._declined += 1
        return types.ElicitResult(action="decline")

    def _declined_note(self, definition: ToolDefinition, before: int) -> str:
        """Return a line that says that a request to the user was declined during a call, or an empty string.

        `before` is the number of declined requests when the call began.
        """
        return f"{definition.name}: {_DECLINED}" if self._declined > before else ""

    async def _ready(self, name: str) -> Client[Any]:
        """Return the client, after waiting up to `_RECONNECT_SECONDS` for the connection.

        Raises:
            ToolCallError: The server is still down, or keeps failing and is not waited for.
        """
        try:
            async with asyncio.timeout(_RECONNECT_SECONDS):
                while (client := self._client) is None or self._broken.is_set():  # its owner is about to notice
                    if self._failures > _PATIENT_FAILURES or self._stopping:
                        raise self._down(name)
                    self._up.clear()
                    await self._up.wait()
        except TimeoutError:
            raise self._down(name) from None
        return client

    def _down(self, name: str) -> ToolCallError:
        why = self.why or describe_problem("lost")
        return ToolCallError("crash", f"{name}: MCP server {self.server.name} is down: {why['en']}", transient=False)

    def _check(self, definition: ToolDefinition) -> None:
        """Require a tool to be unchanged since the plan was made.

        Raises:
            ToolCallError: The server no longer offers the tool, or its definition has changed.
        """
        now = self.definitions.get(definition.name)
        if now is None:
            raise ToolCallError("not_found", f"{definition.name}: its server no longer offers it")
        if now.fingerprint != definition.fingerprint:
            self_said = "its server changed the tool after the plan was made; plan the call again"
            raise ToolCallError("bad_arguments", f"{definition.name}: {self_said}")

    def _failure(self, definition: ToolDefinition, error: MCPError, note: str) -> ToolCallError:
        """Convert a JSON-RPC error into a `ToolCallError`.

        For a closed connection, mark the session as broken. Its owner then reconnects.
        """
        code, said, name = error.error.code, self._clean(error.error.message), note or definition.name
        if code == _CLOSED:
            self._broken.set()
            return ToolCallError("crash", f"{name}: the connection was lost", transient=definition.read_only)
        if code == types.URL_ELICITATION_REQUIRED:  # before it has done anything
            return ToolCallError("blocked", f"{definition.name}: {_DECLINED}: {said}")
        if code in _TIMED_OUT:
            return ToolCallError("timeout", f"{name}: {said}", transient=definition.read_only)
        return ToolCallError(_KIND_OF.get(code, "crash"), f"{name}: {said}", transient=False)

    def _clean(self, text: str) -> str:
        return one_line(redact_secrets(text, self.server.secrets), 300)


def _explain(error: BaseException, transport: ClientTransport, server: McpServer) -> ProblemLine:
    """Describe the reason of a failed connection to a server for people."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    cause = error.__cause__ if str(error).startswith(_WRAPPED) and error.__cause__ is not None else error
    if isinstance(cause, FileNotFoundError | PermissionError | NotADirectoryError):
        return getattr(transport, "problem", None) or describe_problem("unstartable", cause)
    if isinstance(cause, ToolCallError) and cause.kind == "auth":
        return describe_problem("login", server.name)
    if isinstance(cause, TimeoutError) or "Failed to initialize" in str(error):
        why = describe_problem("late", CONNECT_SECONDS)
    elif isinstance(cause, httpx2.HTTPStatusError):
        why = describe_problem("status", cause.response.status_code)
    elif isinstance(cause, httpx2.ConnectError):
        why = describe_problem("unreachable", server.address)
    elif isinstance(cause, MCPError):
        ended = cause.error.code == _CLOSED
        why = describe_problem("ended") if ended else describe_problem("said", cause.error.message)
    else:
        why = describe_problem("said", str(error).removeprefix(_WRAPPED) or type(error).__name__)
    return _with_problem(why, transport)


def _with_problem(why: ProblemLine, transport: ClientTransport) -> ProblemLine:
    """Add the transport's problem with the server's output, if any, to a reason."""
    problem = getattr(transport, "problem", None)
    return describe_problem("with", why, problem) if problem else why


async def _ignore(message: Any) -> None:
    """Drop a server's log message."""
