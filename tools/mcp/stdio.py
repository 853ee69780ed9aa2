"""The stdio transport: a server process and pipes carrying bounded JSON-RPC messages.

The SDK's own transport is not used: its reader takes quadratic time in the length of a message and has no bound, so a
message of 50 MB never finishes. Here a message that is too long is skipped as it arrives, and the call it answers
fails. Lines that are not messages are skipped too, up to a limit. The last output of the process on standard error is
kept to explain why the process ended.
"""

import asyncio
import contextlib
import os
import re
import shutil
import signal
from collections.abc import AsyncIterator
from typing import Any, Final

import anyio
import mcp_types as types
from fastmcp.client.transports.base import ClientTransport, TransportOptions
from mcp import ClientSession
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage

from weiwo.tools.mcp.problems import ProblemLine, describe_problem
from weiwo.tools.mcp.servers import McpServer

MOST_MESSAGE_BYTES: Final = 16_000_000
MOST_OBJECTS: Final = 100_000
"""Limit of the objects and lists in a message: once parsed, each takes a hundred times its bytes."""
_MOST_STRAY_LINES: Final = 1_000
"""Number of lines that are no messages after which the connection ends."""
_MOST_UNASKED: Final = 20_000
"""Number of messages in a row that are no replies after which the connection ends."""
TOO_LARGE: Final = -32_098
"""JSON-RPC error code that replaces a skipped reply."""
_CHUNK: Final = 1 << 16
_GRACE: Final = 1.0
_ID_AT_HEAD: Final = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,18}|"[^"\\]{1,200}")')
_ID_AT_TAIL: Final = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,200}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')


class BoundedStdioTransport(ClientTransport):
    """Client transport over the pipes of a process.

    The process starts with the session and ends with it.
    """

    def __init__(self, server: McpServer) -> None:
        self._server = server
        self._broken: ProblemLine | None = None
        self._last_words = ""
        self.closed = asyncio.Event()
        """Event that is set when the server's output has ended."""

    @property
    def problem(self) -> ProblemLine | None:
        """Problem with the server's output, or else the last output on standard error, if any."""
        said = describe_problem("last_words", self._last_words) if self._last_words else None
        return self._broken or said

    @contextlib.asynccontextmanager
    async def connect_session(
        self, *, transport_options: TransportOptions | None = None, **session_kwargs: Any
    ) -> AsyncIterator[ClientSession]:
        """Start the process and open a session over the pipes."""
        session_class = (transport_options or TransportOptions()).session_class
        self.closed = asyncio.Event()
        process = await self._start()
        to_session, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, from_session = anyio.create_memory_object_stream[SessionMessage](0)
        pumps = [
            asyncio.create_task(self._read(process, to_session)),
            asyncio.create_task(self._write(process, from_session, to_session)),
            asyncio.create_task(self._listen_to_errors(process)),
        ]
        try:
            async with session_class(incoming, outgoing, **session_kwargs) as session:
                yield session
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
                for stream in (to_session, incoming, outgoing, from_session):
                    stream.close()

    async def _start(self) -> asyncio.subprocess.Process:
        env = {**get_default_environment(), **self._server.env}
        command = shutil.which(self._server.command, path=env.get("PATH"))
        if command is None:
            self._broken = describe_problem("no_program", self._server.command)
            raise FileNotFoundError(self._broken["en"])
        return await asyncio.create_subprocess_exec(
            command,
            *self._server.args,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=env,
            cwd=self._server.cwd,
            start_new_session=os.name == "posix",  # Ctrl-C is for us to hear, and its children end with it
        )

    async def _read(self, process: asyncio.subprocess.Process, to_session: Any) -> None:
        """Pass the server's messages to the session until the output ends or breaks a limit."""
        assert process.stdout is not None  # noqa: S101 - it was asked for
        stray = unasked = 0
        try:
            async for line, short in _lines(process.stdout):
                whole = short and count_parts(line) <= MOST_OBJECTS
                message = _parse_message(line) if whole else _refusal(line)
                if message is None:
                    stray += bool(line.strip())
                    if not whole or stray > _MOST_STRAY_LINES:
                        said = line[:80].decode("utf-8", "replace")
                        self._broken = describe_problem("no_mcp", said) if whole else describe_problem("too_long")
                        return
                    continue
                answers = isinstance(message, types.JSONRPCResponse | types.JSONRPCError)
                unasked = 0 if answers else unasked + 1
                if unasked > _MOST_UNASKED:
                    self._broken = describe_problem("flood", _MOST_UNASKED)
                    return
                await to_session.send(SessionMessage(message))
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            pass  # the session is over
        finally:
            to_session.close()
            self.closed.set()

    async def _write(self, process: asyncio.subprocess.Process, from_session: Any, to_session: Any) -> None:
        assert process.stdin is not None  # noqa: S101 - it was asked for
        try:
            async for message in from_session:
                data = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(data.encode() + b"\n")
                await process.stdin.drain()
        except (OSError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            to_session.close()

    async def _listen_to_errors(self, process: asyncio.subprocess.Process) -> None:
        """Keep the last line of standard error.

        Reading goes on until the end, because a full pipe would stop the server.
        """
        assert process.stderr is not None  # noqa: S101 - it was asked for
        tail = b""
        while chunk := await process.stderr.read(_CHUNK):
            tail = (tail + chunk)[-4_000:]
            lines = tail.decode("utf-8", "replace").strip().splitlines()
            self._last_words = lines[-1] if lines else ""


async def _lines(stdout: asyncio.StreamReader) -> AsyncIterator[tuple[bytes, bool]]:
    """Yield each line of an output, and whether the line is within `MOST_MESSAGE_BYTES`.

    Of a longer line, only the first and the last chunk are yielded, joined, because they may contain the message's id.
    The time is linear in the length of the output.
    """
    parts: list[bytes] = []
    size = 0
    while chunk := await stdout.read(_CHUNK):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield b"".join([*parts, end]), size + len(end) <= MOST_MESSAGE_BYTES
            parts, size = [], 0
        if rest:
            size += len(rest)
            parts = [*parts[:1], rest] if size > MOST_MESSAGE_BYTES else parts
            if size <= MOST_MESSAGE_BYTES:
                parts.append(rest)


def count_parts(text: bytes) -> int:
    """Return an upper bound on the number of objects and lists in a JSON text."""
    return text.count(b"{") + text.count(b"[")


def _parse_message(line: bytes) -> Any:
    """Parse a line as a JSON-RPC message.

    Returns None if the line is not a message.
    """
    if not line.strip().startswith(b"{"):
        return None
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except (ValueError, RecursionError):
        return None


def _refusal(line: bytes) -> types.JSONRPCError | None:
    """Return the JSON-RPC error that answers a request in place of an oversized reply.

    Returns None if the line has no id at its start or end.
    """
    found = _ID_AT_HEAD.match(line[:400]) or _ID_AT_TAIL.search(line[-400:])
    if found is None:
        return None
    given = found[1].decode("utf-8", "replace")
    said = f"the result is larger than {MOST_MESSAGE_BYTES // 1_000_000} MB, or has more than {MOST_OBJECTS:,} parts"
    return types.JSONRPCError(
        jsonrpc="2.0",
        id=given[1:-1] if given.startswith('"') else int(given),
        error=types.ErrorData(code=TOO_LARGE, message=said),
    )


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the process with all child processes, and close the pipes.

    Closes the input first, then terminates and at last kills the process, waiting up to a second after each step.
    """
    try:
        await _stop(process)
    finally:
        transport = getattr(process, "_transport", None)  # nothing public closes pipes that a grandchild holds open
        if transport is not None:
            with contextlib.suppress(PermissionError):
                transport.close()


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    for sent in (None, signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        if sent is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if os.name == "posix":
                    os.killpg(process.pid, sent)
                else:
                    process.kill()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE)
            return
