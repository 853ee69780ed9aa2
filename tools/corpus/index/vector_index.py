"""The vector index: exact up to some 100,000 vectors, with an approximate index (usearch, int8) above.

Vectors are kept by the content they stand for, and numbered as they come; a number never changes its meaning. So what
is in memory, or in an approximate index, only ever grows: a document read again keeps the vectors of the passages that
it kept, and which passages are alive is asked of the store.
"""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from weiwo.tools.corpus.index.store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    Numbers = NDArray[np.int64]

_APPROXIMATE_FROM: Final = 100_000
"""Vectors from which an approximate index is made."""

_AROUND: Final = 128
"""How many candidates usearch looks at; `benchmarks/index.py` prints what it misses then."""


_READ_AT_ONCE: Final = 10_000


class StoredModel(NamedTuple):
    """An embedding model, as the store knows it."""

    id: int  # its number
    name: str  # its name
    dimension: int  # numbers in a vector


def find_model(connection: sqlite3.Connection, name: str) -> StoredModel | None:
    """An embedding model whose vectors the store has."""
    row = connection.execute("SELECT id, name, dimension FROM models WHERE name = ?", (name,)).fetchone()
    return StoredModel(*row) if row else None


class VectorIndex:
    """The vectors of one model of one corpus, in memory as far as they must be. Safe to use from any thread."""

    def __init__(self, folder: Path, identity: int, model: StoredModel) -> None:
        import numpy as np

        self.model = model
        self._folder, self._identity = folder, identity
        self._lock = Lock()
        self._numbers: Numbers = np.empty(0, np.int64)
        self._matrix: Matrix = np.empty((0, model.dimension), np.float32)
        self._approximate: Any = None
        self._covered = 0  # numbers up to here are in the approximate index

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Take in the vectors that have come since."""
        with self._lock:
            made = _find_approximate(self._folder, self._identity, self.model)
            if made is not None and made[0] > self._covered:
                self._view(*made)
            last = int(self._numbers[-1]) if len(self._numbers) else self._covered
            numbers, matrix = _load_vectors(connection, self.model, last)
            if len(numbers):
                import numpy as np

                self._numbers = np.concatenate((self._numbers, numbers))
                self._matrix = np.concatenate((self._matrix, matrix))

    def _view(self, covered: int, path: Path) -> None:
        with suppress(ImportError, RuntimeError, OSError):  # not installed, or replaced this moment: search exactly
            from usearch.index import Index

            self._approximate = Index.restore(str(path), view=True)
            self._approximate.expansion_search = _AROUND
            self._covered = covered
            kept = self._numbers > covered
            self._numbers, self._matrix = self._numbers[kept], self._matrix[kept]

    def search(self, connection: sqlite3.Connection, vector: "Matrix", limit: int) -> dict[int, float]:
        """The vectors nearest to one of length one, at most `limit`, by cosine similarity.

        What the approximate index proposes is scored exactly, from disk: its int8 numbers are too coarse to rank by.
        """
        with self._lock:
            numbers, matrix, approximate = self._numbers, self._matrix, self._approximate
        found = _take_best(numbers, matrix @ vector, limit)
        if approximate is not None:
            proposed = approximate.search(vector, max(limit, _AROUND)).keys.tolist()
            found |= self.search_among(connection, vector, limit, proposed)
        return dict(sorted(found.items(), key=lambda one: (-one[1], one[0]))[:limit])

    def search_among(
        self, connection: sqlite3.Connection, vector: "Matrix", limit: int, among: Sequence[int]
    ) -> dict[int, float]:
        """`search` among some numbers only, exactly, from disk."""
        found: dict[int, float] = {}
        for start in range(0, len(among), _READ_AT_ONCE):
            rows = connection.execute(
                "SELECT number, vector FROM json_each(?) CROSS JOIN vectors ON number = value",
                (json.dumps(among[start : start + _READ_AT_ONCE]),),
            ).fetchall()
            numbers, matrix = _unpack(rows, self.model)
            found |= _take_best(numbers, matrix @ vector, limit)
        return dict(sorted(found.items(), key=lambda one: (-one[1], one[0]))[:limit])


def _load_vectors(
    connection: sqlite3.Connection, model: StoredModel, after: int, limit: int = -1
) -> "tuple[Numbers, Matrix]":
    """Numbers and vectors of a model, from a number on; at most `limit` unless that is negative."""
    rows = connection.execute(
        "SELECT number, vector FROM vectors WHERE number > ? AND model = ? ORDER BY number LIMIT ?",
        (after, model.id, limit),
    ).fetchall()
    return _unpack(rows, model)


def find_living(connection: sqlite3.Connection, numbers: Sequence[int], at: int) -> list[tuple[int, int]]:
    """Passages that a reader at a generation sees, with the number of their vector."""
    return connection.execute(
        "SELECT passages.id, number FROM json_each(?) CROSS JOIN vectors ON number = value"
        " CROSS JOIN passages ON passages.key = vectors.key CROSS JOIN documents ON documents.id = document"
        " WHERE born <= ? AND (died IS NULL OR died > ?)",
        (json.dumps(list(numbers)), at, at),
    ).fetchall()


def _find_approximate(folder: Path, identity: int, model: StoredModel) -> tuple[int, Path] | None:
    """The newest approximate index of a model, and the last number it covers."""
    made = [(int(path.stem.rpartition("-")[2]), path) for path in folder.glob(_name_file(identity, model, "*"))]
    return max(made, default=None)


def build_approximate(store: Store, model: StoredModel) -> Path | None:
    """Make an approximate index where there are vectors enough, and enough new ones. Needs the writer's lock.

    Returns:
        Its file; None if none was made, or usearch is not installed.
    """
    folder, identity = store.path.parent, store.read_identity()
    made = _find_approximate(folder, identity, model)
    with store.read_transaction() as connection:
        count, last = connection.execute(
            "SELECT count(*), max(number) FROM vectors WHERE model = ?", (model.id,)
        ).fetchone()
        covered = made[0] if made else 0
        new = connection.execute(
            "SELECT count(*) FROM vectors WHERE model = ? AND number > ?", (model.id, covered)
        ).fetchone()[0]
        if count < _APPROXIMATE_FROM or new < count // 10:
            return None
        try:
            from usearch.index import Index
        except ImportError:
            return None
        index = Index(ndim=model.dimension, metric="cos", dtype="i8")
        after = 0
        while after < last:
            numbers, matrix = _load_vectors(connection, model, after, _READ_AT_ONCE)
            index.add(numbers.astype("uint64"), matrix)
            after = int(numbers[-1])
    path = folder / _name_file(identity, model, str(last))
    unfinished = path.with_suffix(".unfinished")
    index.save(str(unfinished))
    unfinished.replace(path)
    for old in folder.glob(_name_file(identity, model, "*")):
        if old != path:
            old.unlink(missing_ok=True)
    return path


def _take_best(numbers: "Numbers", scores: "Matrix", limit: int) -> dict[int, float]:
    import numpy as np

    if len(scores) > limit:
        best = np.argpartition(-scores, limit - 1)[:limit]
        numbers, scores = numbers[best], scores[best]
    return dict(zip(numbers.tolist(), scores.tolist(), strict=True))


def _unpack(rows: Sequence[tuple[int, bytes]], model: StoredModel) -> "tuple[Numbers, Matrix]":
    import numpy as np

    packed = np.frombuffer(b"".join(row[1] for row in rows), "<f2").reshape(len(rows), model.dimension)
    return np.array([row[0] for row in rows], np.int64), packed.astype(np.float32)


def _name_file(identity: int, model: StoredModel, last: str) -> str:
    return f"vectors-{identity:x}-{model.id}-{last}.usearch"
