"""kill -9 while a corpus is written to, with a reader running: nothing acknowledged is lost, nothing is torn."""

import asyncio
import random
import re
import subprocess
import sys
import time

import pytest

from tests.support.slow_ingest import DOCUMENTS, PASSAGES, batch
from tools.corpus.indexed import IndexedCorpus
from tools.corpus.strategies import Options
from tools.corpus.writing import IndexWriter

pytestmark = pytest.mark.integration

KILLS = 6
ALL = Options(strategy="keyword", linked=False)


async def versions(corpus):
    """The version of each document, as one search sees it; a document of mixed versions is torn."""
    found: dict[str, list[int]] = {}
    for hit in await corpus.search("zebra", 10 * DOCUMENTS, options=ALL):
        found.setdefault(hit.source, []).append(int(re.search(r"version(\d+)", hit.text)[1]))
    for source, seen in found.items():
        assert len(seen) == PASSAGES, (source, seen)
        assert len(set(seen)) == 1, (source, seen)
    return {source: seen[0] for source, seen in found.items()}


async def test_kill_at_random_moments(tmp_path):
    with IndexWriter(tmp_path) as writer:
        for version in range(4):
            writer.apply(batch(version))
    reader = IndexedCorpus(tmp_path)
    last, seen = 3, await versions(reader)
    assert len(seen) == DOCUMENTS
    chance = random.Random(7)  # noqa: S311  # any moments will do
    for _ in range(KILLS):
        child = subprocess.Popen(  # noqa: ASYNC220  # nothing else runs on this loop
            [sys.executable, "-m", "tests.support.slow_ingest", str(tmp_path), str(last + 1)],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert child.stdout.readline().strip() == str(last + 1)
            until = time.monotonic() + chance.uniform(0, 0.6)
            while time.monotonic() < until:
                now = await versions(reader)
                assert len(now) == DOCUMENTS
                assert all(now[source] >= seen[source] for source in seen)  # never back in time
                seen = now
                await asyncio.sleep(0)
        finally:
            child.kill()
            acknowledged = child.stdout.read().split()
            child.stdout.close()
            child.wait(30)
        last = max([last + 1, *map(int, acknowledged)])
        after = await versions(IndexedCorpus(tmp_path))
        assert max(after.values()) >= last
        expected = {}
        for version in range(max(after.values()) + 1):
            expected |= {head.source: version for head, _ in batch(version).put}
        assert after == expected
        last = max(after.values())
