"""How well corpus search finds what it should, beside a plain full-text index.

    python benchmarks/retrieval.py FOLDER...

A folder is BEIR-shaped: `corpus.jsonl` (`_id title text`), `queries.jsonl` (`_id text`), `qrels.tsv`. Each document is
written to a Markdown file and searched through `tools.corpus`, as a user's would be; the plain index is SQLite FTS5
with its default tokenizer over the same titles and texts, whole. A document counts at the rank of its best passage.
"""

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

from tools.corpus import load_corpus

Search = Callable[[str], Awaitable[list[str]]]
DEPTH = 10


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


async def ours(data: Dataset, folder: Path) -> Search:
    """Corpus search over the documents as Markdown files."""
    ids: dict[str, str] = {}
    for number, (document, title, text) in enumerate(data.documents):
        path = folder / f"d{number:06}.md"
        path.write_text(f"# {title}\n\n{text}\n" if title else text, encoding="utf-8")
        ids[path.as_posix()] = document
    corpus = await load_corpus([folder])

    async def search(question: str) -> list[str]:
        found = await corpus.search(question, 3 * DEPTH)
        return list(dict.fromkeys(ids[passage.source] for passage in found))[:DEPTH]

    return search


async def plain(data: Dataset, _: Path) -> Search:
    """FTS5 with its default tokenizer (unicode61), the question's words joined by OR."""
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE documents USING fts5(title, text)")
    index.executemany("INSERT INTO documents VALUES (?, ?)", [document[1:] for document in data.documents])

    async def search(question: str) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", question)))
        found = index.execute(
            "SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY bm25(documents), rowid LIMIT ?",
            (words, DEPTH),
        )
        return [data.documents[number - 1][0] for (number,) in found]

    return search


async def measure(data: Dataset, search: Search) -> dict[str, float]:
    """Recall and hits of a search, and its speed."""
    recall = hit5 = hit10 = 0.0
    times = []
    for question, text in data.questions:
        start = time.perf_counter()
        found = await search(text)
        times.append(time.perf_counter() - start)
        wanted = data.relevant[question]
        recall += len(wanted & set(found[:5])) / len(wanted)
        hit5 += bool(wanted & set(found[:5]))
        hit10 += bool(wanted & set(found))
    count = len(data.questions)
    return {"recall@5": recall / count, "hit@5": hit5 / count, "hit@10": hit10 / count, "p50 ms": median(times) * 1e3}


async def main(folders: list[Path]) -> None:
    """Print one line for each folder and engine."""
    columns = ("documents", "questions", "recall@5", "hit@5", "hit@10", "p50 ms")
    print(f"{'set':<16}{'engine':<16}" + "".join(f"{column:>10}" for column in columns))
    for folder in folders:
        data = await asyncio.to_thread(read, folder)
        for name, engine in (("corpus_search", ours), ("FTS5 unicode61", plain)):
            with tempfile.TemporaryDirectory() as scratch:
                got = await measure(data, await engine(data, Path(scratch)))
            sizes = f"{len(data.documents):>10}{len(data.questions):>10}"
            figures = "".join(f"{got[column]:>10.3f}" for column in columns[2:])
            print(f"{folder.name:<16}{name:<16}{sizes}{figures}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python benchmarks/retrieval.py FOLDER...  (BEIR-shaped: corpus.jsonl queries.jsonl qrels.tsv)")
    asyncio.run(main([Path(argument) for argument in sys.argv[1:]]))
