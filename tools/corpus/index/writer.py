"""Index writer: a single writer per corpus, across processes.

The operating system releases the lock when its process ends, killed or not. A batch is durable once SQLite has
committed it. The keyword index is updated after that, in the same thread, and commits after many passages, some
seconds, or on `flush`. The part missing after a kill is added when the corpus is opened next.
"""

import json
import shutil
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from weiwo.state import passage_id
from weiwo.text.mentions import title_key
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.keyword_index import KeywordIndex
from weiwo.tools.corpus.index.store import STORE, Store, read_generation
from weiwo.tools.corpus.losses import encode_losses
from weiwo.tools.corpus.records import READER, Changes, Document, KnownFile, Passage
from weiwo.tools.file_lock import FileLock
from weiwo.tools.private_files import make_private_folder

_LOCK: Final = "writer.lock"
_COMMIT_EVERY: Final = 50_000
"""Passages after which the keyword index is committed. A commit blocks writing, and frequent commits leave many
segments, which slows down searching."""
_COMMIT_SECONDS: Final = 5.0
"""Seconds since the last commit after which the next batch commits."""
_POLL_SECONDS: Final = 0.05


class BusyError(CorpusError):
    """Error: another process is writing. The message is a single line."""


def _take_writer_lock(folder: Path, wait_seconds: float = 0.0) -> FileLock:
    """Take the writer lock of an existing corpus folder.

    Raises:
        BusyError: Another writer had the lock for the whole waiting time.
    """
    until = time.monotonic() + wait_seconds
    while True:
        try:
            lock = FileLock(folder / _LOCK)
        except BlockingIOError as held:
            if time.monotonic() >= until:
                by = f"process {held}" if str(held) else "another process"
                raise BusyError(f"index {folder} is in use by {by}; wait until it is done, or stop it") from None
            time.sleep(_POLL_SECONDS)
        else:
            lock.sign()
            return lock


class IndexWriter:
    """Writer for a corpus folder, used as a context manager from a single thread."""

    def __init__(self, folder: Path, *, wait_seconds: float = 0.0) -> None:
        """Take the lock, waiting up to `wait_seconds`, and update the keyword index from the store.

        A missing corpus is created.

        Raises:
            BusyError: Another process is writing.
            CorpusError: The folder cannot be used.
        """
        try:
            make_private_folder(folder)
            self._lock = _take_writer_lock(folder, wait_seconds)
        except OSError as error:
            raise CorpusError(f"index {folder}: {error.strerror or error}; choose another folder") from None
        try:
            self.store = Store(folder / STORE)
            self._keyword = _open_keyword_index(folder, self.store.read_identity())
            self._update = self._keyword.begin_update()
            self._committed_at = time.monotonic()
            self.flush()
            self._keyword.delete_stale()
        except BaseException:
            self._lock.release()
            raise

    def read_known(self) -> Mapping[str, KnownFile]:
        """Return the files known to the index, by absolute path."""
        return self.store.read_known()

    def apply(self, changes: Changes) -> int:
        """Apply a batch of changes durably, and return the new generation.

        Once this returns, the batch survives a kill. Readers see it after a `flush`. A batch calls it by itself some
        seconds after the last one, or when very many passages are waiting.
        """
        generation = _apply_changes(self.store, changes)
        self._update.add_changes(self.store, generation)
        late = time.monotonic() - self._committed_at > _COMMIT_SECONDS
        if late or self._update.pending >= _COMMIT_EVERY:
            self.flush()
        return generation

    def flush(self) -> int:
        """Make all batches visible to readers, and return the visible generation."""
        self._update.add_changes(self.store, self.store.read_generation())
        shown = self._update.commit()
        self.store.delete_dead(shown)
        self._committed_at = time.monotonic()
        return shown

    def close(self) -> None:
        """Flush, and release the lock."""
        try:
            self.flush()
            self._update.close()
        finally:
            self.store.close()
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def remove_corpus(folder: Path) -> None:
    """Remove a corpus's folder under the lock, starting with the store.

    Without its store the folder is no corpus.

    Raises:
        BusyError: Another process is writing.
        CorpusError: There is no such corpus, or its files cannot be deleted.
    """
    if not folder.is_dir():
        raise CorpusError("it does not exist")
    try:
        lock = _take_writer_lock(folder, 0.0)
        try:
            for file in (STORE, f"{STORE}-wal", f"{STORE}-shm"):
                (folder / file).unlink(missing_ok=True)
        finally:
            lock.release()
        shutil.rmtree(folder)
    except OSError as error:
        raise CorpusError(f"it cannot be deleted: {error.strerror or error}") from None


def _open_keyword_index(folder: Path, identity: int) -> KeywordIndex:
    try:
        return KeywordIndex(folder, identity)
    except (ValueError, OSError):
        # The index files are broken, but can be rebuilt from the store.
        for broken in folder.glob("keyword-*"):
            shutil.rmtree(broken, ignore_errors=True)
        return KeywordIndex(folder, identity)


def catch_up_index(folder: Path, *, wait_seconds: float = 0.0) -> None:
    """Update the keyword index of a corpus from the store, or do nothing if another writer keeps the lock."""
    with suppress(BusyError):
        IndexWriter(folder, wait_seconds=wait_seconds).close()


def _apply_changes(store: Store, changes: Changes) -> int:
    """Apply a batch within a transaction, and return the new generation."""
    gone = {*changes.removed, *(failed.path for failed in changes.failed), *(item.path for item, _ in changes.put)}
    with store.write_transaction() as connection:
        now = read_generation(connection) + 1
        connection.execute("UPDATE meta SET value = ? WHERE name = 'generation'", (now,))
        rows = [(path,) for path in gone]
        connection.executemany(
            f"UPDATE documents SET died = {now} WHERE path = ? AND died IS NULL",  # noqa: S608  # a number
            rows,
        )
        connection.executemany("DELETE FROM failures WHERE path = ?", rows)
        for document, passages in changes.put:
            _put_document(connection, document, passages, now)
        for table, living in (("documents", " AND died IS NULL"), ("failures", "")):
            connection.executemany(
                f"UPDATE {table} SET source = ?, sha256 = ?, size = ?, modified_ns = ? WHERE path = ?{living}",  # noqa: S608  # constants only
                [(file.source, file.sha256, file.size, file.modified_ns, file.path) for file in changes.touched],
            )
        connection.executemany(
            "INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?)",
            [
                (item.path, item.source, item.sha256, item.size, item.modified_ns, item.problem)
                for item in changes.failed
            ],
        )
    return now


def _put_document(connection: sqlite3.Connection, document: Document, passages: Sequence[Passage], now: int) -> None:
    execute = connection.execute
    row = execute("SELECT seq FROM sqlite_sequence WHERE name = 'passages'").fetchone()
    first = (row[0] if row else 0) + 1
    number = execute(
        "INSERT INTO documents(path, source, sha256, size, modified_ns, title, title_key, type, language, date,"
        " first, count, born, losses, reader) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            document.path,
            document.source,
            document.sha256,
            document.size,
            document.modified_ns,
            document.title,
            title_key(document.title),
            document.type,
            document.language,
            document.date,
            first,
            len(passages),
            now,
            encode_losses(document.losses),
            READER,
        ),
    ).lastrowid
    connection.executemany(
        "INSERT INTO passages(document, hash, key, headings, locator, first_line, last_line, page, text, context)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                number,
                passage_id(each.text),
                _hash_embedded_text(document.title, each),
                _encode_headings(each.headings),
                each.locator,
                each.first_line,
                each.last_line,
                each.page,
                each.text,
                json.dumps(dict(each.context), ensure_ascii=False) if each.context else "{}",
            )
            for each in passages
        ],
    )
    connection.executemany(
        "INSERT INTO tables(document, name, facts, data) VALUES (?, ?, ?, ?)",
        [(number, table.name, table.facts, table.data) for table in document.tables],
    )


@lru_cache(maxsize=1_024)
def _encode_headings(headings: tuple[str, ...]) -> str:
    """Encode the headings above a passage as JSON. Cached, since passages of a section have equal headings."""
    return json.dumps(headings, ensure_ascii=False)


def compose_embedded_text(title: str, headings: Iterable[str], context: Mapping[str, str], text: str) -> str:
    """Compose the embedded text of a passage: title, headings, context and text."""
    return "\n".join(filter(None, (title, " / ".join(headings), *context.values(), text)))


def _hash_embedded_text(title: str, passage: Passage) -> bytes:
    text = compose_embedded_text(title, passage.headings, passage.context, passage.text)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
