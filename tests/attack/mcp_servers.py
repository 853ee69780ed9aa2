"""Attacks on MCP: a server that is killed a hundred times while it is called, and servers whose replies are hostile."""

import asyncio
import importlib.util
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.attack.report import Attack, Report
from tests.support.hostile_desk import SHAPES
from tests.support.ports import free_port
from weiwo.tools.calling.call_context import CallContext, set_current_call
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.invoke import Backoff, run_tool

DESK = str(Path(__file__).parents[1] / "support" / "mortal_desk.py")
HOSTILE = str(Path(__file__).parents[1] / "support" / "hostile_desk.py")
MOST_LISTED = 2_000
MOST_GROWN = 300_000_000
WORKERS = 8
CALLS_BETWEEN = 2 * WORKERS
"""Calls that end between two kills, so that none meets more kills than it is made again."""
PATIENT = 300.0


@dataclass
class Load:
    """Calls under way until the server was killed often enough."""

    tools: dict[str, Any]  # `find`, which reads, and `close`, which acts
    ended: int = 0  # calls that came to an end
    wrong: list[str] = field(default_factory=list)  # what came back that should not have, or was lost
    unsure: set[int] = field(default_factory=set)  # acting calls whose end nobody knows, by number
    closed: set[int] = field(default_factory=set)
    over: bool = False

    async def work(self, worker: int) -> None:
        """One client: two calls that read, then one that acts."""
        number = worker * 1_000_000
        while not self.over:
            number += 1
            acts = number % 3 == 0
            context = CallContext("load", task=f"task_{number}", tool="close")
            set_current_call(context)
            try:
                said = (await self._call("desk_close" if acts else "desk_find", number, repeats=not acts)).content
            except ToolCallError as error:
                if acts:
                    self.unsure.add(number)
                else:
                    self.wrong.append(f"find {number} was lost: {error.message}")
            else:
                wanted = f"closed {number} {context.idempotency_key}" if acts else f"ticket {number}"
                if said != wanted:
                    self.wrong.append(f"{wanted!r} became {said!r}")
                self.closed |= {number} if acts else set()
            self.ended += 1

    async def _call(self, name: str, number: int, *, repeats: bool) -> Any:
        return await run_tool(
            self.tools[name],
            {"number": number},
            seconds=PATIENT,
            max_bytes=10_000,
            backoff=Backoff(first=0.01),
            repeats=repeats,
        )


async def _kill(report: Report, folder: Path, description: dict[str, Any], kills: int) -> None:
    """Call a server, kill it while it is called, and compare what was told with what was done."""
    from weiwo.tools.mcp.pool import mcp_pool  # noqa: PLC0415 - needs the extra
    from weiwo.tools.mcp.servers import read_servers  # noqa: PLC0415 - the same
    from weiwo.tools.mcp.toolset import load_mcp_tools  # noqa: PLC0415 - the same

    path = folder / "servers.json"
    path.write_text(json.dumps({"mcpServers": {"desk": description}}), encoding="utf-8")
    (connection,) = await mcp_pool.connections(read_servers(str(path)), PATIENT)
    while connection.health != "up":  # noqa: ASYNC110 - another thread's event loop sets it
        await asyncio.sleep(0.05)
    loaded = await load_mcp_tools(str(path))
    load = Load({tool.name: tool for tool in loaded.tools})
    workers = [asyncio.create_task(load.work(number)) for number in range(1, WORKERS + 1)]
    killed: set[int] = set()
    try:
        while len(killed) < kills:
            enough = load.ended + CALLS_BETWEEN
            await _until(lambda enough=enough: load.ended >= enough, workers)
            await _until(lambda: int(_lines(folder / "pids")[-1]) not in killed, workers)
            killed.add(int(_lines(folder / "pids")[-1]))
            os.kill(int(_lines(folder / "pids")[-1]), signal.SIGKILL)
        load.over = True
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.to_thread(mcp_pool.close)
    done = Counter(map(int, _lines(folder / "effects")))
    report.tried += load.ended
    for line in load.wrong:
        report.failed(line, "a call that only reads is made again until it has its answer")
    report.check("calls that acted twice", not [one for one, times in done.items() if times > 1])
    report.check("calls told to have acted, and had not", load.closed <= done.keys())
    report.check("calls that acted, and nobody was told of", done.keys() <= load.closed | load.unsure)
    report.check("kills", len(killed) == kills)
    report.check("connections made anew", connection.starts > kills // 2, f"{connection.starts}")


async def _until(so: Callable[[], bool], workers: list[asyncio.Task[None]]) -> None:
    while not so():
        await asyncio.wait(workers, timeout=0.005, return_when=asyncio.FIRST_EXCEPTION)
        for worker in workers:
            if worker.done():
                worker.result()


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").split() if file.exists() else []


def _environment(folder: Path) -> dict[str, str]:
    paths = os.pathsep.join(path for path in sys.path if path)
    return {"EFFECTS": str(folder / "effects"), "PIDS": str(folder / "pids"), "PYTHONPATH": paths}


async def _pipes(report: Report, folder: Path) -> None:
    env = _environment(folder)
    await _kill(report, folder, {"command": sys.executable, "args": [DESK, "stdio"], "env": env}, 25)


async def _http(report: Report, folder: Path) -> None:
    port = str(free_port())
    command = [sys.executable, DESK, "http", port]
    quiet = {"stdout": asyncio.subprocess.DEVNULL, "stderr": asyncio.subprocess.DEVNULL}
    parent = await asyncio.create_subprocess_exec(*command, env={**os.environ, **_environment(folder)}, **quiet)
    try:
        await _kill(report, folder, {"url": f"http://127.0.0.1:{port}/mcp"}, 100)
    finally:
        parent.kill()
        await parent.wait()
        os.kill(int(_lines(folder / "pids")[-1]), signal.SIGKILL)


async def _replies(report: Report, folder: Path) -> None:
    """Load a server's tools and call one: both end soon, with a line or a bounded result, and take little memory."""
    from weiwo.tools.mcp.pool import mcp_pool  # noqa: PLC0415 - needs the extra
    from weiwo.tools.mcp.toolset import load_mcp_tools  # noqa: PLC0415 - the same

    for shape in SHAPES:
        path = folder / "servers.json"
        command = {"command": sys.executable, "args": [HOSTILE, shape]}
        path.write_text(json.dumps({"mcpServers": {"desk": command}}), encoding="utf-8")
        before, began = _resident(), time.monotonic()
        try:
            async with asyncio.timeout(60):
                loaded = await load_mcp_tools(str(path))
                report.check(f"{shape}: tools", len(loaded.tools) <= MOST_LISTED, f"{len(loaded.tools)} tools")
                names = [tool.name for tool in loaded.tools]
                report.check(f"{shape}: names", len(set(names)) == len(names), "two tools of a name")
                if tool := next((one for one in loaded.tools if one.name == "desk_find"), None):
                    set_current_call(CallContext("hostile", task="task", tool="find"))
                    found = await run_tool(tool, {}, seconds=10, max_bytes=10_000)
                    report.check(f"{shape}: size", len(found.content) <= 20_000, f"{len(found.content)} characters")
        except ToolCallError as error:
            report.check(f"{shape}: its line", len(error.message) < 2_000 and "\n" not in error.message, error.message)
        except Exception as error:  # noqa: BLE001 - any other end is what got through
            report.check(shape, held=False, why=f"{type(error).__name__}: {error}")
        finally:
            await asyncio.to_thread(mcp_pool.close)
        took, grown = time.monotonic() - began, _resident() - before
        report.check(f"{shape}: seconds", took < 45, f"{took:.0f} s")
        report.check(f"{shape}: memory", grown < MOST_GROWN, f"{grown / 1e6:.0f} MB")


def _resident() -> int:
    """Bytes of memory that the process holds."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


ATTACKS = (
    (
        Attack("MCP servers whose replies are hostile", _replies),
        Attack("an MCP server over HTTP, killed 100 times under load", _http),
        Attack("an MCP server over pipes, killed 25 times under load", _pipes),
    )
    if importlib.util.find_spec("fastmcp") is not None
    else ()
)
