"""Benchmark of index speed and memory.

    python benchmarks/index.py [--passages 100000] [--million] [--texts FILE]

Passages are generated (two sentences, words drawn by Zipf's law) or the lines of a file. For comparison, in the same
run and over the same questions: tantivy alone with its English stemmer, SQLite FTS5 with its Porter stemmer, and bm25s
with Snowball's, wholly in memory. Each engine writes its index in one process and is searched in another, which holds
nothing else: memory is the resident memory of that process at the end. Times are wall time, with a question's analysis
and all passages returned. CPU time, of all threads, says what they would be if nobody else were at work. `--million`
measures 100,000 and 1,000,000 and prints the growth.
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
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from statistics import median
from typing import Any

import tantivy

from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes, Document, Passage
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus
from weiwo.tools.corpus.retrieval.score_fusion import SearchOptions
from weiwo.tools.corpus.retrieval.telemetry import TelemetryRecorder

PER_DOCUMENT = 10
BATCH = 500
QUESTIONS = 200
FOUND = 8
SYLLABLES = "ba be bi bo da de di ka ke ki la le li ma me mi na ne no ra re ri sa se so ta te ti va ve pra tre sto gri"
SEARCHES = {
    "keyword": SearchOptions(strategy="keyword", linked=False),
    "n-gram": SearchOptions(strategy="vector", linked=False),
    "hybrid": SearchOptions(linked=False),
}

Figures = dict[str, float]
Search = Callable[[str], Awaitable[object]]


def generate_passages(count: int) -> Iterator[str]:
    """Generate passages of two sentences, each with a unique number."""
    chance = random.Random(1)  # noqa: S311  # figures must be repeatable
    parts = SYLLABLES.split()
    words = list({"".join(chance.choices(parts, k=chance.choice((1, 2, 2, 3, 3, 4)))): None for _ in range(80_000)})
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
    """Return questions of seven words from a passage each, without the number of the passage."""
    chance = random.Random(2)  # noqa: S311  # the same
    drawn = (re.findall(r"[a-z]{3,}", text.lower()) for text in chance.choices(texts, k=QUESTIONS))
    return [" ".join(chance.sample(words, min(7, len(words)))) for words in drawn]


def line(engine: str, what: str, value: float) -> None:
    """Print a figure."""
    print(f"{engine:<12}{what:<40}{value:>12,.2f}", flush=True)


def resident() -> float:
    """Megabytes of this process in memory."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    found = re.search(r"VmRSS:\s+(\d+)", status.read_text(encoding="ascii"))
    return int(found[1]) / 1e3 if found else float("nan")


async def time_search(what: str, search: Search, asked: list[str]) -> Figures:
    """Measure the time of a search."""
    wall, work = [], []
    for question in asked:
        start, before = time.perf_counter(), time.process_time()
        await search(question)
        wall.append((time.perf_counter() - start) * 1e3)
        work.append((time.process_time() - before) * 1e3)
    return {
        f"{what} p50, ms": median(wall),
        f"{what} p95, ms": sorted(wall)[int(0.95 * len(wall))],
        f"{what} CPU p50, ms": median(work),
    }


def write_ours(texts: list[str], folder: Path) -> None:
    """Write documents of ten passages, in batches like the batches of ingestion."""
    batches = documents(iter(texts))
    with IndexWriter(folder) as writer:
        while batch := list(islice(batches, BATCH)):
            writer.apply(Changes(put=batch))


async def search_ours(folder: Path, asked: list[str]) -> Figures:
    """Measure each strategy alone, and the full user setup: routed, linked, with telemetry."""
    start = time.perf_counter()
    corpus = IndexedCorpus(folder)
    figures = {"open, ms": (time.perf_counter() - start) * 1e3}
    await corpus.search(asked[0])
    for name, options in SEARCHES.items():
        figures |= await time_search(name, partial(corpus.search, k=FOUND, options=options), asked)
    routed = RoutedCorpus(folder, recorder=TelemetryRecorder(folder))
    return figures | await time_search("as users get it", lambda question: routed.search(question, FOUND), asked)


def write_tantivy(texts: list[str], folder: Path) -> None:
    """Write a single field, in a single commit."""
    schema = tantivy.SchemaBuilder().add_text_field("text", stored=True, tokenizer_name="en_stem").build()
    writer = tantivy.Index(schema, str(folder)).writer(num_threads=1)
    for text in texts:
        writer.add_document(tantivy.Document(text=text))
    writer.commit()
    writer.wait_merging_threads()


async def search_tantivy(folder: Path, asked: list[str]) -> Figures:
    """Search for the words of a question as the engine parses them."""
    index = tantivy.Index.open(str(folder))
    searcher = index.searcher()

    async def find(question: str) -> object:
        hits = searcher.search(index.parse_query(question, ["text"]), FOUND, count=False).hits
        return [searcher.doc(address)["text"] for _, address in hits]

    return await time_search("keyword", find, asked)


def write_fts5(texts: list[str], folder: Path) -> None:
    """Write a single table, in a single transaction."""
    table = sqlite3.connect(folder / "fts5.sqlite")
    table.execute("CREATE VIRTUAL TABLE passages USING fts5(text, tokenize='porter unicode61')")
    with table:
        table.executemany("INSERT INTO passages VALUES (?)", ((text,) for text in texts))


async def search_fts5(folder: Path, asked: list[str]) -> Figures:
    """A question's words joined by OR."""
    table = sqlite3.connect(folder / "fts5.sqlite")

    async def find(question: str) -> object:
        words = " OR ".join(f'"{word}"' for word in question.split())
        statement = "SELECT text FROM passages WHERE passages MATCH ? ORDER BY bm25(passages) LIMIT ?"
        return table.execute(statement, (words, FOUND)).fetchall()

    return await time_search("keyword", find, asked)


def bm25s_tokens() -> Callable[[Any], Any]:
    """Return bm25s's tokenizer, with a stemmer if installed."""
    package = importlib.import_module("bm25s")
    stemmer = importlib.import_module("Stemmer").Stemmer("english") if importlib.util.find_spec("Stemmer") else None
    return lambda texts: package.tokenize(texts, stemmer=stemmer, show_progress=False)


def write_bm25s(texts: list[str], folder: Path) -> None:
    """Scores in a sparse matrix, and the texts."""
    engine = importlib.import_module("bm25s").BM25()
    engine.index(bm25s_tokens()(texts), show_progress=False)
    engine.save(str(folder), corpus=texts, show_progress=False)


async def search_bm25s(folder: Path, asked: list[str]) -> Figures:
    """Measure bm25s with the index loaded into memory."""
    engine = importlib.import_module("bm25s").BM25.load(str(folder), load_corpus=True)
    tokens = bm25s_tokens()

    async def find(question: str) -> object:
        return engine.retrieve(tokens(question), k=FOUND, show_progress=False)

    return await time_search("keyword", find, asked)


ENGINES = {
    "weiwo": (write_ours, search_ours),
    "tantivy": (write_tantivy, search_tantivy),
    "FTS5": (write_fts5, search_fts5),
    "bm25s": (write_bm25s, search_bm25s),
}


def child(engine: str, task: dict[str, Any]) -> Figures:
    """Run a process of an engine: write the index, or search the index."""
    write, search = ENGINES[engine]
    folder = Path(task["folder"])
    if task["asked"]:
        figures = asyncio.run(search(folder, task["asked"]))
        return figures | {"resident, MB": resident()}
    texts = Path(task["texts"]).read_text(encoding="utf-8").splitlines()
    start, before = time.perf_counter(), time.process_time()
    write(texts, folder)
    taken, work = time.perf_counter() - start, time.process_time() - before
    on_disk = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
    return {
        "ingest, passages/s": len(texts) / taken,
        "ingest, CPU µs/passage": work / len(texts) * 1e6,
        "on disk, MB": on_disk,
    }


def measure(texts: list[str], scratch: Path) -> dict[str, Figures]:
    """Measure all engines over the same texts, and print the comparison."""
    asked = questions(texts)
    print(f"\n{len(texts):,} passages of {sum(map(len, texts)) / len(texts):.0f} characters")
    listed = scratch / "texts"
    listed.write_text("\n".join(texts), encoding="utf-8")
    found: dict[str, Figures] = {}
    for engine in ENGINES:
        if engine == "bm25s" and importlib.util.find_spec("bm25s") is None:
            print("bm25s       not installed")
            continue
        folder = scratch / f"{engine}-{len(texts)}"
        folder.mkdir()
        found[engine] = {}
        for questions_of_it in ([], asked):
            task = {"folder": str(folder), "texts": str(listed), "asked": questions_of_it}
            command = [sys.executable, __file__, "--engine", engine]
            done = subprocess.run(command, input=json.dumps(task), text=True, check=True, stdout=subprocess.PIPE)  # noqa: S603  # ourselves
            found[engine] |= json.loads(done.stdout.splitlines()[-1])
        for what, value in found[engine].items():
            line(engine, what, value)
    for engine in found.keys() - {"weiwo"}:
        for what in found[engine].keys() & found["weiwo"].keys():
            line(f"÷ {engine}", what, found["weiwo"][what] / found[engine][what])
        as_users = found["weiwo"]["as users get it CPU p50, ms"]
        line(f"÷ {engine}", "as users get it CPU p50, ms", as_users / found[engine]["keyword CPU p50, ms"])
    return found


def main() -> None:
    """Run the requested measurements."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--million", action="store_true", help="100,000 and 1,000,000 passages, and the growth")
    parser.add_argument("--texts", type=Path, help="a file with a passage a line")
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.engine is not None:
        print(json.dumps(child(given.engine, json.load(sys.stdin))))
        return
    sizes = [100_000, 1_000_000] if given.million else [given.passages]
    if given.texts is not None:
        texts = [text for text in given.texts.read_text(encoding="utf-8").splitlines() if text.strip()]
    else:
        texts = list(generate_passages(sizes[-1]))
    found = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as scratch:
            found.append(measure(texts[:size], Path(scratch)))
    for engine, figures in found[-1].items() if len(found) > 1 else ():
        for what, value in figures.items():
            line(engine, f"{what}: growth", value / found[0][engine][what])


if __name__ == "__main__":
    main()
