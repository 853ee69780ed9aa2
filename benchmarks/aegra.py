"""Benchmark of Aegra workers on a shared Postgres: the gain of a second worker, losses after a kill.

    python benchmarks/aegra.py [QUESTIONS]

Needs `redis-server`, as WEIWO_TEST_AEGRA the Python of an environment that has Weiwo and `aegra-api`, and as
WEIWO_TEST_POSTGRES the URL of a server whose user may create databases and extensions. The rows: one worker, two, and
two of which one is killed with -9 in the middle. The model is `scripted_model.py`, a process of its own that notes each
call of 300 ms, when it comes and when it has been answered. A question is a comparison of two births, each on a thread
of its own. All are asked at once, at the workers in turn. `lost` are questions without their right answer, `calls` all
calls that the model received, `again` prompts that were sent twice, and `kept` those of them that had been answered a
second or more before the kill: their reply was saved by then.
"""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import load
import psycopg

ROOT = Path(__file__).parents[1]
PYTHON, POSTGRES = os.environ.get("WEIWO_TEST_AEGRA", ""), os.environ.get("WEIWO_TEST_POSTGRES", "")
SECONDS = 600
"""What a row may take."""
SAVED_AFTER = 1.0
CALLS = 3
"""Calls that a question takes."""
SETTINGS = {
    "REDIS_BROKER_ENABLED": "true",
    "WORKER_COUNT": "1",
    "N_JOBS_PER_WORKER": "16",
    "LEASE_DURATION_SECONDS": "15",
    "HEARTBEAT_INTERVAL_SECONDS": "5",
    "REAPER_INTERVAL_SECONDS": "5",
    "AEGRA_CHECKPOINT_DURABILITY": "sync",
    "LANGGRAPH_STRICT_MSGPACK": "true",
    "LOG_LEVEL": "WARNING",
}


@dataclass
class Worker:
    """A process of Aegra to serve the API and run graphs."""

    url: str
    process: subprocess.Popen[bytes]

    def processor_seconds(self) -> float:
        """Return the processor time in seconds. The process must be alive."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Calls:
    """Calls in the log of the model."""

    asked: dict[str, list[float]] = field(default_factory=dict)
    ended: dict[str, list[float]] = field(default_factory=dict)

    @classmethod
    def read(cls, log: Path) -> "Calls":
        """Read the calls of a log, grouped by prompt."""
        calls = cls()
        for line in log.read_text(encoding="utf-8").splitlines():
            at, state, name, digest = line.split()
            kept = calls.asked if state == "asked" else calls.ended
            kept.setdefault(f"{name} {digest}", []).append(float(at))
        return calls

    def count_repeats(self, saved_by: float) -> tuple[int, int]:
        """Count the prompts sent twice, and the subset already answered by a given time."""
        twice = [prompt for prompt, times in self.asked.items() if len(times) > 1]
        return len(twice), sum(min(self.ended.get(prompt, [float("inf")])) < saved_by for prompt in twice)


@contextmanager
def running(command: Sequence[str], folder: Path, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Context manager for a process with a separate log, killed at the end."""
    folder.mkdir(parents=True)
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stderr=log, **{"stdout": log, **options})  # noqa: S603 - ours
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a server answers."""
    while process.poll() is None:
        try:
            if httpx.get(url, timeout=5).is_success:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise SystemExit(f"{url} has ended: {log.read_text(encoding='utf-8')[-2000:]}")


@contextmanager
def workers(count: int, folder: Path, environment: dict[str, str], first_port: int) -> Iterator[list[Worker]]:
    """So many workers, up."""
    with ExitStack() as stack:
        found = []
        for n in range(count):
            port = str(first_port + n)
            home = folder / f"worker{n}" / "home"
            command = [PYTHON, "-m", "uvicorn", "aegra_api.main:app", "--port", port, "--log-level", "warning"]
            own = {**environment, "WEIWO_HOME": str(home), "PORT": port}
            process = stack.enter_context(running(command, home.parent, cwd=ROOT, env=own))
            found.append(Worker(f"http://127.0.0.1:{port}", process))
            wait_for(f"{found[-1].url}/health", process, home.parent / "log")  # two cannot make the tables at once
        yield found


async def ask(http: httpx.AsyncClient, alive: list[Worker], n: int) -> tuple[str, float]:
    """Ask the n-th question, and wait at any living worker. Returns the answer and the seconds."""
    began = time.perf_counter()
    body = {"assistant_id": "weiwo", "input": {"question": load.question(n)}}
    thread, run = f"aegra-{n}", None
    while time.perf_counter() - began < SECONDS:
        at = alive[n % len(alive)].url
        try:
            if run is None:
                await http.post(f"{at}/threads", json={"thread_id": thread, "if_exists": "do_nothing"})
                runs = (await http.get(f"{at}/threads/{thread}/runs")).json()
                run = (runs or [(await http.post(f"{at}/threads/{thread}/runs", json=body)).json()])[0]["run_id"]
            await http.get(f"{at}/threads/{thread}/runs/{run}/join", timeout=SECONDS)
            state = (await http.get(f"{at}/threads/{thread}/runs/{run}")).json()["status"]
            if state not in {"pending", "running"}:
                values = (await http.get(f"{at}/threads/{thread}/state")).json()["values"]
                return values.get("result", {}).get("answer", state), time.perf_counter() - began
        except (httpx.HTTPError, KeyError, json.JSONDecodeError):
            pass  # its worker is gone: ask another
        await asyncio.sleep(0.3)
    return "", time.perf_counter() - began


async def kill_midway(log: Path, count: int, alive: list[Worker]) -> float:
    """Kill a worker at half of the expected model calls, and return the time of the kill.

    The model must have been asked for half of what the given number of questions takes.
    """
    before = sum(map(len, Calls.read(log).asked.values()))
    while sum(map(len, Calls.read(log).asked.values())) - before < count * CALLS / 2:  # noqa: ASYNC110 - a file
        await asyncio.sleep(0.05)
    worker = alive.pop()
    worker.process.send_signal(signal.SIGKILL)
    return time.time()


async def measure(
    alive: list[Worker], first: int, count: int, log: Path | None = None
) -> tuple[list[float], int, float]:
    """Ask all questions at once, and return seconds, number of lost answers, and time of the kill.

    A worker is killed only if the model's log is given.
    """
    limits = httpx.Limits(max_connections=100)
    async with httpx.AsyncClient(timeout=30, limits=limits) as http:
        killing = asyncio.create_task(kill_midway(log, count, alive)) if log else None
        found = await asyncio.gather(*(ask(http, alive, n) for n in range(first, first + count)))
        killed = await killing if killing else 0.0
    years = [abs(load.pair(n)[0][1] - load.pair(n)[1][1]) for n in range(first, first + count)]
    lost = sum(f"by {span} years" not in answer for span, (answer, _) in zip(years, found, strict=True))
    return sorted(took for _, took in found), lost, killed


def row(count: int, processes: int, *, kills: bool, first: int) -> None:
    """Measure a number of workers on a fresh database, and print the row."""
    with tempfile.TemporaryDirectory(prefix="weiwo-aegra-") as name, ExitStack() as stack:
        place = Path(name)
        url = load.fresh(POSTGRES)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute('CREATE EXTENSION IF NOT EXISTS "uuid-ossp"')
        port = 20_000 + os.getpid() % 10_000
        redis = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(place)]
        stack.enter_context(running(redis, place / "redis"))
        script = [sys.executable, str(ROOT / "benchmarks" / "scripted_model.py"), str(place / "people")]
        script += ["--port", str(port + 1), "--log", str(place / "calls")]
        model = stack.enter_context(running(script, place / "model"))
        wait_for(f"http://127.0.0.1:{port + 1}/v1/models", model, place / "model" / "log")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("WEIWO_")}
        environment |= SETTINGS | {
            "AEGRA_CONFIG": str(ROOT / "langgraph.json"),
            "DATABASE_URL": url,
            "REDIS_URL": f"redis://127.0.0.1:{port}/0",
            "WEIWO_MODEL": "openai:scripted",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{port + 1}/v1",
            "OPENAI_API_KEY": "none",
            "WEIWO_CORPUS": str(place / "people"),
            "WEIWO_WEB": "off",
            "WEIWO_TELEMETRY": "off",
            "WEIWO_MAX_SECONDS": "600",
        }
        alive = stack.enter_context(workers(processes, place, environment, port + 2))
        asyncio.run(measure(list(alive), first - processes, processes))  # loads modules and documents
        began, before = time.perf_counter(), sum(worker.processor_seconds() for worker in alive)
        seconds, lost, killed = asyncio.run(measure(alive, first, count, place / "calls" if kills else None))
        wall = time.perf_counter() - began
        taken = "" if kills else f"{(sum(item.processor_seconds() for item in alive) - before) / count * 1_000:.0f}"
        calls = Calls.read(place / "calls")
        again, kept = calls.count_repeats(killed - SAVED_AFTER)
    print(
        f"{processes:>7}{'one killed' if kills else '':>12}{count:>10}{wall:>8.1f}{count / wall:>8.2f}{taken:>8}"
        f"{seconds[len(seconds) // 2]:>8.1f}{seconds[int(len(seconds) * 0.95)]:>8.1f}{lost:>6}"
        f"{sum(map(len, calls.asked.values())):>7}{again:>7}{kept:>6}",
        flush=True,
    )


def main(count: int = 60) -> None:
    """Measure and print."""
    if not (PYTHON and POSTGRES and shutil.which("redis-server")):
        sys.exit("--aegra needs redis-server, WEIWO_TEST_AEGRA (a Python) and WEIWO_TEST_POSTGRES (a URL)")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # not without its processes
    names = ("workers", "", "questions", "wall", "per s", "CPU ms", "p50", "p95", "lost", "calls", "again", "kept")
    print("{:>7}{:>12}{:>10}{:>8}{:>8}{:>8}{:>8}{:>8}{:>6}{:>7}{:>7}{:>6}".format(*names))
    for n, (processes, kills) in enumerate([(1, False), (2, False), (2, True)], 1):
        row(count, processes, kills=kills, first=n * 1_000)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
