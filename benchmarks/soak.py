"""Soak test: a steady rate of questions to a running `weiwo serve`, and what its memory and descriptors do meanwhile.

    python benchmarks/soak.py URL [--seconds N] [--rate N]

Prints a row ten times in all: questions answered and failed, resident memory, descriptors, runs under way.
The model is whichever the server has; without one, rules answer. Fails where a question was lost.
"""

import argparse
import asyncio
import sys
import time

import httpx


def sample(text: str, name: str) -> float:
    """The value of a metric without labels."""
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name} "))


async def soak(url: str, seconds: float, rate: float) -> int:
    """Ask for so many seconds; returns how many questions got no answer."""
    counts = {"answered": 0, "failed": 0}
    started = time.monotonic()
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:

        async def ask(n: int) -> None:
            body = {"assistant_id": "weiwo", "input": {"question": f"What is {n} + 3?"}}
            try:
                found = (await client.post("/runs/wait", json=body)).json()
                is_right = str(n + 3) in found["result"]["answer"].replace(",", "")
            except (httpx.HTTPError, KeyError, ValueError):
                is_right = False
            counts["answered" if is_right else "failed"] += 1

        async def tell() -> None:
            text = (await client.get("/metrics")).text
            memory = sample(text, "process_resident_memory_bytes") / 1e6
            figures = f"{memory:.0f} MB {sample(text, 'process_open_fds'):.0f} fds"
            under_way = sample(text, "weiwo_runs_under_way")
            print(f"{time.monotonic() - started:6.0f} s {counts} {figures} {under_way:.0f} runs", flush=True)

        total = int(seconds * rate)
        async with asyncio.TaskGroup() as group:
            for n in range(total):
                await asyncio.sleep(max(0.0, started + n / rate - time.monotonic()))
                group.create_task(ask(n))
                if n % max(1, total // 10) == 0:
                    group.create_task(tell())
        await tell()
    return counts["failed"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("url", metavar="URL", help="of the server, such as http://127.0.0.1:8000")
    parser.add_argument("--seconds", type=float, default=3600.0, help="how long to ask")
    parser.add_argument("--rate", type=float, default=10.0, help="questions a second")
    given = parser.parse_args()
    sys.exit(asyncio.run(soak(given.url, given.seconds, given.rate)) > 0)
