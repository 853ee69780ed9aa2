"""The vector index: exact nearest neighbours by cosine similarity, in memory (500,000 vectors of 384 take 0.1 s).

A vector belongs to a hash of the embedded text, not to a passage, and its number never changes. So the vectors in
memory only grow: when a document is read again, its unchanged passages keep their vectors. Which passages are visible
is looked up in the store. Passages without a vector are embedded batch by batch, and each batch is saved at once.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

from weiwo.text.printable import one_line
from weiwo.tools.corpus.index.catalog import count_embedded_passages
from weiwo.tools.corpus.index.embedding_models import Embedder, EmbeddingProgress, embed_in_parallel
from weiwo.tools.corpus.index.writer import IndexWriter, compose_embedded_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    Numbers = NDArray[np.int64]

_READ_AT_ONCE: Final = 10_000
_LONGEST_NAME: Final = 80
"""Characters reported of a text that could not be embedded."""


class _Model(NamedTuple):
    """An embedding model in the store."""

    id: int  # row id in the store
    name: str  # as in `Embedder.name`
    dimension: int  # numbers in a vector


def find_model(connection: sqlite3.Connection, name: str) -> _Model | None:
    """Return an embedding model by its name, or None if the store has no record of it."""
    row = connection.execute("SELECT id, name, dimension FROM models WHERE name = ?", (name,)).fetchone()
    return _Model(*row) if row else None


class VectorIndex:
    """The vectors of a model for a corpus, in memory once `refresh` has loaded them.

    Safe to use from any thread.
    """

    def __init__(self, model: _Model) -> None:
        import numpy as np

        self.model = model
        self._lock = Lock()
        self._numbers: Numbers = np.empty(0, np.int64)
        self._matrix: Matrix = np.empty((0, model.dimension), np.float32)

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Load the vectors added since the last refresh."""
        with self._lock:
            last = int(self._numbers[-1]) if len(self._numbers) else 0
            found = connection.execute(
                "SELECT number, vector FROM vectors WHERE number > ? AND model = ? ORDER BY number",
                (last, self.model.id),
            )
            parts = [_unpack(rows, self.model) for rows in iter(lambda: found.fetchmany(_READ_AT_ONCE), [])]
            if parts:
                import numpy as np

                self._numbers = np.concatenate((self._numbers, *(numbers for numbers, _ in parts)))
                self._matrix = np.concatenate((self._matrix, *(matrix for _, matrix in parts)))

    def search(self, vector: "Matrix", limit: int) -> dict[int, float]:
        """Return the cosine similarity of the nearest vectors to a unit vector, by vector number, best first.

        At most `limit` vectors are returned.
        """
        with self._lock:
            numbers, matrix = self._numbers, self._matrix
        return _rank(_take_best(numbers, matrix @ vector, limit), limit)

    def search_among(
        self, connection: sqlite3.Connection, vector: "Matrix", limit: int, among: Sequence[int]
    ) -> dict[int, float]:
        """Run `search` on the vectors with the numbers in `among` only, which are read from the store."""
        found: dict[int, float] = {}
        for start in range(0, len(among), _READ_AT_ONCE):
            rows = connection.execute(
                "SELECT number, vector FROM json_each(?) CROSS JOIN vectors ON number = value",
                (json.dumps(among[start : start + _READ_AT_ONCE]),),
            ).fetchall()
            numbers, matrix = _unpack(rows, self.model)
            found |= _take_best(numbers, matrix @ vector, limit)
        return _rank(found, limit)


def find_living(connection: sqlite3.Connection, numbers: Sequence[int], at: int) -> list[tuple[int, int]]:
    """Return the passages, visible at a generation, to which vectors belong: pairs of passage and vector number.

    Equal passages share a vector, so a vector number may occur several times.
    """
    return connection.execute(
        "SELECT passages.id, number FROM json_each(?) CROSS JOIN vectors ON number = value"
        " CROSS JOIN passages ON passages.key = vectors.key CROSS JOIN documents ON documents.id = document"
        " WHERE born <= ? AND (died IS NULL OR died > ?)",
        (json.dumps(list(numbers)), at, at),
    ).fetchall()


def _take_best(numbers: "Numbers", scores: "Matrix", limit: int) -> dict[int, float]:
    import numpy as np

    if len(scores) > limit:
        best = np.argpartition(-scores, limit - 1)[:limit]
        numbers, scores = numbers[best], scores[best]
    return dict(zip(numbers.tolist(), scores.tolist(), strict=True))


def _rank(found: dict[int, float], limit: int) -> dict[int, float]:
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0]))[:limit])


def _unpack(rows: Sequence[tuple[int, bytes]], model: _Model) -> "tuple[Numbers, Matrix]":
    import numpy as np

    packed = np.frombuffer(b"".join(row[1] for row in rows), "<f2").reshape(len(rows), model.dimension)
    return np.array([row[0] for row in rows], np.int64), packed.astype(np.float32)


_TEXTS_AT_ONCE: Final = 1_000


def embed_passages(
    writer: IndexWriter, model: Embedder, report: Callable[[EmbeddingProgress], None] | None = None
) -> EmbeddingProgress:
    """Embed all passages without a vector of this model, resuming an interrupted run.

    At the end, vectors of other models are deleted. Blocks for as long as the model takes.

    Returns:
        The final progress, with the texts that the model could not embed.

    Raises:
        EmbeddingError: The model failed. The vectors computed until then are kept.
    """
    store = writer.store
    with store.write_transaction() as connection:
        connection.execute("CREATE INDEX IF NOT EXISTS keys ON passages(key)")
    dimension = model.embed_texts(["?"]).shape[1]
    with store.write_transaction() as connection:
        known, replaces = _claim_model(connection, model.name, dimension)
        keys = _find_missing(connection, known)
        done, total = count_embedded_passages(connection, model.name)
    progress = EmbeddingProgress(model.name, done, total, replaces)
    if report is not None:
        report(progress)
    without: list[str] = []
    for batch, vectors in embed_in_parallel(model, _read_texts(writer, keys), without):
        packed = vectors.astype("<f2")
        with store.write_transaction() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO vectors(model, key, vector) VALUES (?, ?, ?)",
                [(known.id, key, row.tobytes()) for key, row in zip(batch, packed, strict=True)],
            )
        progress = EmbeddingProgress(model.name, progress.done + len(batch), total, replaces)
        if report is not None:
            report(progress)
    progress = replace(progress, without=tuple(one_line(text, _LONGEST_NAME) for text in without))
    with store.write_transaction() as connection:
        connection.execute("DELETE FROM vectors WHERE model != ?", (known.id,))
        connection.execute("DELETE FROM models WHERE id != ?", (known.id,))
    # Weiwo 0.1 kept vectors in these files.
    for former in store.path.parent.glob("vectors-*.usearch"):
        former.unlink(missing_ok=True)
    return progress


def _claim_model(connection: sqlite3.Connection, name: str, dimension: int) -> tuple[_Model, str]:
    """Return the model's row in the store, created if necessary, and the name of a replaced model or an empty string.

    If the length of the model's vectors has changed, its old vectors are deleted.
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


def _find_missing(connection: sqlite3.Connection, model: _Model) -> list[int]:
    """Return the passages to embed: one passage number for each distinct embedded text without a vector, in order."""
    rows = connection.execute(
        "SELECT min(passages.id) FROM documents JOIN passages ON passages.id BETWEEN first AND first + count - 1"
        " WHERE died IS NULL AND NOT EXISTS"
        " (SELECT 1 FROM vectors WHERE model = ? AND vectors.key = passages.key) GROUP BY key ORDER BY 1",
        (model.id,),
    )
    return [row[0] for row in rows]


def _read_texts(writer: IndexWriter, passages: list[int]) -> Iterator[tuple[bytes, str]]:
    for start in range(0, len(passages), _TEXTS_AT_ONCE):
        some = passages[start : start + _TEXTS_AT_ONCE]
        with writer.store.read_transaction() as connection:
            rows = connection.execute(
                "SELECT key, title, headings, context, text FROM passages JOIN documents ON documents.id = document"  # noqa: S608  # constants only
                f" WHERE passages.id IN ({', '.join('?' * len(some))})",  # placeholders only
                some,
            ).fetchall()
        for key, title, headings, context, text in rows:
            yield key, compose_embedded_text(title, json.loads(headings), json.loads(context), text)
