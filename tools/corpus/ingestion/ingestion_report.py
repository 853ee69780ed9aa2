"""The report and the progress of a run of ingestion."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from weiwo.tools.corpus.base import Problem
from weiwo.tools.corpus.ingestion.file_walk import SourceFile

_TELL_SECONDS: Final = 0.1


@dataclass(slots=True)
class IngestReport:
    """The report of a run.

    Attributes:
        documents: Documents that the index now holds; each titled record of a file of records is one.
        passages: Passages written in this run.
        added: Files read for the first time.
        changed: Files read again.
        removed: Files that have left the index.
        moved: Files that kept their passages under another name.
        unchanged: Files that were not touched.
        left_out: What could not be taken in, or only in part, by name.
        others: Files of types that are not read, by ending; they count as nothing.
        seconds: How long it took.
    """

    documents: int = 0
    passages: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    moved: int = 0
    unchanged: int = 0
    left_out: list[Problem] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def as_json(self, corpus: str) -> dict[str, Any]:
        """The summary as one object."""
        counts = ("documents", "passages", "added", "changed", "removed", "moved", "unchanged")
        left_out = [{"source": one.source, "reason": one.reason} for one in self.left_out]
        return {
            "corpus": corpus,
            **{name: getattr(self, name) for name in counts},
            "left_out": left_out,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """The progress of a run.

    Attributes:
        files: Files dealt with, of those that must be read.
        files_total: Files that must be read.
        bytes: Their bytes dealt with.
        bytes_total: Their bytes.
        passages: Passages written or about to be.
        left_out: Files left out so far.
    """

    files: int
    files_total: int
    bytes: int
    bytes_total: int
    passages: int
    left_out: int


ProgressListener = Callable[[IngestProgress], None]
"""Told now and then how far it is; it must not block."""


class ProgressMeter:
    """Counts, and tells who watches, ten times a second at most.

    Attributes:
        passages: Passages read.
        left_out: Files left out.
    """

    def __init__(self, files: Sequence[SourceFile], watch: ProgressListener | None) -> None:
        self.passages = self.left_out = 0
        self._files = self._bytes = 0
        self._files_total, self._bytes_total = len(files), sum(file.size for file in files)
        self._begun: dict[str, int] = {}
        self._watch = watch
        self._told = 0.0
        self.notify(now=True)

    def advance(self, file: SourceFile, position: int) -> None:
        """A file is read to there."""
        self._bytes += position - self._begun.get(file.path, 0)
        self._begun[file.path] = position
        self.notify()

    def finish_file(self, file: SourceFile) -> None:
        """A file is dealt with."""
        self._bytes += file.size - self._begun.pop(file.path, 0)
        self._files += 1
        self.notify()

    def notify(self, *, now: bool = False) -> None:
        """Say how far it is, if it is time to, or `now`."""
        if self._watch is None or not (now or time.monotonic() - self._told >= _TELL_SECONDS):
            return
        self._told = time.monotonic()
        self._watch(
            IngestProgress(self._files, self._files_total, self._bytes, self._bytes_total, self.passages, self.left_out)
        )
