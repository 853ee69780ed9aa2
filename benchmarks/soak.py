"""Soak test: a steady rate of questions to a running `weiwo serve`.

Measures memory, descriptors and files over time.

    python benchmarks/soak.py URL [--seconds N] [--rate N] [--home FOLDER] [--operator TOKEN] [--user TOKEN]…
        [--database URL [--break-every SECONDS]]

Nine of ten questions ask for a person's birth, the tenth compares two. `scripted_model.py` has the documents, and
answers as a model. Every question has a thread of its own. Each user but the last keeps 500 threads. The last keeps
all, until the server refuses a question for its quota, and then deletes the oldest hundred. A user has at most 50
questions open: if the machine does not bear the rate, the rate drops to what it bears. Prints thirty rows, the changes
after a sixth of the time, and the p95 of each user. Fails if a question was lost.

With threads in Postgres, its database is measured, too, and every so many seconds all its sessions may be broken, as a
restart of the server does: claims on threads have to be made again, and accesses repeated.
"""

import argparse
import asyncio
import statistics
import sys
import time
from collections import Counter, deque
from pathlib import Path
from typing import Any

import httpx
from load import pair, person, question

ROWS = 30
KEPT_THREADS = 500
DELETED_AT_ONCE = 100
MOST_OPEN = 50
OVER_QUOTA = "delete threads"
MEGABYTE = 1e6


def sample(text: str, name: str) -> float:
    """The value of a metric without labels."""
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name} "))


def ask_for(n: int) -> tuple[str, str]:
    """Return the n-th question, and the required text of the answer."""
    if n % 10:
        name, year = person(n)
        return f"When was {name} born?", str(year)
    return question(n), f"{abs(pair(n)[0][1] - pair(n)[1][1])} years"


_BREAK = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


async def ask_database(url: str, query: str) -> list[Any]:
    """Return the rows of a Postgres query, on a separate connection."""
    import psycopg  # noqa: PLC0415 - of the extra `postgres`

    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        return await (await connection.execute(query)).fetchall()


class User:
    """A user and the user's threads."""

    def __init__(self, client: httpx.AsyncClient, token: str, kept: int | None) -> None:
        self._client, self._kept = client, kept
        self._headers = {"authorization": f"Bearer {token}"} if token else {}
        self._threads: deque[str] = deque()
        self._makes_room = False
        self.open = asyncio.Semaphore(MOST_OPEN)
        self.counts: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.all_seconds: list[float] = []

    async def ask(self, n: int) -> None:
        """Ask the n-th question, and delete old threads. `open` must have been acquired before."""
        try:
            await self._ask(n)
        finally:
            self.open.release()

    async def _ask(self, n: int) -> None:
        text, expected = ask_for(n)
        thread = f"soak-{time.time_ns()}-{n}"
        began = time.monotonic()
        body = {"assistant_id": "weiwo", "input": {"question": text}, "if_not_exists": "create"}
        reply = await self._send("POST", f"/threads/{thread}/runs/wait", body)
        if reply is not None and OVER_QUOTA in reply.text[:1_000]:  # before the run, or in its midst
            self.counts["over quota"] += 1
            if not self._makes_room:
                self._makes_room = True
                await self._delete(DELETED_AT_ONCE)
                self._makes_room = False
            return
        self._threads.append(thread)
        answer = reply.json().get("result", {}).get("answer", "") if reply is not None and reply.is_success else ""
        self.counts["answered" if expected in answer else "failed"] += 1
        if expected not in answer:
            said = "no reply" if reply is None else f"{reply.status_code} {reply.text[:300]}"
            print(f"{text} {said}", file=sys.stderr, flush=True)
        self.seconds.append(time.monotonic() - began)
        self.all_seconds.append(self.seconds[-1])
        if self._kept is not None and len(self._threads) > self._kept:
            await self._delete(1)

    async def _delete(self, count: int) -> None:
        for _ in range(min(count, len(self._threads))):
            await self._send("DELETE", f"/threads/{self._threads.popleft()}")

    async def _send(self, method: str, path: str, body: object = None) -> httpx.Response | None:
        try:
            return await self._client.request(method, path, json=body, headers=self._headers)
        except httpx.HTTPError as error:
            print(f"{method} {path}: {error!r}", file=sys.stderr, flush=True)
            return None


class Watch:
    """Readings of the server's metrics and files, collected in rows."""

    def __init__(self, client: httpx.AsyncClient, operator: str, home: Path | None, database: str) -> None:
        self._client, self._home, self._database = client, home, database
        self._headers = {"authorization": f"Bearer {operator}"} if operator else {}
        self.rows: list[tuple[float, float, float]] = []

    async def look(self) -> str:
        """A row: memory, descriptors, runs, loop lag, processor time and databases."""
        text = (await self._client.get("/metrics", headers=self._headers)).text
        memory = sample(text, "process_resident_memory_bytes") / MEGABYTE
        descriptors = sample(text, "process_open_fds")
        self.rows.append((time.monotonic(), memory, descriptors))
        ready = (await self._client.get("/ready")).status_code
        files = sorted(self._home.glob("*.sqlite")) if self._home else []
        sizes = " ".join(f"{path.stem} {path.stat().st_size / MEGABYTE:.0f}" for path in files)
        if self._database:
            ((size,),) = await ask_database(self._database, "SELECT pg_database_size(current_database())")
            sizes += f" postgres {size / MEGABYTE:.0f}"
        return (
            f"{memory:5.0f} MB {descriptors:3.0f} fds {sample(text, 'weiwo_runs_under_way'):3.0f} runs"
            f" lag {sample(text, 'weiwo_loop_lag_seconds'):.2f} cpu {sample(text, 'process_cpu_seconds_total'):5.0f}"
            f" ready {ready} | {sizes}"
        )


async def soak(given: argparse.Namespace) -> int:
    """Ask for the given seconds, and return the number of questions without a right answer."""
    limits = httpx.Limits(max_connections=300, max_keepalive_connections=50)
    started = time.monotonic()
    async with httpx.AsyncClient(base_url=given.url, timeout=120, limits=limits) as client:
        tokens = given.user or [""]
        users = [User(client, token, None if token == tokens[-1] else KEPT_THREADS) for token in tokens]
        watch = Watch(client, given.operator, given.home, given.database)
        broken = 0

        async def tell() -> None:
            counts = dict(sum((user.counts for user in users), Counter()))
            took = sorted(second for user in users for second in user.seconds) or [0.0]
            for user in users:
                user.seconds.clear()
            waited = f"p50 {statistics.median(took):.2f} p95 {took[int(len(took) * 0.95)]:.2f} s"
            print(f"{time.monotonic() - started:5.0f} s {counts} {waited} {await watch.look()}", flush=True)

        n, row = 0, 0
        async with asyncio.TaskGroup() as group:
            while (now := time.monotonic() - started) < given.seconds:
                if now >= row * given.seconds / ROWS:
                    row += 1
                    group.create_task(tell())
                if given.break_every and now >= (broken + 1) * given.break_every:
                    broken += 1
                    await ask_database(given.database, _BREAK)
                user = users[n % len(users)]
                await user.open.acquire()
                group.create_task(user.ask(n))
                n += 1
                await asyncio.sleep(1 / given.rate - (time.monotonic() - started - now))
        await tell()
    settled = [row for row in watch.rows if row[0] - started >= given.seconds / 6]
    (_, before, some), (_, after, others) = settled[0], settled[-1]
    most = max(row[1] for row in settled)
    told = f"{before:.0f} MB, in the end {after:.0f}, most {most:.0f}; descriptors {some:.0f}, in the end {others:.0f}"
    print(f"after a sixth of the time: {told}")
    for name, user in enumerate(users, 1):
        took = sorted(user.all_seconds) or [0.0]
        p50, p95 = statistics.median(took), took[int(len(took) * 0.95)]
        print(f"user {name}: {dict(user.counts)}, p50 {p50:.2f} s, p95 {p95:.2f} s")
    if broken:
        print(f"all sessions of the database were broken {broken} times")
    return sum(user.counts["failed"] for user in users)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("url", metavar="URL", help="of the server, such as http://127.0.0.1:8300")
    parser.add_argument("--seconds", type=float, default=3600.0, help="how long to ask")
    parser.add_argument("--rate", type=float, default=10.0, help="questions a second")
    parser.add_argument("--home", type=Path, help="the server's home, for the sizes of its databases")
    parser.add_argument("--database", default="", metavar="URL", help="of the Postgres that keeps the server's threads")
    parser.add_argument("--break-every", type=float, default=0.0, metavar="SECONDS", help="break its sessions so often")
    parser.add_argument("--operator", default="", metavar="TOKEN", help="for the metrics, where users log in")
    parser.add_argument("--user", action="append", metavar="TOKEN", help="of a user; several take turns")
    sys.exit(asyncio.run(soak(parser.parse_args())) > 0)
