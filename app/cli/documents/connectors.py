"""Commands for connectors of corpora.

`weiwo index --every` records a connector. `weiwo index --due` and `weiwo serve` run the connectors that are due.
"""

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.output import say
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.catalog import list_corpora, locate_by_name
from weiwo.tools.corpus.index.connectors import Connector, read_connectors

if TYPE_CHECKING:
    from weiwo.tools.corpus.ingestion.langchain_loader import LoaderSpec

_UNITS: Final = {"m": 60, "h": 3_600, "d": 86_400}
_LOOK_SECONDS: Final = 60.0
"""Seconds between two checks of a server for connectors that are due."""
_LONGEST: Final = 366 * 86_400


def parse_connector(spec: "LoaderSpec | None", every: str | None) -> Connector | None:
    """Return the connector a user asked for with `--every`, or None without an interval.

    A connector is a loader that runs again at an interval. The interval "0" stands for ending the repetition.

    Raises:
        UsageError: The interval is invalid, there is no loader, or an argument holds a secret.
    """
    if every is None:
        return None
    if spec is None:
        raise UsageError("--every requires a loader; name one with --loader, or use --watch to follow files")
    seconds = _parse_span(every)
    if seconds and (secrets := spec.find_secrets()):
        raise UsageError(
            f"--loader-args: the secret in {secrets[0]!r} would be saved on disk; use ${{NAME}} to read it from "
            "an environment variable"
        )
    return Connector(spec.module, spec.name, spec.arguments, seconds, str(Path.cwd()))


def _parse_span(text: str) -> float:
    number, unit = text.strip()[:-1], text.strip()[-1:].lower()
    if text.strip() == "0":
        return 0.0
    seconds = (
        int(number) * _UNITS[unit]
        if number.isascii() and number.isdecimal() and len(number) < 8 and unit in _UNITS
        else 0
    )
    if not 0 < seconds <= _LONGEST:
        raise UsageError(f"--every: invalid interval {text[:20]!a}; use 30m, 1h or 2d, or 0 to stop")
    return float(seconds)


def require_alone(*others: object) -> None:
    """Refuse further options beside `--due`.

    Raises:
        UsageError: A further option is given.
    """
    if any(others):
        raise UsageError("--due runs the saved loaders and can only be combined with --corpus and --json")


def find_due(home: Path, corpus: str | None = None) -> Iterator[tuple[Path, Connector]]:
    """Yield the connectors due for a run, each with the folder of its corpus.

    They are those of one corpus if it is named, otherwise of all corpora.

    Raises:
        UsageError: The name is no name of a corpus.
    """
    try:
        folders = [locate_by_name(home, corpus)] if corpus else [item.folder for item in list_corpora(home)]
    except CorpusError as error:
        raise UsageError(str(error)) from error
    for folder in folders:
        for connector in read_connectors(folder):
            if connector.due:
                yield folder, connector


async def keep_in_step(home: Path) -> None:
    """Run connectors when due, each round in a separate process, and log failures. Never returns.

    A loader is third-party code. A process of its own limits the damage a loader can do to the server.
    """
    while True:
        try:
            if await asyncio.to_thread(lambda: next(find_due(home), None)):
                await _run_due_apart(home)
        except OSError as error:
            say(f"connectors: {error}")
        await asyncio.sleep(_LOOK_SECONDS)


async def _run_due_apart(home: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "weiwo", "index", "--due"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "WEIWO_HOME": str(home)},
    )
    try:
        _, told = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    for line in told.decode("utf-8", "replace").splitlines():
        say(line)
