"""Retrieval telemetry: the outcome of each search, stored only beside the searched corpus.

A search puts a record into a bounded queue, and a thread writes the records in batches. If it cannot (the disk is full,
the folder is read-only), records are dropped, and searching continues. The oldest records are deleted above
`_MOST_RECORDS`. With `WEIWO_TELEMETRY=off` nothing is recorded.

The answer's citations serve as relevance labels that nobody has to make by hand. A record holds the id of the run that
searched (from `current_call`). When the answer of the run is written, `label_citations` records the cited evidence.
"""

import atexit
import json
import logging
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Event, Lock, Thread
from typing import Any, Final

from weiwo.text.printable import one_line
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.sqlite_files import open_database, open_read_only, use_write_ahead_log

_FILE: Final = "telemetry.sqlite"
_MOST_RECORDS: Final = 20_000
"""Records kept, some 25 MB."""
_WAITING: Final = 1_000
"""Maximum number of records waiting to be written. Further ones are dropped."""
LONGEST_QUERY: Final = 500

_AT_ONCE: Final = 200
_GATHER_SECONDS: Final = 0.5
_PRUNED_EVERY: Final = 256
_REST_SECONDS: Final = 60.0
"""Time without writing after a failure."""
_BUSY_SECONDS: Final = 2.0
_EXIT_SECONDS: Final = 1.0
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS retrievals(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,      -- seconds since 1970
    run TEXT NOT NULL,     -- id of the run that searched; empty if none
    record TEXT NOT NULL,  -- a JSON object
    passages TEXT NOT NULL,  -- a JSON list of evidence ids, best first
    cited TEXT             -- those of them that the run's answer cites; NULL until the run has ended
);
CREATE INDEX IF NOT EXISTS runs ON retrievals(run) WHERE cited IS NULL
"""
_log: Final = logging.getLogger(__name__)


_Write = Callable[[sqlite3.Connection], None]


class TelemetryRecorder:
    """The telemetry recorder of a corpus.

    Safe to use from any thread. No call except `flush` waits for the disk.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / _FILE  # the database, created with the first record
        self.dropped = 0  # records that could not be written
        self._queue: Queue[_Write | Event] = Queue(_WAITING)
        self._lock = Lock()
        self._thread: Thread | None = None
        self._resting_until = 0.0
        self._since_pruned = _PRUNED_EVERY

    def record(self, at: float, record: Mapping[str, Any], passages: Sequence[str] = (), run: str = "") -> None:
        """Queue a retrieval to be stored soon.

        Args:
            at: Time of the retrieval, in seconds since 1970.
            record: Its data as JSON values, made by `routed_corpus`.
            passages: Ids of the evidence found, best first.
            run: Id of the run that searched. Empty if none.
        """
        self._enqueue_write(partial(self._insert, (at, run, _encode(record), _encode(passages))))

    def label_citations(self, run: str, evidence_ids: Iterable[str], *, replanned: bool = False) -> None:
        """Label the unlabelled retrievals of a run with the citations in the answer.

        `replanned` tells whether the plan of the run had to be made anew.
        """
        if run:
            self._enqueue_write(partial(_write_label, run=run, ids=frozenset(evidence_ids), replanned=replanned))

    def flush(self, seconds: float = 5.0) -> bool:
        """Wait until all earlier items are written or dropped. Return False if the time ran out first."""
        if self._thread is None:
            return True
        done = Event()
        try:
            self._queue.put(done, timeout=seconds)
        except Full:
            return False
        return done.wait(seconds)

    def _enqueue_write(self, item: _Write) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._write_in_turn, name="retrieval-telemetry", daemon=True)
                self._thread.start()
        try:
            self._queue.put_nowait(item)
        except Full:
            self.dropped += 1

    def _write_in_turn(self) -> None:
        while True:
            items = self._gather()
            writes = [item for item in items if not isinstance(item, Event)]
            if writes and not self._write(writes):
                self.dropped += len(writes)
            for item in items:
                if isinstance(item, Event):
                    item.set()

    def _gather(self) -> list[_Write | Event]:
        """Collect items for a moment, to write in batches.

        Rare writes slow the searches down less than immediate ones.
        """
        items = [self._queue.get()]
        until = time.monotonic() + _GATHER_SECONDS
        while len(items) < _AT_ONCE and not isinstance(items[-1], Event):
            try:
                items.append(self._queue.get(timeout=max(0.0, until - time.monotonic())))
            except Empty:
                break
        return items

    def _write(self, writes: Sequence[_Write]) -> bool:
        if time.monotonic() < self._resting_until:
            return False
        try:
            with closing(open_database(self.path, _BUSY_SECONDS)) as connection, connection:
                use_write_ahead_log(connection)
                for statement in _SCHEMA.split(";\n"):
                    connection.execute(statement)
                for write in writes:
                    write(connection)
                self._prune(connection)
        except Exception as error:  # noqa: BLE001  # no error may end the thread
            self._resting_until = time.monotonic() + _REST_SECONDS
            words = one_line(f"{type(error).__name__}: {error}", 200)
            _log.warning("%s cannot be written (%s); searches of the next minute are not recorded", self.path, words)
            return False
        return True

    def _insert(self, row: tuple[float, str, str, str], connection: sqlite3.Connection) -> None:
        self._since_pruned += 1
        connection.execute("INSERT INTO retrievals(at, run, record, passages) VALUES (?, ?, ?, ?)", row)

    def _prune(self, connection: sqlite3.Connection) -> None:
        if self._since_pruned >= _PRUNED_EVERY:
            connection.execute(
                "DELETE FROM retrievals WHERE id <= (SELECT max(id) FROM retrievals) - ?", (_MOST_RECORDS,)
            )
            self._since_pruned = 0


def _write_label(connection: sqlite3.Connection, *, run: str, ids: frozenset[str], replanned: bool) -> None:
    rows = connection.execute("SELECT id, passages FROM retrievals WHERE run = ? AND cited IS NULL", (run,))
    for number, passages in rows.fetchall():
        cited = _encode([load for load in json.loads(passages) if load in ids])
        connection.execute("UPDATE retrievals SET cited = ? WHERE id = ?", (cited, number))
        if replanned:
            connection.execute(
                "UPDATE retrievals SET record = json_set(record, '$.replanned', json('true')) WHERE id = ?", (number,)
            )


def _encode(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)  # as ASCII, since a question may hold lone surrogates


_recorders: Final[dict[Path, TelemetryRecorder]] = {}
_guard: Final = Lock()


def get_recorder(folder: Path) -> TelemetryRecorder:
    """Return the recorder of a corpus folder, shared within the process.

    Pending records are written at exit.
    """
    with _guard:
        if not _recorders:
            atexit.register(_flush_recorders)
        return _recorders.setdefault(folder.absolute(), TelemetryRecorder(folder))


def label_citations(run: str, evidence_ids: Iterable[str], *, replanned: bool = False) -> None:
    """Send the citations of a run's answer to all recorders. Does not wait, and never fails.

    Args:
        run: The run's id.
        evidence_ids: Ids of the evidence that its answer cites. Empty if it has no answer.
        replanned: Whether its plan had to be made anew.
    """
    ids = tuple(evidence_ids)
    with _guard:
        recorders = list(_recorders.values())
    for recorder in recorders:
        recorder.label_citations(run, ids, replanned=replanned)


def _flush_recorders() -> None:
    """Write the pending records of all recorders, within `_EXIT_SECONDS` each."""
    with _guard:
        recorders = list(_recorders.values())
    for recorder in recorders:
        recorder.flush(_EXIT_SECONDS)


def read_records(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a corpus, oldest first, each with the added keys `at`, `run`, `passages` and `cited`.

    `cited` is None if the record has no label yet. Without a telemetry file, nothing is yielded.

    Raises:
        CorpusError: The file cannot be read.
    """
    path = folder / _FILE
    if not path.is_file():
        return
    try:
        with closing(open_read_only(path, _BUSY_SECONDS)) as opened:
            for at, named, record, passages, labels in opened.execute(
                "SELECT at, run, record, passages, cited FROM retrievals ORDER BY id"
            ):
                label = None if labels is None else json.loads(labels)
                yield {**json.loads(record), "at": at, "run": named, "passages": json.loads(passages), "cited": label}
    except (sqlite3.Error, ValueError) as error:
        shut = isinstance(error, sqlite3.OperationalError)  # for example, a missing permission
        advice = "make it readable" if shut else "delete it; searching does not need it"
        raise CorpusError(f"{path} cannot be read ({error}); {advice}") from None
