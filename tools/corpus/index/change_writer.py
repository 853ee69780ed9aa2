"""The writer of a batch of changes to a store, within one transaction."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from weiwo.state import passage_id
from weiwo.text.mentions import title_key
from weiwo.tools.corpus.losses import encode_losses
from weiwo.tools.corpus.records import READER, Changes, Document, Passage


class ChangeWriter:
    """The writer of a batch, within one transaction."""

    def __init__(self, connection: sqlite3.Connection, now: int) -> None:
        self._connection = connection
        self._now = now

    def write(self, changes: Changes) -> None:
        """Take over a batch; see `weiwo.tools.corpus.records.Changes`."""
        gone = {*changes.removed, *(failed.path for failed in changes.failed), *(one.path for one, _ in changes.put)}
        self._forget(gone)
        for document, passages in changes.put:
            self._put(document, passages)
        for table, living in (("documents", " AND died IS NULL"), ("failures", "")):
            self._connection.executemany(
                f"UPDATE {table} SET source = ?, sha256 = ?, size = ?, modified_ns = ? WHERE path = ?{living}",  # noqa: S608  # constants only
                [(one.source, one.sha256, one.size, one.modified_ns, one.path) for one in changes.touched],
            )
        self._connection.executemany(
            "INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?)",
            [(one.path, one.source, one.sha256, one.size, one.modified_ns, one.problem) for one in changes.failed],
        )

    def _forget(self, paths: Iterable[str]) -> None:
        rows = [(path,) for path in paths]
        self._connection.executemany(
            f"UPDATE documents SET died = {self._now} WHERE path = ? AND died IS NULL",  # noqa: S608  # a number
            rows,
        )
        self._connection.executemany("DELETE FROM failures WHERE path = ?", rows)

    def _put(self, one: Document, passages: Sequence[Passage]) -> None:
        execute = self._connection.execute
        row = execute("SELECT seq FROM sqlite_sequence WHERE name = 'passages'").fetchone()
        first = (row[0] if row else 0) + 1
        number = execute(
            "INSERT INTO documents(path, source, sha256, size, modified_ns, title, title_key, type, language, date,"
            " first, count, born, losses, reader) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                one.path,
                one.source,
                one.sha256,
                one.size,
                one.modified_ns,
                one.title,
                title_key(one.title),
                one.type,
                one.language,
                one.date,
                first,
                len(passages),
                self._now,
                encode_losses(one.losses),
                READER,
            ),
        ).lastrowid
        self._connection.executemany(
            "INSERT INTO passages(document, hash, key, headings, locator, first_line, last_line, page, text)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    number,
                    passage_id(each.text),
                    _hash_embedded_text(one.title, each),
                    json.dumps(each.headings, ensure_ascii=False),
                    each.locator,
                    each.first_line,
                    each.last_line,
                    each.page,
                    each.text,
                )
                for each in passages
            ],
        )


def compose_embedded_text(title: str, headings: Iterable[str], text: str) -> str:
    """The text that is embedded for a passage: title, headings and words."""
    return "\n".join(filter(None, (title, " / ".join(headings), text)))


def _hash_embedded_text(title: str, passage: Passage) -> bytes:
    text = compose_embedded_text(title, passage.headings, passage.text)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
