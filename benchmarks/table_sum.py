"""Sum of a column of a long CSV file: indexing, then the table engine beside DuckDB on the stored file and on the CSV.

`python -m benchmarks.table_sum [ROWS]` (default 300,000) prints processor time. The three sums run in turn in this
process, each over a fresh connection, and medians of pairs are compared. The engine also counts the rows and reads
those that it cites.
"""

import asyncio
import csv
import json
import random
import resource
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

import duckdb

from weiwo.state.settings import Settings
from weiwo.tools.registry import build_registry
from weiwo.tools.tables.engine import TableEngine

_PAIRS: Final = 11
GOALS: Final = {"stored": 1.5, "csv": 2.5}


def write_rows(path: Path, rows: int) -> None:
    """Write a CSV file of made invoices."""
    chance = random.Random(1)  # noqa: S311 - made data
    with path.open("w", newline="") as file:
        write = csv.writer(file).writerow
        write(["invoice", "region", "date", "units", "amount", "status"])
        for n in range(rows):
            region, status = chance.choice(["North", "South", "East"]), chance.choice(["paid", "open", "late"])
            day, amount = f"2024-{n % 12 + 1:02d}-{n % 28 + 1:02d}", round(chance.uniform(1, 999), 2)
            write([f"INV-{n:07d}", region, day, chance.randint(1, 9), amount, status])


def processor_seconds() -> float:
    """Return the processor time of this process and its ended children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(item.ru_utime + item.ru_stime for item in used)


def sum_column(source: str, column: str) -> float:
    """Add up a column with DuckDB over a fresh connection."""
    with closing(duckdb.connect(config={"threads": 2})) as database:
        row = database.execute(f"SELECT sum({column}) FROM {source}").fetchone()  # noqa: S608 - ours
    return float(row[0]) if row is not None else 0.0


def measure(rows: int) -> int:
    """Index a file, add up a column in three ways and return the exit code, 1 if a goal is missed."""
    with tempfile.TemporaryDirectory() as name:
        path, home = Path(name, "sales.csv"), Path(name, "home")
        write_rows(path, rows)
        began = processor_seconds()
        registry = asyncio.run(build_registry(replace(Settings.resolve(), corpus=(str(path),), home=str(home))))
        print(f"indexed {rows:,} rows, in workers and here: {processor_seconds() - began:.1f} s of processor time")
        if registry.corpus is None:
            raise SystemExit("no corpus was loaded")
        (store,) = home.rglob("corpus.sqlite")
        with closing(sqlite3.connect(store)) as connection:
            facts, data = connection.execute("SELECT facts, data FROM tables").fetchone()
        stored = Path(name, "stored.parquet")
        stored.write_bytes(data)
        engine = TableEngine()
        engine.hold("sales", data)
        part = {"key": "sales", "name": "sales", "source": "sales.csv", "facts": json.loads(facts)}
        asked = {
            "request": {"table": "sales", "measures": [{"function": "sum", "column": "amount"}]},
            "main": {"name": "sales", "source": "sales.csv", "parts": [part]},
        }
        ways: dict[str, Callable[[], object]] = {
            "weiwo": lambda: engine.run(asked, 60),
            "stored": lambda: sum_column(f"read_parquet('{stored}')", "c4"),
            "csv": lambda: sum_column(f"read_csv('{path}')", "amount"),
        }
        taken: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(_PAIRS + 1):
            for way, add_up in ways.items():
                began = time.process_time()
                add_up()
                taken[way].append(time.process_time() - began)
    for way, seconds in taken.items():
        print(f"{way}: {1_000 * statistics.median(seconds[1:]):.0f} ms")
    missed = 0
    for way, goal in GOALS.items():
        ratio = statistics.median(ours / theirs for ours, theirs in zip(taken["weiwo"], taken[way], strict=True))
        print(f"weiwo / DuckDB on the {way} file: {ratio:.2f} (goal {goal})")
        missed |= ratio > goal
    return int(missed)


if __name__ == "__main__":
    sys.exit(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 300_000))
