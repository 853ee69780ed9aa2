"""One process at a time works on a thread, and a claim ends with its process."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from weiwo.graph.persistence.thread_lock import ThreadBusyError, claim_thread
from weiwo.state.settings import Settings

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[2]
HOLD = """
import asyncio, sys
from weiwo.graph.persistence.thread_lock import claim_thread
from weiwo.state.settings import Settings

async def main():
    async with claim_thread(Settings(home=sys.argv[1]), "t", sys.argv[2] or None):
        print("claimed", flush=True)
        await asyncio.sleep(10_000)

asyncio.run(main())
"""


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    return request.getfixturevalue("postgres_url") if request.param == "postgres" else None


async def test_a_claim_keeps_others_off_until_its_process_ends(url, tmp_path):
    settings = Settings(home=str(tmp_path))
    command = [sys.executable, "-c", HOLD, str(tmp_path), url or ""]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"claimed\n"
    with pytest.raises(ThreadBusyError, match="thread t is in use by another process"):
        async with claim_thread(settings, "t", url):
            pass
    async with claim_thread(settings, "other", url):
        pass
    process.send_signal(signal.SIGKILL)
    await process.wait()
    async with asyncio.timeout(120):
        while True:
            try:
                async with claim_thread(settings, "t", url):
                    return
            except ThreadBusyError:
                await asyncio.sleep(0.1)  # Postgres notices the lost session a moment later


async def test_a_claim_is_given_back(url, tmp_path):
    settings = Settings(home=str(tmp_path))
    for _ in range(3):
        async with claim_thread(settings, "t", url):
            with pytest.raises(ThreadBusyError):
                async with claim_thread(settings, "t", url):
                    pass
