"""How fast the index is, how much memory it takes, and what the approximate vector index misses.

    python benchmarks/index.py [--passages 100000] [--million] [--vectors 20000] [--texts FILE]

Passages are generated (two sentences, words drawn by Zipf's law) or the lines of a file. Beside ours, in the same run:
SQLite FTS5 and, where it is installed, bm25s (`pip install bm25s`). Times are wall time, with a question's analysis and
all passages returned; memory is what is resident once the index is open and has been searched, in a process of its own.
"""

import argparse
import asyncio
import importlib.util
import json
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import accumulate, islice
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.corpus.indexed import IndexedCorpus
from tools.corpus.records import Changes, Document, Passage
from tools.corpus.strategies import Options
from tools.corpus.writing import IndexWriter

PER_DOCUMENT = 10
BATCH = 500
QUESTIONS = 200
SYLLABLES = [
    "ba",
    "be",
    "bi",
    "bo",
    "da",
    "de",
    "di",
    "ka",
    "ke",
    "ki",
    "la",
    "le",
    "li",
    "ma",
    "me",
    "mi",
    "na",
    "ne",
    "no",
    "ra",
    "re",
    "ri",
    "sa",
    "se",
    "so",
    "ta",
    "te",
    "ti",
    "va",
    "ve",
    "pra",
    "tre",
    "sto",
    "gri",
]
SEARCHES = {
    "keyword": Options(strategy="keyword", linked=False),
    "keyword, linked": Options(strategy="keyword"),
    "hybrid (n-gram)": Options(linked=False),
    "default": Options(),
}


def generated(count: int) -> Iterator[str]:
    """Passages of two sentences, each with a number of its own."""
    chance = random.Random(1)  # noqa: S311  # figures must be repeatable
    words = list({"".join(chance.choices(SYLLABLES, k=chance.choice((1, 2, 2, 3, 3, 4)))): None for _ in range(80_000)})
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    for number in range(count):
        drawn = chance.choices(words, cum_weights=weights, k=28)
        yield f"{' '.join(drawn[:13]).capitalize()}. {' '.join(drawn[13:]).capitalize()} INC-{number:06}."


def documents(texts: Iterator[str]) -> Iterator[tuple[Document, list[Passage]]]:
    """Texts as documents of ten passages."""
    number = 0
    while some := list(islice(texts, PER_DOCUMENT)):
        title = " ".join(some[0].split()[:2]).title()
        passages = [Passage(text, (), f"line {at}", at, at) for at, text in enumerate(some, 1)]
        yield Document(f"{number}.md", f"/{number}.md", "", 1, 1, title, "markdown", "en"), passages
        number += 1


def questions(texts: list[str]) -> list[str]:
    """Seven words of a passage each, without its number."""
    chance = random.Random(2)  # noqa: S311  # the same
    drawn = (re.findall(r"[a-z]{3,}", text.lower()) for text in chance.choices(texts, k=QUESTIONS))
    return [" ".join(chance.sample(words, min(7, len(words)))) for words in drawn]


def line(engine: str, what: str, value: float, unit: str) -> None:
    """Print one figure."""
    print(f"{engine:<12}{what:<28}{value:>12,.2f} {unit}", flush=True)


def timed(engine: str, what: str, search: Callable[[str], object], asked: list[str]) -> None:
    """Print how long a search takes."""
    times = []
    for question in asked:
        start = time.perf_counter()
        search(question)
        times.append((time.perf_counter() - start) * 1e3)
    line(engine, f"{what} p50", median(times), "ms")
    line(engine, f"{what} p95", sorted(times)[int(0.95 * len(times))], "ms")


def ours(texts: list[str], folder: Path, asked: list[str]) -> None:
    """Ingest, then search in a process of its own."""
    batches = documents(iter(texts))
    start = time.perf_counter()
    with IndexWriter(folder) as writer:
        while batch := list(islice(batches, BATCH)):
            writer.apply(Changes(put=batch))
    line("weiwo", "ingest", len(texts) / (time.perf_counter() - start), "passages/s")
    line("weiwo", "on disk", sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6, "MB")
    command = [sys.executable, __file__, "--search", str(folder)]
    subprocess.run(command, input=json.dumps(asked), text=True, check=True)  # noqa: S603  # ourselves


async def search(folder: Path, asked: list[str]) -> None:
    """Measure the searches of an index."""
    start = time.perf_counter()
    corpus = IndexedCorpus(folder)
    line("weiwo", "open", (time.perf_counter() - start) * 1e3, "ms")
    for name, options in SEARCHES.items():
        times = []
        for question in asked:
            start = time.perf_counter()
            await corpus.search(question, options=options)
            times.append((time.perf_counter() - start) * 1e3)
        line("weiwo", f"{name} p50", median(times), "ms")
        line("weiwo", f"{name} p95", sorted(times)[int(0.95 * len(times))], "ms")
    line("weiwo", "resident", resident(), "MB")


def resident() -> float:
    """Megabytes of this process in memory."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    found = re.search(r"VmRSS:\s+(\d+)", status.read_text(encoding="ascii"))
    return int(found[1]) / 1e3 if found else float("nan")


def fts5(texts: list[str], folder: Path, asked: list[str]) -> None:
    """SQLite FTS5 with its Porter stemmer."""
    table = sqlite3.connect(folder / "fts5.sqlite")
    start = time.perf_counter()
    table.execute("CREATE VIRTUAL TABLE passages USING fts5(text, tokenize='porter unicode61')")
    with table:
        table.executemany("INSERT INTO passages VALUES (?)", ((text,) for text in texts))
    line("FTS5", "ingest", len(texts) / (time.perf_counter() - start), "passages/s")

    def find(question: str) -> object:
        words = " OR ".join(f'"{word}"' for word in question.split())
        statement = "SELECT text FROM passages WHERE passages MATCH ? ORDER BY bm25(passages) LIMIT 8"
        return table.execute(statement, (words,)).fetchall()

    timed("FTS5", "keyword", find, asked)


def bm25s(texts: list[str], asked: list[str]) -> None:
    """The bm25s package, in memory."""
    if importlib.util.find_spec("bm25s") is None:
        print("bm25s       not installed")
        return
    package = importlib.import_module("bm25s")
    start = time.perf_counter()
    engine = package.BM25()
    engine.index(package.tokenize(texts, show_progress=False), show_progress=False)
    line("bm25s", "ingest", len(texts) / (time.perf_counter() - start), "passages/s")

    def find(question: str) -> object:
        return engine.retrieve(package.tokenize(question, show_progress=False), k=8, show_progress=False)

    timed("bm25s", "keyword", find, asked)


def approximate(count: int, dimension: int = 384) -> None:
    """Recall of usearch (int8) against exact search, and the speed of both, on clustered vectors."""
    if importlib.util.find_spec("usearch") is None:
        print("usearch     not installed")
        return
    import numpy as np  # noqa: PLC0415  # here alone
    from usearch.index import Index  # noqa: PLC0415  # the same

    from tools.corpus.vectors import AROUND  # noqa: PLC0415  # the same

    chance = np.random.default_rng(3)
    centres = chance.normal(size=(max(count // 50, 1), dimension))
    matrix = (centres[chance.integers(len(centres), size=count)] + chance.normal(size=(count, dimension))).astype("f4")
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    index: Any = Index(ndim=dimension, metric="cos", dtype="i8")
    start = time.perf_counter()
    index.add(np.arange(count, dtype="uint64"), matrix)
    line("usearch", "build", count / (time.perf_counter() - start), "vectors/s")
    index.expansion_search = AROUND
    asked = matrix[:QUESTIONS] + 0.3 / dimension**0.5 * chance.normal(size=(QUESTIONS, dimension)).astype("f4")
    exact, near, times, exact_times = [], [], [], []
    for question in asked:
        start = time.perf_counter()
        scores = matrix @ question
        exact.append(set(np.argpartition(-scores, 10)[:10].tolist()))
        exact_times.append((time.perf_counter() - start) * 1e3)
        start = time.perf_counter()
        proposed = index.search(question, AROUND).keys
        near.append(set(proposed[np.argsort(-(matrix[proposed] @ question))[:10]].tolist()))
        times.append((time.perf_counter() - start) * 1e3)
    recall = sum(len(one & other) for one, other in zip(exact, near, strict=True)) / (10 * QUESTIONS)
    line("usearch", "recall@10, scored exactly", recall, "")
    line("usearch", "p50", median(times), "ms")
    line("exact", "p50", median(exact_times), "ms")


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--million", action="store_true", help="1,000,000 passages")
    parser.add_argument("--vectors", type=int, default=20_000, help="vectors for recall; 0 for none")
    parser.add_argument("--texts", type=Path, help="a file with a passage a line")
    parser.add_argument("--search", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.search is not None:
        asyncio.run(search(given.search, json.load(sys.stdin)))
        return
    count = 1_000_000 if given.million else given.passages
    if given.texts is not None:
        texts = [text for text in given.texts.read_text(encoding="utf-8").splitlines() if text.strip()][:count]
    else:
        texts = list(generated(count))
    asked = questions(texts)
    print(f"{len(texts):,} passages of {sum(map(len, texts)) / len(texts):.0f} characters")
    with tempfile.TemporaryDirectory() as scratch:
        ours(texts, Path(scratch) / "weiwo", asked)
        fts5(texts, Path(scratch), asked)
    bm25s(texts, asked)
    if given.vectors:
        approximate(given.vectors)


if __name__ == "__main__":
    main()
