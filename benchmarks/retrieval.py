"""How well corpus search finds what it should, beside a plain full-text index.

    python benchmarks/retrieval.py [--embeddings openai:MODEL] FOLDER...

A folder is BEIR-shaped: `corpus.jsonl` (`_id title text`), `queries.jsonl` (`_id text`), `qrels.tsv`. Documents are cut
into passages and searched through `tools.corpus`, as a user's would be; the plain index is SQLite FTS5 with its default
tokenizer over the same titles and texts, whole. A document counts at the rank of its best passage. With embeddings
(`OPENAI_BASE_URL` says where they are) the strategies that use them are measured, too.
"""

import argparse
import asyncio
import json
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.corpus.chunks import chunk
from tools.corpus.embed import embed
from tools.corpus.embeddings import Embedder, embedder
from tools.corpus.indexed import IndexedCorpus
from tools.corpus.records import Changes, Document, Passage
from tools.corpus.strategies import Options
from tools.corpus.writing import IndexWriter

Search = Callable[[str], Awaitable[list[str]]]
DEPTH = 10

STRATEGIES = {
    "default": Options(),
    "hybrid": Options(linked=False),
    "hybrid, ranks": Options(linked=False, fusion="ranks"),
    "keyword": Options(strategy="keyword", linked=False),
    "keyword, linked": Options(strategy="keyword"),
    "vector": Options(strategy="vector", linked=False),
}


class Dataset(NamedTuple):
    """One BEIR-shaped set: documents as (id, title, text), questions as (id, text), relevant ids by question."""

    documents: list[tuple[str, str, str]]
    questions: list[tuple[str, str]]
    relevant: dict[str, set[str]]


def read(folder: Path) -> Dataset:
    """Read a BEIR-shaped folder."""

    def rows(name: str) -> list[dict[str, str]]:
        return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines() if line.strip()]

    relevant: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        question, document, score = line.split("\t")
        if int(score) > 0:
            relevant.setdefault(question, set()).add(document)
    return Dataset(
        [(row["_id"], row.get("title", ""), row["text"]) for row in rows("corpus.jsonl")],
        [(row["_id"], row["text"]) for row in rows("queries.jsonl") if row["_id"] in relevant],
        relevant,
    )


def index(data: Dataset, folder: Path, model: Embedder | None) -> None:
    """Make a corpus of the documents."""

    def cut(title: str, text: str) -> list[Passage]:
        _, pieces = chunk(f"# {title}\n\n{text}\n", markdown=True)
        return [Passage(one.text, one.headings, f"line {one.first}", one.first, one.last) for one in pieces]

    put = [
        (Document(name, f"/{name}", "", len(text), 0, title, "markdown", ""), cut(title, text))
        for name, title, text in data.documents
    ]
    with IndexWriter(folder) as writer:
        writer.apply(Changes(put=put))
        if model is not None:
            embed(writer, model)


def ours(corpus: IndexedCorpus, options: Options) -> Search:
    """Corpus search."""

    async def search(question: str) -> list[str]:
        found = await corpus.search(question, 3 * DEPTH, options=options)
        return list(dict.fromkeys(passage.source for passage in found))[:DEPTH]

    return search


def plain(data: Dataset) -> Search:
    """FTS5 with its default tokenizer (unicode61), the question's words joined by OR."""
    table = sqlite3.connect(":memory:")
    table.execute("CREATE VIRTUAL TABLE documents USING fts5(title, text)")
    table.executemany("INSERT INTO documents VALUES (?, ?)", [document[1:] for document in data.documents])

    async def search(question: str) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", question)))
        found = table.execute(
            "SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY bm25(documents), rowid LIMIT ?",
            (words, DEPTH),
        )
        return [data.documents[number - 1][0] for (number,) in found]

    return search


async def measure(data: Dataset, search: Search) -> dict[str, float]:
    """Recall and hits of a search, and its speed."""
    recall = hit = every = 0.0
    times = []
    for question, text in data.questions:
        start = time.perf_counter()
        found = await search(text)
        times.append(time.perf_counter() - start)
        wanted = data.relevant[question]
        recall += len(wanted & set(found[:5])) / len(wanted)
        hit += bool(wanted & set(found[:5]))
        every += wanted <= set(found)
    count = len(data.questions)
    return {"recall@5": recall / count, "hit@5": hit / count, "all@10": every / count, "p50 ms": median(times) * 1e3}


async def main(folders: list[Path], embeddings: str) -> None:
    """Print one line for each folder and search."""
    columns = ("documents", "questions", "recall@5", "hit@5", "all@10", "p50 ms")
    print(f"{'set':<16}{'search':<20}" + "".join(f"{column:>10}" for column in columns))
    model = await asyncio.to_thread(embedder, embeddings) if embeddings else None
    for folder in folders:
        data = await asyncio.to_thread(read, folder)
        with tempfile.TemporaryDirectory() as scratch:
            await asyncio.to_thread(index, data, Path(scratch), model)
            corpus = IndexedCorpus(Path(scratch), embedder=model)
            searches = {name: ours(corpus, options) for name, options in STRATEGIES.items()}
            if model is not None:  # what is left where it is down or not configured
                searches["default, no model"] = ours(IndexedCorpus(Path(scratch)), Options())
            searches["FTS5 unicode61"] = plain(data)
            for name, search in searches.items():
                got = await measure(data, search)
                sizes = f"{len(data.documents):>10}{len(data.questions):>10}"
                print(f"{folder.name:<16}{name:<20}{sizes}" + "".join(f"{got[one]:>10.3f}" for one in columns[2:]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--embeddings", default="", metavar="PROVIDER:MODEL")
    arguments = parser.parse_args()
    asyncio.run(main(arguments.folders, arguments.embeddings))
