"""Memory of `weiwo serve` over many runs, each watched by several clients, and each on a thread of its own.

    python benchmarks/server_memory.py [RUNS] [WATCHERS]

Runs follow one another, answered by rules from the sample documents. What is kept per run grows in a straight line;
what is bounded, and the allocator, level off.
"""

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.foreign import FOREIGN
from tests.support.weiwo_server import weiwo_serve

RUNS = 1_000
WATCHERS = 10
STEPS = 10
QUESTIONS = ("How long is the Yangtze?", "How long is the Danube?", "How tall is the Burj Khalifa?", "长江有多长？")


def resident(pid: int) -> float:
    """A process's resident memory, in MB."""
    (kilobytes,) = re.findall(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(kilobytes) / 1_000


async def watch(client: httpx.AsyncClient, path: str) -> int:
    """Read a run's events to their end; how many there were."""
    async with client.stream("GET", f"{path}/stream", headers={"last-event-id": "0-0"}) as response:
        return sum([line.startswith("event:") async for line in response.aiter_lines()])


async def ask(client: httpx.AsyncClient, number: int, watchers: int) -> int:
    """Run a question on a new thread, with its watchers; the events that one of them saw."""
    thread = (await client.post("/threads", json={})).json()["thread_id"]
    body = {"input": {"question": QUESTIONS[number % len(QUESTIONS)]}, "stream_mode": ["custom", "values", "updates"]}
    run = (await client.post(f"/threads/{thread}/runs", json=body)).json()
    seen = await asyncio.gather(*(watch(client, f"/threads/{thread}/runs/{run['run_id']}") for _ in range(watchers)))
    if len(set(seen)) > 1:
        sys.exit(f"run {number}: its watchers saw {sorted(set(seen))} events")
    return seen[0]


async def measure(url: str, pid: int, runs: int, watchers: int) -> None:
    """Print the memory after each tenth of the runs."""
    rows: list[tuple[int, float]] = []
    async with httpx.AsyncClient(base_url=url, timeout=120) as client:
        for number in range(runs):
            await ask(client, number, watchers)
            if (number + 1) % max(1, runs // STEPS) == 0 or number == 0:
                rows.append((number + 1, resident(pid)))
                print(f"{rows[-1][0]:>6} runs {rows[-1][1]:8.1f} MB", flush=True)
    half = [row for row in rows if row[0] >= runs / 2]
    (first, before), (last, after) = half[0], half[-1]
    grown = 1_000 * (after - before) / max(1, last - first)
    print(f"the second half: {after - before:+.1f} MB over {last - first} runs, {grown:+.1f} kB a run")


def main() -> None:
    """Serve, ask and measure."""
    runs, watchers = (int(sys.argv[n]) if len(sys.argv) > n else default for n, default in ((1, RUNS), (2, WATCHERS)))
    own = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    with (
        tempfile.TemporaryDirectory() as home,
        weiwo_serve({**own, "WEIWO_HOME": home, "WEIWO_WEB": "off"}) as (url, process),
    ):
        asyncio.run(measure(url, process.pid, runs, watchers))


if __name__ == "__main__":
    main()
