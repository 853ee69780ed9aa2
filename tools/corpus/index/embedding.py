"""Incremental embedding: passages that have no vector yet get theirs, batch by batch, each kept at once."""

import sqlite3
from collections.abc import Callable, Iterator
from json import loads
from typing import Final

from weiwo.tools.corpus.index.change_writer import compose_embedded_text
from weiwo.tools.corpus.index.embedding_models import Embedder, EmbeddingProgress, embed_in_parallel
from weiwo.tools.corpus.index.vector_index import StoredModel, find_model
from weiwo.tools.corpus.index.writer import IndexWriter

_READ_AT_ONCE: Final = 1_000


def embed_passages(
    writer: IndexWriter, model: Embedder, report: Callable[[EmbeddingProgress], None] | None = None
) -> EmbeddingProgress:
    """Embed what has no vector of this model yet. Cut off at any moment, it goes on there the next time.

    Once all is done, vectors of other models are deleted. Blocks for as long as the model takes.

    Returns:
        Where it stands at the end.

    Raises:
        EmbeddingError: The model failed; what was done until then is kept.
    """
    store = writer.store
    with store.write_transaction() as connection:
        connection.execute("CREATE INDEX IF NOT EXISTS keys ON passages(key)")
    dimension = model.embed_texts(["?"]).shape[1]
    with store.write_transaction() as connection:
        known, replaces = _claim_model(connection, model.name, dimension)
        keys = _find_missing(connection, known)
        (total,) = connection.execute(
            "SELECT count(DISTINCT key) FROM documents JOIN passages ON passages.id BETWEEN first AND first + count - 1"
            " WHERE died IS NULL"
        ).fetchone()
    progress = EmbeddingProgress(model.name, total - len(keys), total, replaces)
    if report is not None:
        report(progress)
    for batch, vectors in embed_in_parallel(model, _read_texts(writer, keys)):
        packed = vectors.astype("<f2")
        with store.write_transaction() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO vectors(model, key, vector) VALUES (?, ?, ?)",
                [(known.id, key, row.tobytes()) for key, row in zip(batch, packed, strict=True)],
            )
        progress = EmbeddingProgress(model.name, progress.done + len(batch), total, replaces)
        if report is not None:
            report(progress)
    with store.write_transaction() as connection:
        connection.execute("DELETE FROM vectors WHERE model != ?", (known.id,))
        connection.execute("DELETE FROM models WHERE id != ?", (known.id,))
    for former in store.path.parent.glob("vectors-*.usearch"):  # of Weiwo 0.1
        former.unlink(missing_ok=True)
    return progress


def _claim_model(connection: sqlite3.Connection, name: str, dimension: int) -> tuple[StoredModel, str]:
    """The model's entry, made if need be, and the model that it replaces.

    A model that now gives vectors of another length is another model under its old name: it starts afresh.
    """
    replaces = ""
    known = find_model(connection, name)
    if known is not None and known.dimension != dimension:
        replaces = f"{name} ({known.dimension} numbers)"
        connection.execute("DELETE FROM vectors WHERE model = ?", (known.id,))
        connection.execute("DELETE FROM models WHERE id = ?", (known.id,))
        known = None
    if known is None:
        connection.execute("INSERT INTO models(name, dimension) VALUES (?, ?)", (name, dimension))
        known = find_model(connection, name)
        assert known is not None  # noqa: S101  # just made
    other = connection.execute("SELECT name FROM models WHERE id != ? ORDER BY id DESC", (known.id,)).fetchone()
    return known, replaces or (other[0] if other else "")


def _find_missing(connection: sqlite3.Connection, model: StoredModel) -> list[int]:
    """A living passage for each content that has no vector, in order."""
    rows = connection.execute(
        "SELECT min(passages.id) FROM documents JOIN passages ON passages.id BETWEEN first AND first + count - 1"
        " WHERE died IS NULL AND NOT EXISTS"
        " (SELECT 1 FROM vectors WHERE model = ? AND vectors.key = passages.key) GROUP BY key ORDER BY 1",
        (model.id,),
    )
    return [row[0] for row in rows]


def _read_texts(writer: IndexWriter, passages: list[int]) -> Iterator[tuple[bytes, str]]:
    for start in range(0, len(passages), _READ_AT_ONCE):
        some = passages[start : start + _READ_AT_ONCE]
        with writer.store.read_transaction() as connection:
            rows = connection.execute(
                "SELECT key, title, headings, text FROM passages JOIN documents ON documents.id = document"  # noqa: S608  # constants only
                f" WHERE passages.id IN ({', '.join('?' * len(some))})",  # placeholders only
                some,
            ).fetchall()
        for key, title, headings, text in rows:
            yield key, compose_embedded_text(title, loads(headings), text)
