"""Benchmark of corpus search, compared with a plain full-text index.

    python benchmarks/retrieval.py [--embeddings openai:MODEL] FOLDER...

A folder is BEIR-shaped: `corpus.jsonl` (`_id title text`), `queries.jsonl` (`_id text`), `qrels.tsv`. Documents are cut
into passages and searched through `corpus`, as a user's would be. The plain index is SQLite FTS5 with its default
tokenizer over the same titles and texts, whole. A document counts at the rank of its best passage. With embeddings
(`OPENAI_BASE_URL` says where they are) the strategies that use them are measured, too. `default` is the setup of a
user, who is spared a model that does not know the language of the documents.
"""

import argparse
import asyncio
import json
import re
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from weiwo.text.chunking import chunk_text
from weiwo.text.language_detection import detect_language
from weiwo.tools.corpus.index.embedding_models import Embedder, load_embedder
from weiwo.tools.corpus.index.language_fit import assess_fit
from weiwo.tools.corpus.index.vector_index import embed_passages
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes, Document, Passage
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus
from weiwo.tools.corpus.retrieval.score_fusion import SearchOptions

Search = Callable[[str], Awaitable[list[str]]]
DEPTH = 10

STRATEGIES = {
    "default": SearchOptions(),
    "hybrid": SearchOptions(linked=False),
    "keyword": SearchOptions(strategy="keyword", linked=False),
    "keyword, linked": SearchOptions(strategy="keyword"),
    "vector": SearchOptions(strategy="vector", linked=False),
}


class Dataset(NamedTuple):
    """A BEIR-shaped set: documents as (id, title, text), questions as (id, text), and relevant ids.

    The relevant ids are listed by question.
    """

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


def index(data: Dataset, folder: Path, model: Embedder | None) -> bool:
    """Index the documents, and report whether the model knows the language of the documents.

    Only then would a user be given the model.
    """

    def cut(title: str, text: str) -> list[Passage]:
        _, pieces = chunk_text(f"# {title}\n\n{text}\n", markdown=True)
        return [Passage(piece.text, piece.headings, f"line {piece.first}", piece.first, piece.last) for piece in pieces]

    put = [
        (Document(name, f"/{name}", "", len(text), 0, title, "markdown", detect_language(text)), cut(title, text))
        for name, title, text in data.documents
    ]
    with IndexWriter(folder) as writer:
        writer.apply(Changes(put=put))
        if model is None:
            return True
        embed_passages(writer, model)
        return assess_fit(writer.store, model).is_trusted


def ours(corpus: IndexedCorpus, options: SearchOptions) -> Search:
    """Corpus search."""

    async def search(question: str) -> list[str]:
        found = await corpus.search(question, 3 * DEPTH, options=options)
        return list(dict.fromkeys(passage.source for passage in found))[:DEPTH]

    return search


def plain(data: Dataset) -> Search:
    """Search with FTS5 and the default tokenizer (unicode61), the question's words joined by OR."""
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
    """Measure recall, hits and speed of a search."""
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
    """Print a line for each folder and search."""
    columns = ("documents", "questions", "recall@5", "hit@5", "all@10", "p50 ms")
    print(f"{'set':<16}{'search':<20}" + "".join(f"{column:>10}" for column in columns))
    model = await asyncio.to_thread(load_embedder, embeddings) if embeddings else None
    for folder in folders:
        data = await asyncio.to_thread(read, folder)
        with tempfile.TemporaryDirectory() as scratch:
            trusted = await asyncio.to_thread(index, data, Path(scratch), model)
            corpus = IndexedCorpus(Path(scratch), embedder=model)
            searches = {name: ours(corpus, options) for name, options in STRATEGIES.items()}
            if not trusted:
                searches["default"] = ours(IndexedCorpus(Path(scratch)), STRATEGIES["default"])
            if model is not None:  # what is left where it is down or not configured
                searches["default, no model"] = ours(IndexedCorpus(Path(scratch)), SearchOptions())
            searches["FTS5 unicode61"] = plain(data)
            for name, search in searches.items():
                got = await measure(data, search)
                sizes = f"{len(data.documents):>10}{len(data.questions):>10}"
                print(
                    f"{folder.name:<16}{name:<20}{sizes}" + "".join(f"{got[column]:>10.3f}" for column in columns[2:])
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--embeddings", default="", metavar="PROVIDER:MODEL")
    arguments = parser.parse_args()
    asyncio.run(main(arguments.folders, arguments.embeddings))
