"""kill -9 at random moments of ingestion, with a reader running: nothing acknowledged is lost, nothing is torn.

A moment is so many lines that a run has written, and some milliseconds more: however fast the machine is just then, it
lies within the run.
"""

import asyncio
import json
import os
import random
import re
import signal
import sys
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from tests.support.slow_ingest import DOCUMENTS, PASSAGES, write_version
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.ingestion.ingest import ingest_files
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus
from weiwo.tools.corpus.retrieval.score_fusion import SearchOptions

pytestmark = [pytest.mark.integration, pytest.mark.trial]

KILLS = 30
REAL_EVERY = 6
"""Each sixth run has its files parsed by worker processes, which take longer to start than all the rest."""
KINDS = {"real": 0.2, "quick": 0.01}
"""Seconds within which a run may be killed after a line of it."""
LINES = 8
"""The last line after which one may be killed: of a run that has everything to read, there are eleven or more."""
ALL = SearchOptions(strategy="keyword", linked=False)


async def versions(corpus: IndexedCorpus) -> dict[str, int]:
    """The version of each document, as one search sees it; a document of mixed versions is torn."""
    found: dict[str, list[tuple[int, str]]] = {}
    for hit in await corpus.search("zebra", 2 * DOCUMENTS * PASSAGES, options=ALL):
        said = re.fullmatch(r"Document number(\d+) (part\d+) version(\d+) zebra\.", hit.text)
        assert said, hit.text
        assert hit.source.endswith(f"/{said[1]}.jsonl")
        found.setdefault(hit.source, []).append((int(said[3]), said[2]))
    for source, passages in found.items():
        assert {part for _, part in passages} == {f"part{part}" for part in range(PASSAGES)}, (source, passages)
        assert len({version for version, _ in passages}) == 1, (source, passages)
    return {source: passages[0][0] for source, passages in found.items()}


class Reader:
    """Searches all the time; no document may be missing, or go back in time."""

    def __init__(self, corpus: IndexedCorpus) -> None:
        self._corpus = corpus
        self.seen: dict[str, int] = {}
        self.searches = 0

    async def run(self) -> None:
        while True:
            now = await versions(self._corpus)
            assert len(now) == DOCUMENTS
            assert all(now[source] >= version for source, version in self.seen.items())
            self.seen = now
            self.searches += 1
            await asyncio.sleep(0.01)


class Runs:
    """Runs of ingestion, forked by a process that has everything imported."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def hear(self) -> list[object]:
        return json.loads(await self._process.stdout.readline())

    async def killed(self, kind: str, lines: int | None, then: float = 0.0) -> tuple[bool, int | None, set[str]]:
        """One run, killed so many seconds after its nth line; whether it was, what it meant to read, what was kept."""
        self._process.stdin.write(f"{kind}\n".encode())
        _, pid = await self.hear()
        todo, kept, ended = None, set(), False
        for heard in count():
            if heard == lines:
                await asyncio.sleep(then)
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            said = await self.hear()
            if said[0] == "gone":
                break
            todo = said[1] if said[0] == "todo" else todo
            kept |= set(said[1]) if said[0] == "kept" else set()
            ended |= said[0] == "ended"
        return not ended, todo, kept


async def test_thirty_kills_at_random_moments(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files, folder = tmp_path / "files", tmp_path / "corpus"
    files.mkdir()
    write_version(files, 0)
    with IndexWriter(folder) as writer:
        await ingest_files([files], writer)
    reader = Reader(IndexedCorpus(folder))
    reading = asyncio.create_task(reader.run())
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.support.slow_ingest", str(folder), str(files)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])},
    )
    runs, chance = Runs(process), random.Random(7)  # noqa: S311  # any moments will do
    kills = halfway = version = 0
    try:
        for kind in KINDS:
            version += 1
            write_version(files, version)
            _, todo, kept = await runs.killed(kind, None)
            assert todo == len(kept) == DOCUMENTS
        after = await versions(IndexedCorpus(folder))
        while kills < KILLS:
            if min(after.values()) == version:
                version += 1
                write_version(files, version)
            lacking = sum(one < version for one in after.values())
            kind = "quick" if kills % REAL_EVERY else "real"
            lines, before = chance.randint(0, LINES), reader.searches
            was_killed, todo, kept = await runs.killed(kind, lines, chance.uniform(0, KINDS[kind]))
            kills += was_killed
            assert todo in {None, lacking}  # it goes on from where the one before was
            after = await versions(IndexedCorpus(folder))
            assert len(after) == DOCUMENTS
            assert all(after[source] == version for source in kept)
            assert sum(one < version for one in after.values()) <= lacking - len(kept)
            halfway += 0 < sum(one < version for one in after.values()) < DOCUMENTS
            while reader.searches == before and not reading.done():  # noqa: ASYNC110 - a reader tells no event
                await asyncio.sleep(0.005)
            assert not reading.done()
        assert halfway >= KILLS // 6  # or the moments were no good
        with IndexWriter(folder) as writer:
            report = await ingest_files([files], writer)
        assert (report.unchanged, report.changed) == (
            sum(one == version for one in after.values()),
            sum(one < version for one in after.values()),
        )
        assert set((await versions(IndexedCorpus(folder))).values()) == {version}
    finally:
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading
        process.stdin.close()
        await process.wait()
