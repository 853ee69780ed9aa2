"""From files on disk to an index of passages, reading only what has changed.

Files are found (`walk`), compared with what the index knows (`compare`), read by worker processes (`pool`, `worker`)
and handed to the index in bounded batches (`batches`). Each batch counts as soon as it is written; a file of records is
itself written after its further parts, so that a run that was killed goes on where it was. Passages that the index
holds are never written again, whatever name and time their file has now.
"""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Coroutine, Iterable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final, TypeVar

from tools.corpus.base import Problem
from tools.corpus.batches import BATCH_SECONDS, Batch
from tools.corpus.bounds import IngestLimits, groups
from tools.corpus.compare import Comparison, compare, file_of, part_path
from tools.corpus.naming import SourceNames, title_from
from tools.corpus.pool import Worker, WorkerError
from tools.corpus.records import Document, Known, Passage, Writer
from tools.corpus.report import Meter, Report, Watch
from tools.corpus.walk import File, Listing, expand, stat_of, walk

T = TypeVar("T")

_MOST_WORKERS: Final = 8
_TRIES: Final = 3
_NEVER: Final = -1  # a time of change that no file has: it is read again next time


async def ingest(
    paths: Iterable[str | os.PathLike[str]],
    writer: Writer,
    *,
    progress: Watch | None = None,
    limits: IngestLimits | None = None,
) -> Report:
    """Bring an index up to the files below some paths.

    Files of the index that are below none of the paths stay, unless they no longer exist. Cancelling stops it between
    two batches; what was written stays, and the next run goes on from there.

    Args:
        paths: Files, folders and patterns.
        writer: The index. Its methods are called in threads, one at a time.
        progress: Told how far it is.
        limits: Bounds, if not the usual ones.

    Returns:
        What was done, and what was left out and why.

    Raises:
        CorpusError: A path names nothing.
    """
    started = time.monotonic()
    roots = await asyncio.to_thread(expand, paths)
    listing = await asyncio.to_thread(walk, roots)
    known = await _whole(asyncio.to_thread(writer.known))
    todo = await asyncio.to_thread(compare, listing, known, roots)
    run = _Run(writer, listing, todo, limits or IngestLimits(), progress)
    await run.all()
    run.report.seconds = time.monotonic() - started
    return run.report


class _Run:
    """One run."""

    def __init__(
        self, writer: Writer, listing: Listing, todo: Comparison, limits: IngestLimits, progress: Watch | None
    ) -> None:
        self.report = Report(unchanged=len(todo.unchanged), others=listing.others, documents=todo.documents)
        self.report.left_out += listing.named_problems()
        self.report.left_out += [Problem(one.source, one.problem) for one in todo.failing]
        self._writer, self._todo, self._limits, self._progress = writer, todo, limits, progress
        self._names = SourceNames(todo.known)
        self._groups = groups(todo.read)
        self._alone: list[File] = []  # to be read, or read again, one by one
        self._tries: Counter[str] = Counter()
        self._spoiled: set[str] = set()
        self._without_hashes: set[str] = set()
        self._parts: dict[str, set[str]] = {}  # of files being read: those that came
        self._put: set[str] = set()
        self._batch = Batch()
        self._writing = asyncio.Lock()
        self._meter = Meter(todo.read, progress)

    async def all(self) -> None:
        """Read, write, and remove what is gone."""
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
        self._remove()
        await self._write()
        self._meter.tell(now=True)
        self.report.left_out.sort(key=lambda problem: problem.source)

    async def _read_some(self) -> None:
        """Read what is to be read next, with a worker of our own, until nothing is."""
        worker = Worker()
        try:
            while group := [self._alone.pop()] if self._alone else next(self._groups, []):
                await self._read(worker, group)
        finally:
            await worker.close()

    async def _read(self, worker: Worker, group: list[File]) -> None:
        left = dict(enumerate(group))
        request = {
            "files": [self._request(file) for file in group],
            "seconds": self._limits.seconds_for(group),
            "memory_bytes": self._limits.memory_bytes,
        }
        try:
            async with aclosing(worker.ask(request)) as messages:
                async for number, message in messages:
                    file = group[number]
                    if "part" not in message:
                        left.pop(number, None)
                    if self._batch.full or self._batch.holds(part_path(file.path, message.get("key", ""))):
                        await self._write()
                    if "failed" in message:
                        await self._failed(file, message["failed"], passing=message["passing"])
                    else:
                        self._take(file, message)
        except WorkerError as error:
            if len(group) > 1:
                self._alone += left.values()
            else:
                await self._failed(group[0], str(error), passing=True)

    def _request(self, file: File) -> dict[str, Any]:
        before = self._todo.known.get(file.path)
        parts = self._todo.parts.get(file.path, {})
        again = file.path in self._without_hashes
        held = set() if again else {one.sha256 for one in parts.values()} | self._todo.gone.hashes(file)
        self._parts[file.path] = set()
        return {
            "path": file.path,
            "name": title_from(file.path),
            "most_bytes": self._limits.most_bytes(file.path),
            "unchanged": before.sha256 if before and not before.problem else "",
            "held": sorted(held),
        }

    def _take(self, file: File, message: dict[str, Any]) -> None:
        """Take in what a worker says of a file."""
        if "same" in message:
            stated = message["same"]
            self._batch.touch(
                replace(self._todo.known[file.path], size=stated["size"], modified_ns=stated["modified_ns"])
            )
            self.report.unchanged += 1
            self._meter.done(file)
        elif "part" in message:
            self._part(file, message)
        else:
            self._end(file, message["end"])

    def _part(self, file: File, message: dict[str, Any]) -> None:
        if not self._parts[file.path] and (before := self._todo.known.get(file.path)) and not before.problem:
            # From now on the index holds neither the old file nor the new one.
            self._batch.touch(replace(before, sha256="", modified_ns=_NEVER))
        self._parts[file.path].add(part_path(file.path, message["part"]["key"]))
        self._document(file, message["part"])
        self._meter.at(file, message["at"])

    def _end(self, file: File, stated: dict[str, Any]) -> None:
        outcome = self._document(file, stated)
        if file.path in self._spoiled:
            self._spoiled.discard(file.path)
            self._without_hashes.add(file.path)
            self._alone.append(file)
            return
        for path in self._todo.parts.get(file.path, {}).keys() - self._parts.pop(file.path):
            self._drop(path)
        if outcome == "moved":
            self.report.moved += 1
        elif (before := self._todo.known.get(file.path)) and not before.problem:
            self.report.changed += 1
        else:
            self.report.added += 1
        if stated["note"]:
            self._leave_out(file, stated["note"])
        self._meter.done(file)

    def _document(self, file: File, stated: dict[str, Any]) -> str:
        """Put a document, or move it: `put`, `moved`, `same`, or `again` where the file must be read again."""
        path = part_path(file.path, stated["key"])
        document = Document(
            source=self._names.of(path),
            path=path,
            title=stated["title"],
            date=stated["date"],
            **{name: stated[name] for name in ("sha256", "size", "modified_ns", "type", "language")},
        )
        before = self._todo.known.get(path)
        if stated["passages"] is not None:
            if (before is None or before.problem) and path not in self._put:
                self.report.documents += 1
                self._put.add(path)
            rows = stated["passages"]
            self.report.passages += len(rows)
            self._meter.passages += len(rows)
            self._batch.put(document, [Passage(row[0], tuple(row[1]), *row[2:]) for row in rows])
            return "put"
        if before is not None and before.sha256 == stated["sha256"]:
            return "same"
        old = self._todo.gone.claim(stated["sha256"], path)
        if old is not None:
            self._batch.move(old, document)
            return "moved"
        self._spoiled.add(file.path)  # another file took the passages that this one might have had
        return "again"

    async def _failed(self, file: File, reason: str, *, passing: bool) -> None:
        self._parts.pop(file.path, None)
        now, there = await asyncio.to_thread(lambda: (stat_of(file.path), os.path.lexists(file.path)))
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
            self._batch.fail(Known(file.path, self._names.of(file.path), "", file.size, mark, reason))
        self._leave_out(file, reason)
        self._meter.done(file)

    def _remove(self) -> None:
        """What is gone, and was not found under another name."""
        for path in self._todo.gone.rest():
            self._drop(path)
            self.report.removed += file_of(path) == path
        for path in self._todo.dropped:
            self._batch.remove(path)

    def _drop(self, path: str) -> None:
        self._batch.remove(path)
        self.report.documents -= 1

    def _leave_out(self, file: File, reason: str) -> None:
        self.report.left_out.append(Problem(self._names.of(file.path), reason))
        self._meter.left_out += 1

    async def _write_in_time(self) -> None:
        """Write what would otherwise wait too long."""
        while True:
            wait = self._batch.wait
            await asyncio.sleep(BATCH_SECONDS if wait is None else wait)
            if self._batch.wait == 0:
                await self._write()

    async def _write(self) -> None:
        async with self._writing:
            if self._batch:
                await _whole(asyncio.to_thread(self._writer.apply, self._batch.take()))


async def _whole(work: Coroutine[Any, Any, T]) -> T:
    """Wait for work in a thread even when cancelled: it cannot be stopped, and nobody may touch the index meanwhile."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
