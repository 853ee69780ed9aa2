"""Attacks on what is kept: accesses that are cancelled at random moments, on every connection and pool of the process.

Afterwards the same connection still answers, nobody else is locked out, and nothing is half done.
"""

import asyncio
import os
import random
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.base.id import uuid6

from tests.attack.report import Attack, Report
from weiwo.app.records import Event, Records, RunRecord, Spending
from weiwo.app.server.langgraph_api.threads import copy_thread
from weiwo.app.server.storage.run_log import RunLog
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.graph.persistence.store import open_store
from weiwo.graph.persistence.thread_lock import ThreadBusyError, claim_thread
from weiwo.graph.persistence.threads import list_threads
from weiwo.state.settings import Settings
from weiwo.tools.usage.task_log import TaskCost, TaskLog

CANCELS = 1_000
AT_ONCE = 5
_PATIENCE = 10.0
"""Seconds for an access that nobody cancels."""
Access = Callable[[int], Awaitable[Any]]


@dataclass
class Target:
    """What is accessed."""

    name: str  # what it is
    accesses: list[Access]  # ways to access it, by a number
    sound: Callable[[], Awaitable[None]]  # raises where it is not sound, as another process sees it


async def cancel_at_random(report: Report, target: Target, cancels: int = CANCELS) -> None:
    """Cancel accesses at random moments, then see that the target is sound."""
    chance = random.Random(36)  # noqa: S311 - the same moments each time, as far as the machine lets them be
    usual = await _usual_seconds(target)
    for first in range(0, cancels, 100):
        for number in range(first, first + 100, AT_ONCE):
            tasks = [
                asyncio.ensure_future(chance.choice(target.accesses)(number + n))  # type: ignore[arg-type]
                for n in range(AT_ONCE)
            ]
            for task in tasks:
                if chance.random() < 0.5:
                    await asyncio.sleep(chance.random() * 2 * usual)
                for _ in range(chance.randrange(6)):
                    await asyncio.sleep(0)
                task.cancel()
            await asyncio.wait(tasks)
        try:
            for number, access in enumerate(target.accesses):
                async with asyncio.timeout(_PATIENCE):
                    await access(first + number)
            async with asyncio.timeout(_PATIENCE):
                await target.sound()
        except Exception as error:  # noqa: BLE001 - whatever it is got through
            report.failed(f"{target.name}: after {first + 100} cancels", f"{type(error).__name__}: {error}")
            report.tried += first + 100
            return
    report.tried += cancels


async def _usual_seconds(target: Target) -> float:
    started = time.perf_counter()
    for access in target.accesses:
        await access(0)
    return (time.perf_counter() - started) / len(target.accesses)


def checkpoint_accesses(saver: Any) -> list[Access]:
    """Ways to access a saver."""

    def place(number: int) -> dict[str, Any]:
        return {"configurable": {"thread_id": f"t{number % 7}", "checkpoint_ns": ""}}

    async def put(number: int) -> None:
        checkpoint = {**empty_checkpoint(), "id": str(uuid6()), "channel_values": {"x": "x" * 5_000}}
        saved = await saver.aput(place(number), checkpoint, {"source": "loop", "step": 1}, {"x": "1"})
        await saver.aput_writes(saved, [("x", number)], uuid4().hex)

    async def read(number: int) -> None:
        await saver.aget_tuple(place(number))

    async def index(number: int) -> None:
        _ = [one async for one in saver.alist(place(number), limit=5)]
        await list_threads(saver, 5)

    async def delete(number: int) -> None:
        await saver.adelete_thread(f"t{number % 7}")

    async def copy(number: int) -> None:
        await copy_thread(saver, f"t{number % 7}", f"copy-{uuid4().hex}")

    return [put, put, read, index, delete, copy]


def store_accesses(store: Any) -> list[Access]:
    """Ways to access a store."""

    async def put(number: int) -> None:
        await store.aput(("attack", str(number % 7)), "key", {"number": number})

    async def read(number: int) -> None:
        await store.aget(("attack", str(number % 7)), "key")
        await store.asearch(("attack",), limit=5)

    async def delete(number: int) -> None:
        await store.adelete(("attack", str(number % 7)), "key")

    return [put, read, delete]


def record_accesses(records: Records) -> list[Access]:
    """Ways to access the server's records."""
    log = RunLog(records)

    async def run(number: int) -> None:
        now, thread = time.time(), f"t{number % 7}"
        await records.put_thread(thread, "operator", {"n": number})
        await records.put_run(RunRecord(uuid4().hex, thread, "operator", now, now, "success", 1, {}, ""))
        await records.append([(uuid4().hex, Event(1, 1, "values", b"{}", now))])

    async def follow(number: int) -> None:
        live = log.begin(f"{number}-{uuid4().hex}", 1)
        log.add(live, "values", b"{}")
        live.end()
        _ = [one async for one in log.follow(live.run_id)]
        await log.flush()

    async def count(_: int) -> None:
        await records.add_spending("operator", "2026-01-01", Spending(1, 10, 0.1))
        await records.spending("operator", "2026-01-01")
        await records.trim("operator")

    async def delete(number: int) -> None:
        await records.delete_thread(f"t{number % 7}")

    return [run, follow, count, delete]


def _unlocked(*files: Path) -> Callable[[], Awaitable[None]]:
    """Whether another process can write at once, and what is there is whole."""

    def check() -> None:
        for file in files:
            with closing(sqlite3.connect(file, timeout=2, isolation_level=None)) as database:
                database.execute("BEGIN IMMEDIATE")
                database.execute("ROLLBACK")
                if database.execute("PRAGMA quick_check").fetchone() != ("ok",):
                    raise AssertionError(f"{file.name} is damaged")

    async def sound() -> None:
        await asyncio.to_thread(check)

    return sound


def _no_transaction(url: str) -> Callable[[], Awaitable[None]]:
    """Whether no session of a Postgres database has stayed inside a transaction."""
    import psycopg  # noqa: PLC0415 - an extra

    query = (
        "SELECT state, query FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL"
        " AND (state LIKE 'idle in %' OR wait_event = 'ClientRead')"
    )

    async def sound() -> None:
        for _ in range(20):
            async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
                rows = await (await connection.execute(query)).fetchall()
            if not rows:
                return
            await asyncio.sleep(0.1)
        raise AssertionError(f"{len(rows)} sessions inside a transaction: {rows[0]}")

    return sound


async def open_targets(stack: AsyncExitStack, home: Path, url: str | None) -> AsyncIterator[Target]:
    """Open everything that is kept, one after the other, in a home or in a Postgres database."""
    settings = Settings(home=str(home), database_url=url)
    kind = "Postgres" if url else "SQLite"
    sound = _no_transaction(url) if url else _unlocked(home / "threads.sqlite")
    saver = await stack.enter_async_context(open_checkpointer(settings))
    yield Target(f"saver, {kind}", checkpoint_accesses(saver), sound)
    store: Any = await stack.enter_async_context(open_store(settings))
    await store.aput(("attack",), "first", {})
    yield Target(f"store, {kind}", store_accesses(store), sound if url else _unlocked(home / "store.sqlite"))

    async def claim(number: int) -> None:
        with suppress(ThreadBusyError):
            async with claim_thread(settings, f"t{number % 3}"):
                await asyncio.sleep(0)

    async def free() -> None:
        for number in range(3):
            for pause in (0.1, 0.2, 0.4, 0.0):
                try:
                    async with claim_thread(settings, f"t{number}"):
                        break
                except ThreadBusyError:
                    if not pause:
                        raise
                    await asyncio.sleep(pause)

    yield Target(f"claims of threads, {kind}", [claim], free)
    if url is None:
        records = await stack.enter_async_context(Records.open(str(home)))
        yield Target("records", record_accesses(records), _unlocked(home / "server.sqlite"))
        log = TaskLog(home, "operator")

        async def record(_: int) -> None:
            await asyncio.to_thread(log.record, "search", TaskCost(1, 1, 1, 1, 1))

        async def whole() -> None:
            lines = (home / "task_usage.jsonl").read_bytes().splitlines()
            if any(not (line.startswith(b"{") and line.endswith(b"}")) for line in lines):
                raise AssertionError("a line of the log is torn")

        yield Target("telemetry", [record], whole)


async def _sqlite(report: Report, folder: Path) -> None:
    async with AsyncExitStack() as stack:
        async for target in open_targets(stack, folder, None):
            await cancel_at_random(report, target)


async def _postgres(report: Report, folder: Path) -> None:
    async with _server() as url, AsyncExitStack() as stack:
        async for target in open_targets(stack, folder, url):
            await cancel_at_random(report, target)


@asynccontextmanager
async def _server() -> AsyncIterator[str]:
    """The URL of an empty database: of the server that `WEIWO_TEST_DATABASE_URL` names, else of one started here."""
    from tests.support.postgres import (  # noqa: PLC0415 - needs the extra
        create_database,
        drop_database,
        start_server,
        stop_server,
    )

    given, data = os.environ.get("WEIWO_TEST_DATABASE_URL"), Path(f"/tmp/weiwo-attack-{uuid4().hex[:8]}")  # noqa: S108 - see start_server
    server = given or await asyncio.to_thread(start_server, data)
    url = create_database(server)
    try:
        yield url
    finally:
        drop_database(server, url)
        if given is None:
            await asyncio.to_thread(stop_server, data)


ATTACKS = (
    Attack("SQLite under accesses that are cancelled at random", _sqlite),
    Attack("Postgres under accesses that are cancelled at random", _postgres),
)
