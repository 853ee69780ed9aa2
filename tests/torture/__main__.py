"""The whole of it: `make torture`, or `python -m tests.torture --seed 7 --databases sqlite`.

Prints a row for each kind of trouble on each database, and what is wrong, if anything is; the exit code says whether.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.postgres import create_database
from tests.torture.server import Server, server
from tests.torture.trials import Database, Row, durability, trials

_HEAD = ("database", "trouble", "kills", "resumes", "effects", "finished, again", "in flight, again", "repeats", "lost")
_LINE = "{:9} {:28} {:>6} {:>8} {:>8} {:>16} {:>17} {:>8} {:>5}"


@contextmanager
def _database(kind: str, folder: Path) -> Iterator[tuple[Database, Server | None]]:
    if kind == "sqlite":
        yield Database(kind, folder), None
    elif url := os.environ.get("WEIWO_TEST_DATABASE_URL"):
        yield Database(kind, folder, create_database(url)), None  # somebody else's server is not ours to break off
    else:
        with server() as own:
            yield Database(kind, folder, create_database(own.url)), own


def _line(kind: str, row: Row) -> str:
    repeats = f"{(row.again + row.repeated) / row.effects:.1%}" if row.effects else "-"
    figures = (row.kills, row.resumes, row.effects, row.again, row.repeated, repeats, row.unresumable)
    return _LINE.format(kind, row.trouble, *figures)


def main() -> int:
    """Try everything; 1 if anything is broken."""
    parser = argparse.ArgumentParser(prog="tests.torture", description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=int(time.time()) % 100_000, help="of the random moments")
    parser.add_argument("--databases", nargs="+", choices=("sqlite", "postgres"), default=("sqlite", "postgres"))
    parser.add_argument("--short", action="store_true", help="the part that `make test` runs")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="weiwo-torture-"))
    print(f"seed {options.seed}\n{_LINE.format(*_HEAD)}", flush=True)  # noqa: T201 - a table for people
    broken: list[str] = []
    for kind in options.databases:
        with _database(kind, folder) as (database, own):
            rows = []
            for row in _rows(database, own, options):
                print(_line(kind, row), flush=True)  # noqa: T201
                rows.append(row)
                broken += [f"{kind}: {row.trouble}: {fault}" for fault in row.faults]
            for row in rows:
                for note in row.notes:
                    print(f"  {row.trouble}: {note}")  # noqa: T201
    for fault in broken:
        print(f"BROKEN  {fault}")  # noqa: T201
    if broken:
        print(f"{len(broken)} faults; logs and databases are in {folder}")  # noqa: T201
    else:
        shutil.rmtree(folder)
    return 1 if broken else 0


def _rows(database: Database, own: Server | None, options: argparse.Namespace) -> Iterator[Row]:
    yield from trials(database, thorough=not options.short, seed=options.seed, server=own)
    if not options.short:
        yield durability(database, options.seed, 30)


if __name__ == "__main__":
    sys.exit(main())
