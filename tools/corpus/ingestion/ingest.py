"""Incremental ingestion: from files on disk to an index of passages, reading only changes.

Files are found (`file_walk`), compared with the index (`change_detection`), read by parser processes (`worker_pool`,
`worker`) and passed to the index in bounded batches (`records`). A written batch survives a kill. Of a long file of
records, the first part is written last and marks the file as done, so that a killed run continues where it was. Parts
already in the index are not written again. A renamed file is read again, but its vectors, stored by content, are kept.
"""

import asyncio
import base64
import os
import time
from collections import Counter
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from weiwo.tools.corpus.base import Problem
from weiwo.tools.corpus.formats import find_format
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.ingestion.change_detection import FileChanges, NameAssigner, compare_files, derive_title
from weiwo.tools.corpus.ingestion.file_walk import FileListing, SourceFile, expand_paths, list_files, stat_file
from weiwo.tools.corpus.ingestion.ingestion_report import IngestReport, ProgressListener, ProgressMeter
from weiwo.tools.corpus.ingestion.worker_pool import ParserWorker, WorkerError
from weiwo.tools.corpus.losses import Loss, decode_losses
from weiwo.tools.corpus.records import BATCH_SECONDS, ChangeBatch, Document, KnownFile, Passage, StoredTable
from weiwo.tools.corpus.source_names import make_part_path, strip_part

T = TypeVar("T")

_MOST_WORKERS: Final = 8
_TRIES: Final = 3
_GROUP_FILES: Final = 64
_GROUP_BYTES: Final = 500_000
_NEVER: Final = -1  # a time of change that no file has, so that the file is read again next time


@dataclass(frozen=True, slots=True)
class IngestLimits:
    """Limits on reading files."""

    file_bytes: int = 200_000_000  # maximum size of a file that is read as a whole
    stream_bytes: int = 4_000_000_000  # maximum size of a file that is read in parts (JSON Lines, CSV, mailboxes)
    seconds: float = 120.0  # time to read a file of any size
    seconds_per_megabyte: float = 10.0  # additional time for each megabyte
    memory_bytes: int = 3_000_000_000  # memory of a worker, if the platform can limit it
    workers: int = 0  # number of parser processes; 0 means one for each processor, at most 8

    def most_bytes(self, path: str) -> int:
        """Return the maximum size of a file of a given name."""
        kind = find_format(path)
        return self.stream_bytes if kind and kind.streams else self.file_bytes

    def seconds_for(self, files: Iterable[SourceFile]) -> float:
        """Return the time limit in seconds for reading these files one after another."""
        return sum(self.seconds + self.seconds_per_megabyte * file.size / 1e6 for file in files)


def _group_files(files: Iterable[SourceFile]) -> Iterator[list[SourceFile]]:
    """Group files into read requests.

    Small files of formats with small parsers share a request. Every other file has a request of its own.
    """
    group: list[SourceFile] = []
    size = 0
    for file in files:
        kind = find_format(file.path)
        if (kind and kind.heavy) or file.size > _GROUP_BYTES:
            yield [file]
            continue
        group.append(file)
        size += file.size
        if len(group) >= _GROUP_FILES or size >= _GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


async def ingest_files(
    paths: Iterable[str | os.PathLike[str]],
    writer: IndexWriter,
    *,
    progress: ProgressListener | None = None,
    limits: IngestLimits | None = None,
) -> IngestReport:
    """Update an index from the files below the given paths.

    Files of the index that are below none of the paths stay, unless they no longer exist. Cancelling stops the update
    between two batches. Written batches stay, and the next run continues from there.

    Args:
        paths: Files, folders and patterns.
        writer: The index. Its methods are called in threads, one at a time.
        progress: Listener for progress.
        limits: Limits on reading. The defaults if None.

    Returns:
        A report on the work done, and on the files left out with reasons.

    Raises:
        CorpusError: A path does not exist or matches nothing, the index is damaged, or the parser process cannot be
            started.
    """
    started = time.monotonic()
    roots = await asyncio.to_thread(expand_paths, paths)
    listing = await asyncio.to_thread(list_files, roots)
    known = await _finish_despite_cancel(asyncio.to_thread(writer.read_known))
    todo = await asyncio.to_thread(compare_files, listing, known, roots)
    run = _IngestRun(writer, listing, todo, limits or IngestLimits(), progress)
    await run.run()
    run.report.seconds = time.monotonic() - started
    return run.report


class _IngestRun:
    """A run of ingestion."""

    def __init__(
        self,
        writer: IndexWriter,
        listing: FileListing,
        todo: FileChanges,
        limits: IngestLimits,
        progress: ProgressListener | None,
    ) -> None:
        self.report = IngestReport(unchanged=len(todo.unchanged), others=listing.others, documents=todo.documents)
        self.report.left_out += listing.list_problems()
        self.report.left_out += [Problem(file.source, file.problem) for file in todo.failing]
        self.report.left_out += todo.in_part
        self._writer, self._todo, self._limits, self._progress = writer, todo, limits, progress
        self._names = NameAssigner(todo.known)
        self._groups = _group_files(todo.read)
        self._alone: list[SourceFile] = []  # files to read again, each in its own request
        self._tries: Counter[str] = Counter()
        self._gone = Counter(digest for path, digest in todo.gone.items() if strip_part(path) == path)
        self._parts: dict[str, set[str]] = {}  # paths of the parts received so far, by file being read
        self._put: set[str] = set()
        self._batch = ChangeBatch()
        self._writing = asyncio.Lock()
        self._meter = ProgressMeter(todo.read, progress)

    async def run(self) -> None:
        """Run the update: read files, write them, and remove documents of vanished files."""
        count = min(self._limits.workers or os.cpu_count() or 1, _MOST_WORKERS, len(self._todo.read))
        try:
            async with asyncio.TaskGroup() as group:
                clock = group.create_task(self._write_in_time())
                readers = [group.create_task(self._read_some()) for _ in range(count)]
                for reader in readers:
                    await reader
                clock.cancel()
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        for path in self._todo.gone:
            self._drop(path)
        # A file read again under a new name counts as moved, not as removed.
        self.report.removed += self._gone.total()
        for path in self._todo.dropped:
            self._batch.remove(path)
        await self._write()
        self._meter.notify(now=True)
        self.report.left_out.sort(key=lambda problem: problem.source)

    async def _read_some(self) -> None:
        """Read groups of files with a parser process, until none are left. Several of these tasks run in parallel."""
        worker = ParserWorker()
        try:
            while group := [self._alone.pop()] if self._alone else next(self._groups, []):
                await self._read(worker, group)
        finally:
            await worker.close()

    async def _read(self, worker: ParserWorker, group: list[SourceFile]) -> None:
        left = dict(enumerate(group))
        request = {
            "files": [self._make_request(file) for file in group],
            "seconds": self._limits.seconds_for(group),
            "memory_bytes": self._limits.memory_bytes,
        }
        try:
            async with aclosing(worker.ask(request)) as messages:
                async for number, message in messages:
                    file = group[number]
                    if "part" not in message:
                        left.pop(number, None)
                    if self._batch.full or self._batch.holds(make_part_path(file.path, message.get("key", ""))):
                        await self._write()
                    if "failed" in message:
                        await self._record_failure(file, message["failed"], passing=message["passing"])
                    else:
                        self._take(file, message)
        except WorkerError as error:
            if len(group) > 1:
                self._alone += left.values()
            else:
                await self._record_failure(group[0], str(error), passing=True)

    def _make_request(self, file: SourceFile) -> dict[str, Any]:
        before = self._todo.known.get(file.path)
        parts = self._todo.parts.get(file.path, {})
        self._parts[file.path] = set()
        return {
            "path": file.path,
            "name": derive_title(file.path),
            "most_bytes": self._limits.most_bytes(file.path),
            "unchanged": before.sha256 if before and not before.problem else "",
            "held": {
                path[len(make_part_path(file.path, "")) :].strip("/"): part.sha256 for path, part in parts.items()
            },
        }

    def _take(self, file: SourceFile, message: dict[str, Any]) -> None:
        """Process a worker's message about a file: `same` (unchanged), `part` or `end`, as `worker` describes them."""
        if "same" in message:
            stated, known = message["same"], self._todo.known[file.path]
            self._batch.touch(replace(known, size=stated["size"], modified_ns=stated["modified_ns"]))
            self._take_in_part(file, known.losses)
            self.report.unchanged += 1
            self._meter.finish_file(file)
        elif "part" in message:
            if not self._parts[file.path] and (before := self._todo.known.get(file.path)) and not before.problem:
                # From now on the index holds neither the old file nor the new one.
                self._batch.touch(replace(before, sha256="", modified_ns=_NEVER))
            self._parts[file.path].add(make_part_path(file.path, message["part"]["key"]))
            self._store_document(file, message["part"])
            self._meter.advance(file, message["at"])
        else:
            self._finish_file(file, message["end"])

    def _finish_file(self, file: SourceFile, stated: dict[str, Any]) -> None:
        self._store_document(file, stated)
        for path in self._todo.parts.get(file.path, {}).keys() - self._parts.pop(file.path):
            self._drop(path)
        if (before := self._todo.known.get(file.path)) and not before.problem:
            self.report.changed += 1
        elif self._gone[stated["sha256"]]:
            self._gone[stated["sha256"]] -= 1
            self.report.moved += 1
        else:
            self.report.added += 1
        self._take_in_part(file, decode_losses(stated["losses"]))
        self._meter.finish_file(file)

    def _store_document(self, file: SourceFile, stated: dict[str, Any]) -> None:
        """Add a document to the batch, unless the worker found it unchanged in the index."""
        rows = stated["passages"]
        if rows is None:
            return
        path = make_part_path(file.path, stated["key"])
        document = Document(
            source=self._names.assign_name(path),
            path=path,
            title=stated["title"],
            date=stated["date"],
            losses=decode_losses(stated["losses"]),
            tables=tuple(StoredTable(name, facts, base64.b64decode(data)) for name, facts, data in stated["tables"]),
            **{name: stated[name] for name in ("sha256", "size", "modified_ns", "type", "language")},
        )
        before = self._todo.known.get(path)
        if (before is None or before.problem) and path not in self._put:
            self.report.documents += 1
            self._put.add(path)
        self.report.passages += len(rows)
        self._meter.now.passages += len(rows)
        self._batch.add_document(document, [Passage(row[0], tuple(row[1]), *row[2:]) for row in rows])

    async def _record_failure(self, file: SourceFile, reason: str, *, passing: bool) -> None:
        self._parts.pop(file.path, None)
        now, there = await asyncio.to_thread(lambda: (stat_file(file.path), os.path.lexists(file.path)))
        self._tries[file.path] += 1
        if passing and now is not None and now != file and self._tries[file.path] < _TRIES:
            self._alone.append(now)  # it changed in the meantime
            return
        before = self._todo.known.get(file.path)
        for path in self._todo.parts.get(file.path, {}):
            self._drop(path)
        if now is None and not there:
            reason = "it vanished before it was read"
            if before is not None:
                self._drop(file.path)
        else:
            self.report.documents -= before is not None and not before.problem
            mark = _NEVER if passing else file.modified_ns
            self._batch.fail(KnownFile(file.path, self._names.assign_name(file.path), "", file.size, mark, reason))
        self.report.left_out.append(Problem(self._names.assign_name(file.path), reason))
        self._meter.now.left_out += 1
        self._meter.finish_file(file)

    def _drop(self, path: str) -> None:
        self._batch.remove(path)
        self.report.documents -= 1

    def _take_in_part(self, file: SourceFile, losses: tuple[Loss, ...]) -> None:
        if losses:
            self.report.left_out.append(Problem.in_part(self._names.assign_name(file.path), losses))
            self._meter.now.left_out += 1

    async def _write_in_time(self) -> None:
        """Write the batch whenever its first change is `BATCH_SECONDS` old. Runs until cancelled."""
        while True:
            wait = self._batch.wait
            await asyncio.sleep(BATCH_SECONDS if wait is None else wait)
            if self._batch.wait == 0:
                await self._write()

    async def _write(self) -> None:
        async with self._writing:
            if self._batch:
                await _finish_despite_cancel(asyncio.to_thread(self._writer.apply, self._batch.take()))


async def _finish_despite_cancel(work: Coroutine[Any, Any, T]) -> T:
    """Wait for work in a thread to end, even if cancelled, and then raise the cancellation.

    The work cannot be stopped, and nothing else may touch the index meanwhile.
    """
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
