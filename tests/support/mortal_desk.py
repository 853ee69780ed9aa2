"""An MCP server, by FastMCP, that is killed again and again: `python mortal_desk.py stdio | http PORT`.

Its process id goes to PIDS and its acts to EFFECTS, a line each. Over HTTP a parent that has imported everything forks
it anew whenever it dies.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from fastmcp import Context, FastMCP
from mcp_types import ToolAnnotations

mcp: FastMCP = FastMCP("mortal")


def note(file: str, line: str) -> None:
    with Path(os.environ[file]).open("a", encoding="utf-8") as written:
        written.write(line + "\n")


@mcp.tool(annotations=ToolAnnotations(read_only_hint=True))
async def find(number: int) -> str:
    """Find a ticket."""
    await asyncio.sleep(0.01)
    return f"ticket {number}"


@mcp.tool
async def close(number: int, ctx: Context) -> str:
    """Close a ticket."""
    note("EFFECTS", str(number))
    await asyncio.sleep(0.01)
    meta: Any = ctx.request_context.meta if ctx.request_context is not None else None
    return f"closed {number} {(meta or {}).get('weiwo/idempotencyKey', '')}"


def serve(transport: str, *port: str) -> None:
    note("PIDS", str(os.getpid()))
    if transport == "stdio":
        mcp.run(show_banner=False)
    else:
        mcp.run(transport="http", port=int(port[0]), show_banner=False)


if __name__ == "__main__":
    while sys.argv[1] == "http":
        child = os.fork()
        if not child:
            break
        os.waitpid(child, 0)
    serve(*sys.argv[1:])
