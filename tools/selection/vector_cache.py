"""Cache of embeddings in an SQLite file, keyed by model and by the hash of the embedded text.

Tool descriptions and past questions recur in every process, so each is embedded once. A run does not wait until all
tools are embedded: it ranks without vectors until then.
"""

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np

from weiwo.state.errors import WeiwoError
from weiwo.text.printable import one_line, redact_secrets
from weiwo.tools.selection.sparse_index import Matrix
from weiwo.tools.sqlite_files import open_database

_log: Final = logging.getLogger(__name__)

_EmbedMany = Callable[[Iterator[tuple[bytes, str]]], Iterator[tuple[list[bytes], Matrix]]]
"""Embeds pairs of key and text, and yields batches of keys with their vectors as rows."""

_MOST_VECTORS: Final = 50_000
"""Limit of the vectors in the file. Above it, the older half is deleted."""
_BUSY_SECONDS: Final = 5.0
_AT_ONCE: Final = 500
_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS vectors(id INTEGER PRIMARY KEY, model TEXT, key BLOB, vector BLOB, UNIQUE(model, key))"
)


class VectorsMissingError(WeiwoError):
    """Error raised if not all texts have been embedded yet."""


class VectorCache:
    """Cached vectors of a single model.

    Safe to use from any thread. Several processes may use one file.

    Args:
        path: The file. It is created if missing. If it cannot be created, nothing is stored.
        model: The model's name.
        embed: Embeds texts with the model.
    """

    def __init__(self, path: Path, model: str, embed: _EmbedMany) -> None:
        self._path, self._model, self._embed = path, model, embed
        self._filling = threading.Lock()

    def fill(self, texts: Sequence[str], report: Callable[[int, int], None] | None = None) -> Matrix:
        """Return the vectors of texts as rows, after embedding missing texts.

        New vectors are stored batch by batch. After each batch, `report` is called with the number of texts that have a
        vector and the total number.

        Raises:
            Exception: The error raised by the embedding. Vectors made until then are kept.
        """
        keys = [_key(text) for text in texts]
        known = self._read(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        for made, vectors in self._embed(iter(missing.items())):
            found = dict(zip(made, vectors, strict=True))
            self._keep(found)
            known |= found
            if report is not None:
                report(len(known), len(set(keys)))
        return np.stack([known[key] for key in keys])

    def ready(self, texts: Sequence[str]) -> Matrix:
        """Return the vectors of texts as rows without waiting for the embedding model.

        Raises:
            VectorsMissingError: Some vectors are missing. They are being embedded in a background thread.
        """
        keys = [_key(text) for text in texts]
        known = self._read(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            threading.Thread(target=self._fill_behind, args=(missing,), name="tool-vectors", daemon=True).start()
            raise VectorsMissingError
        return np.stack([known[key] for key in keys])

    def keep(self, text: str, vector: Matrix) -> None:
        """Store the vector of a text that was embedded elsewhere."""
        self._keep({_key(text): vector})

    def _fill_behind(self, missing: Mapping[bytes, str]) -> None:
        if self._filling.acquire(blocking=False):
            try:
                for made, vectors in self._embed(iter(missing.items())):
                    self._keep(dict(zip(made, vectors, strict=True)))
            except Exception as error:  # noqa: BLE001 - whatever an embedding model raises, tools are ranked without it
                told = one_line(redact_secrets(f"{type(error).__name__}: {error}"), 200)
                _log.warning("tools are ranked without %s, which cannot embed them: %s", self._model, told)
            finally:
                self._filling.release()

    def _read(self, keys: Iterable[bytes]) -> dict[bytes, Matrix]:
        found: dict[bytes, Matrix] = {}
        with suppress(sqlite3.Error), closing(self._open()) as connection:
            wanted = list(dict.fromkeys(keys))
            for start in range(0, len(wanted), _AT_ONCE):
                some = wanted[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = connection.execute(
                    f"SELECT key, vector FROM vectors WHERE model = ? AND key IN ({marks})",  # noqa: S608 - marks alone
                    (self._model, *some),
                )
                found |= {key: np.frombuffer(vector, "<f2").astype(np.float32) for key, vector in rows}
        return found

    def _keep(self, vectors: Mapping[bytes, Matrix]) -> None:
        rows = [(self._model, key, vector.astype("<f2").tobytes()) for key, vector in vectors.items()]
        with suppress(sqlite3.Error), closing(self._open()) as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO vectors(model, key, vector) VALUES (?, ?, ?)", rows)
            (count,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
            if count > _MOST_VECTORS:
                oldest = "SELECT id FROM vectors ORDER BY id LIMIT ?"
                connection.execute(f"DELETE FROM vectors WHERE id IN ({oldest})", (count // 2,))  # noqa: S608 - ours

    def _open(self) -> sqlite3.Connection:
        connection = open_database(self._path, _BUSY_SECONDS)
        connection.execute(_TABLE)
        return connection


def _key(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]
