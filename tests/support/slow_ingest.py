"""Ingests a folder again and again, to be killed: a warm process that forks one run for each line it is sent.

    python -m tests.support.slow_ingest CORPUS FILES

A line "real" starts a run whose files are parsed by worker processes, as a user's; any other line a run that parses
them itself, which starts at once. It writes JSON lists, a line each, in one order for all who write: `["run", pid]`,
`["todo", files]` that a run means to read, `["kept", names]` whenever the index has acknowledged them, `["ended"]`.
Every file has one version, which each of its passages states.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from weiwo.tools.corpus import records
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.ingestion import ingest, worker
from weiwo.tools.corpus.ingestion.ingestion_report import IngestProgress
from weiwo.tools.corpus.records import Changes, KnownFile

DOCUMENTS = 40
PASSAGES = 3
_A_BATCH = 4
_FLUSH_EVERY = 3


def text(number: int, version: int) -> str:
    """What a file says at a version."""
    said = (f"Document number{number} part{part} version{version} zebra." for part in range(PASSAGES))
    return "".join(json.dumps({"text": one}) + "\n" for one in said)  # each record is a passage


def write_version(folder: Path, version: int) -> None:
    """Bring all files to a version."""
    for number in range(DOCUMENTS):
        (folder / f"{number}.jsonl").write_text(text(number, version), encoding="utf-8")


class _Within:
    """Reads files within this process, in place of `weiwo.tools.corpus.ingestion.worker_pool.ParserWorker`."""

    async def ask(self, request: dict[str, Any]) -> AsyncIterator[list[Any]]:
        for number, file in enumerate(request["files"]):
            for message in worker._read_file(file):  # what a worker does
                yield [number, message]
                await asyncio.sleep(0)

    async def close(self) -> None:
        return None


class _Telling:
    """A writer that says what it has acknowledged, once it has."""

    def __init__(self, writer: IndexWriter) -> None:
        self._writer = writer

    def read_known(self) -> Mapping[str, KnownFile]:
        return self._writer.read_known()

    def apply(self, changes: Changes) -> int:
        generation = self._writer.apply(changes)
        _say("kept", [head.source for head, _ in changes.put])
        if generation % _FLUSH_EVERY == 0:
            self._writer.flush()
        return generation


def _say(*what: object) -> None:
    os.write(1, json.dumps(what).encode() + b"\n")  # short enough to be written whole or not at all


def _run(corpus: Path, files: str, *, real: bool) -> None:
    records._BATCH_DOCUMENTS = _A_BATCH  # type: ignore[misc]
    if not real:
        ingest.ParserWorker = _Within  # type: ignore[misc, assignment]
    told: list[int] = []

    def tell(now: IngestProgress) -> None:
        if not told:
            told.append(now.files_total)
            _say("todo", now.files_total)

    with IndexWriter(corpus, wait_seconds=30) as writer:
        asyncio.run(ingest.ingest_files([files], _Telling(writer), progress=tell))
    _say("ended")


def main() -> None:
    """Fork a run for each line, one at a time."""
    for line in sys.stdin:
        child = os.fork()
        if not child:
            _run(Path(sys.argv[1]), sys.argv[2], real=line.strip() == "real")
            os._exit(0)
        _say("run", child)
        os.waitpid(child, 0)
        _say("gone")


if __name__ == "__main__":
    main()
