"""A home that is backed up while its server is at work can be served from the copy."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tests.support.command import StartedCommand
from tests.support.ports import free_port

BACKUP = Path(__file__).parents[2] / "deploy" / "backup.py"
pytestmark = pytest.mark.enable_socket


@asynccontextmanager
async def serving(home: Path) -> AsyncIterator[httpx.AsyncClient]:
    port = free_port()
    environment = {"PATH": os.environ["PATH"], "WEIWO_HOME": str(home), "HOME": str(home)}
    with StartedCommand("serve", "--port", str(port), cwd=home.parent, env=environment) as server:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            while True:
                with suppress(httpx.TransportError):
                    if (await client.get("/ok")).status_code == 200:
                        break
                assert server.poll() is None
                await asyncio.sleep(0.1)
            yield client
        server.terminate()
        await asyncio.to_thread(server.communicate)


async def ask(client: httpx.AsyncClient, n: int) -> str:
    made = await client.post("/threads", json={})
    thread_id = str(made.json()["thread_id"])
    body = {"assistant_id": "weiwo", "input": {"question": f"What is {n} + 3?"}}
    (await client.post(f"/threads/{thread_id}/runs/wait", json=body)).raise_for_status()
    return thread_id


async def test_a_backup_under_load_restores(tmp_path: Path) -> None:
    home, copy = tmp_path / "home", tmp_path / "copy"
    home.mkdir()
    async with serving(home) as client:
        before = {n: await ask(client, n) for n in range(5)}
        over = asyncio.Event()

        async def keep_asking(n: int) -> None:
            while not over.is_set():
                await ask(client, n)

        load = [asyncio.create_task(keep_asking(n)) for n in range(10, 16)]
        saved = await asyncio.to_thread(
            subprocess.run, [sys.executable, str(BACKUP), str(home), str(copy)], check=False
        )
        over.set()
        await asyncio.gather(*load)
    assert saved.returncode == 0
    shutil.rmtree(home)
    for path in copy.glob("*.sqlite"):
        with sqlite3.connect(path) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    shutil.move(copy, home)
    async with serving(home) as client:
        for n, thread_id in before.items():
            state = (await client.get(f"/threads/{thread_id}/state")).json()
            assert str(n + 3) in state["values"]["result"]["answer"]
        assert await ask(client, 99)
