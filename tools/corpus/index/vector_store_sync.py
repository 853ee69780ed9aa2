"""One-way sync of a corpus into a LangChain vector store, limited to changes.

With it, documents indexed on one machine can be searched from many, in Postgres, Qdrant or another store. The passages
added to the store are recorded in the corpus, batch by batch. After an interruption at any moment, the next run resumes
there.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Any, Final

from weiwo.text.printable import one_line, redact_secrets
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.writer import IndexWriter

_BATCH: Final = 64
_ATTEMPTS: Final = 3
"""Calls for one batch, waiting 1 and 4 seconds between them."""

_NOTES: Final = (
    "CREATE TABLE IF NOT EXISTS published"
    "(target TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY(target, id)) WITHOUT ROWID"
)


@dataclass(frozen=True, slots=True)
class _SyncReport:
    """The result of a sync."""

    added: int  # passages added to the store
    removed: int  # passages deleted from the store
    total: int  # passages of this corpus now in the store


def sync_vector_store(
    writer: IndexWriter, name: str, target: object, *, sleep: Callable[[float], None] = time.sleep
) -> _SyncReport:
    """Update a vector store from a corpus. Blocks for as long as the store takes.

    Entries added by others stay.

    Raises:
        CorpusError: The target is no vector store, or calls keep failing. The entries accepted until then are recorded.
    """
    from langchain_core.documents import Document
    from langchain_core.vectorstores import VectorStore

    if not isinstance(target, VectorStore):
        raise CorpusError(f"{name} is a {type(target).__name__}, which accepts no documents; name a vector store")
    store = writer.store
    with store.write_transaction() as connection:
        connection.execute(_NOTES)
        known = {row[0] for row in connection.execute("SELECT id FROM published WHERE target = ?", (name,))}
    with store.read_transaction() as connection:
        there = dict(_list_passages(connection))
    lacking, gone = iter([item for item in there if item not in known]), iter(sorted(known - there.keys()))
    added = removed = 0
    while batch := list(islice(lacking, _BATCH)):
        with store.read_transaction() as connection:
            rows = _read_rows(connection, [there[item] for item in batch])
        documents = [
            Document(id=item, page_content=rows[there[item]][0], metadata=rows[there[item]][1]) for item in batch
        ]
        _retry(name, lambda: target.add_documents(documents, ids=batch), sleep)  # noqa: B023  # called at once
        with store.write_transaction() as connection:
            connection.executemany("INSERT OR IGNORE INTO published VALUES (?, ?)", [(name, item) for item in batch])
        added += len(batch)
    while batch := list(islice(gone, _BATCH)):
        _retry(name, lambda: target.delete(batch), sleep)  # the same
        with store.write_transaction() as connection:
            connection.executemany(
                "DELETE FROM published WHERE target = ? AND id = ?", [(name, item) for item in batch]
            )
        removed += len(batch)
    return _SyncReport(added, removed, len(there))


def _list_passages(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """Yield a stable id and the number of each visible passage.

    The id, a UUID, is a hash of source, locator and text.
    """
    for number, source, locator, key in connection.execute(
        "SELECT passages.id, source, locator, hash FROM documents JOIN passages"
        " ON passages.id BETWEEN first AND first + count - 1 WHERE died IS NULL ORDER BY passages.id"
    ):
        # Every store accepts an id in UUID form.
        digest = sha256(f"{source}\n{locator}\n{key}".encode("utf-8", "surrogatepass")).hexdigest()
        yield f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}", number


def _read_rows(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, tuple[str, dict[str, Any]]]:
    """Return the text and metadata of passages, by number.

    Empty metadata fields are left out, since some stores accept no null.
    """
    found = connection.execute(
        "SELECT passages.id, text, source, title, locator, date, documents.type, language, page,"
        " (SELECT group_concat(value, ' › ') FROM json_each(headings)) FROM json_each(?)"
        " CROSS JOIN passages ON passages.id = value CROSS JOIN documents ON documents.id = document",
        (json.dumps(list(numbers)),),
    )
    names = ("source", "title", "locator", "date", "type", "language", "page", "section")
    return {
        number: (text, {name: value for name, value in zip(names, known, strict=True) if value not in {None, ""}})
        for number, text, *known in found
    }


def _retry(name: str, call: Callable[[], object], sleep: Callable[[float], None]) -> None:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            call()
        except Exception as error:
            if attempt == _ATTEMPTS:
                said = one_line(redact_secrets(f"{type(error).__name__}: {error}"), 200)
                raise CorpusError(
                    f"{name}: {said}; check that it is running, then run the command again to continue"
                ) from error
            sleep(attempt**2)
        else:
            return
