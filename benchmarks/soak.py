"""Soak test: a steady rate of questions to a running `weiwo serve`, and what its memory and descriptors do meanwhile.

    python benchmarks/soak.py URL [SECONDS] [QUESTIONS_A_SECOND]

Prints a row ten times in all: questions answered and failed, resident memory, descriptors, runs under way.
The model is whichever the server has; without one, rules answer. Fails where a question was lost.
"""

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

        total = int(seconds * rate)
        async with asyncio.TaskGroup() as asking:
            for n in range(total):
                await asyncio.sleep(max(0.0, started + n / rate - time.monotonic()))
                asking.create_task(ask(n))
                if n % max(1, total // 10) == 0:
                    text = (await client.get("/metrics")).text
                    memory = sample(text, "process_resident_memory_bytes") / 1e6
                    descriptors = sample(text, "process_open_fds")
                    waiting = sample(text, "weiwo_runs_under_way")
                    figures = f"{memory:.0f} MB {descriptors:.0f} fds {waiting:.0f} runs"
                    print(f"{time.monotonic() - started:6.0f} s {counts} {figures}")
    print(f"{time.monotonic() - started:6.0f} s {counts}")
    return counts["failed"]


if __name__ == "__main__":
    given = sys.argv[1:]
    length = float(given[1]) if len(given) > 1 else 3600.0
    a_second = float(given[2]) if len(given) > 2 else 10.0
    sys.exit(asyncio.run(soak(given[0], length, a_second)) > 0)
