"""Memory of `weiwo serve` over many runs, each on a separate thread with several watchers.

    python benchmarks/server_memory.py [RUNS] [WATCHERS]
    python benchmarks/server_memory.py uploads [FILES] [MEGABYTES]

Runs follow one another, answered by rules from the sample documents. Memory kept per run grows in a straight line.
Bounded memory, and the allocator, level off. Uploads are Markdown files of random words, indexed one after the other.
"""

import asyncio
import os
import random
import re
import sys
import tempfile
from pathlib import Path
from string import ascii_lowercase

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.foreign import FOREIGN
from tests.support.weiwo_server import weiwo_serve

RUNS = 1_000
WATCHERS = 10
STEPS = 10
QUESTIONS = ("How long is the Yangtze?", "How long is the Danube?", "How tall is the Burj Khalifa?", "长江有多长？")


def resident(pid: int, field: str = "VmRSS") -> float:
    """Return a process's resident memory in MB. With `VmHWM`, return the peak."""
    (kilobytes,) = re.findall(rf"{field}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(kilobytes) / 1_000


async def watch(client: httpx.AsyncClient, path: str) -> int:
    """Read a run's events to the end, and return the number of events."""
    async with client.stream("GET", f"{path}/stream", headers={"last-event-id": "0-0"}) as response:
        return sum([line.startswith("event:") async for line in response.aiter_lines()])


async def ask(client: httpx.AsyncClient, number: int, watchers: int) -> int:
    """Run a question on a new thread with watchers, and return the number of events per watcher."""
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


def make_document(number: int, size: int) -> bytes:
    """A Markdown file of random words, at least so many bytes."""
    chance = random.Random(number)  # noqa: S311 - a repeatable document
    words = ["".join(chance.choices(ascii_lowercase, k=chance.randint(3, 9))) for _ in range(20_000)]
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(f"## Part {number} {len(parts)}\n\n{' '.join(chance.choices(words, k=120))}.\n\n")
        length += len(parts[-1])
    return "".join(parts).encode()


def upload(url: str, pid: int, files: int, megabytes: int) -> None:
    """Upload files in turn, and print the memory before and after each."""
    print(f"     0 files {resident(pid):8.1f} MB", flush=True)
    for number in range(files):
        content, path = make_document(number, megabytes * 999_000), "/weiwo/corpora/big/files"
        answer = httpx.post(url + path, params={"filename": f"{number}.md"}, content=content, timeout=1_800)
        if '"indexed":1' not in answer.text:
            sys.exit(f"file {number}: {answer.text[-300:]}")
        now, most = resident(pid), resident(pid, "VmHWM")
        print(f"{number + 1:>6} files {now:8.1f} MB, at most {most:8.1f} MB", flush=True)


def main() -> None:
    """Serve, ask or upload, and measure."""
    uploads = sys.argv[1:2] == ["uploads"]
    given, usual = sys.argv[1 + uploads :], (5, 100) if uploads else (RUNS, WATCHERS)
    first, second = (int(given[n]) if len(given) > n else default for n, default in enumerate(usual))
    own = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    with (
        tempfile.TemporaryDirectory() as home,
        weiwo_serve({**own, "WEIWO_HOME": home, "WEIWO_WEB": "off"}) as (url, process),
    ):
        if uploads:
            upload(url, process.pid, first, second)
        else:
            asyncio.run(measure(url, process.pid, first, second))


if __name__ == "__main__":
    main()
