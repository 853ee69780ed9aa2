"""Writes to a corpus until it is killed, saying on its output what it was told is kept.

    python -m tests.support.slow_ingest FOLDER FIRST

Document n has four passages that all say "version V"; every batch puts five documents at the next version.
"""

import sys
from itertools import count
from pathlib import Path

from tests.support.corpora import document
from tools.corpus.records import Changes
from tools.corpus.writing import IndexWriter

DOCUMENTS = 20
PASSAGES = 4


def batch(version: int) -> Changes:
    """The batch of a version."""
    start = version * 5 % DOCUMENTS
    return Changes(
        put=[
            document(f"{n}.md", *(f"document number{n} part{p} version{version} zebra" for p in range(PASSAGES)))
            for n in range(start, start + 5)
        ]
    )


if __name__ == "__main__":
    with IndexWriter(Path(sys.argv[1]), wait_seconds=30) as writer:
        for version in count(int(sys.argv[2])):
            writer.apply(batch(version))
            print(version, flush=True)  # noqa: T201  # the parent reads it
            if version % 3 == 0:
                writer.flush()
