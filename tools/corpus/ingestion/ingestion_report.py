"""The report and the progress of a run of ingestion."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from weiwo.tools.corpus.base import Problem
from weiwo.tools.corpus.ingestion.file_walk import SourceFile

_TELL_SECONDS: Final = 0.1


@dataclass(slots=True)
class IngestReport:
    """The report of a run."""

    documents: int = 0  # documents that the index now holds; each titled record of a file of records is one
    passages: int = 0  # passages written in this run
    added: int = 0  # files read for the first time
    changed: int = 0  # files read again
    removed: int = 0  # files that have left the index
    moved: int = 0  # files that were read again under another name
    unchanged: int = 0  # files that were not touched
    left_out: list[Problem] = field(default_factory=list)  # what could not be taken in, or only in part, by name
    # Files of types that are not read, by ending; they count as nothing.
    others: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0  # how long it took

    def as_json(self, corpus: str) -> dict[str, Any]:
        """Return the summary as an object."""
        counts = ("documents", "passages", "added", "changed", "removed", "moved", "unchanged")
        left_out = [{"source": item.source, "reason": item.reason} for item in self.left_out]
        return {
            "corpus": corpus,
            **{name: getattr(self, name) for name in counts},
            "left_out": left_out,
            "seconds": round(self.seconds, 3),
        }


@dataclass(slots=True)
class IngestProgress:
    """The progress of a run."""

    files: int  # files dealt with, of those that must be read
    files_total: int  # files that must be read
    bytes: int  # their bytes dealt with
    bytes_total: int  # their bytes
    passages: int  # passages written or about to be
    left_out: int  # files left out so far

    @property
    def amount(self) -> str:
        """Return the amount read and the total, for people."""
        return f"{self.bytes / 1e6:,.1f} of {self.bytes_total / 1e6:,.1f} MB"


ProgressListener = Callable[[IngestProgress], None]
"""Told now and then how far it is; it must not block."""


class ProgressMeter:
    """Counts, and tells who watches, ten times a second at most."""

    def __init__(self, files: Sequence[SourceFile], watch: ProgressListener | None) -> None:
        self.now = IngestProgress(0, len(files), 0, sum(file.size for file in files), 0, 0)  # how far it is
        self._begun: dict[str, int] = {}
        self._watch = watch
        self._told = 0.0
        self.notify(now=True)

    def advance(self, file: SourceFile, position: int) -> None:
        """Record the read position of a file."""
        self.now.bytes += position - self._begun.get(file.path, 0)
        self._begun[file.path] = position
        self.notify()

    def finish_file(self, file: SourceFile) -> None:
        """A file is dealt with."""
        self.now.bytes += file.size - self._begun.pop(file.path, 0)
        self.now.files += 1
        self.notify()

    def notify(self, *, now: bool = False) -> None:
        """Report progress at intervals, or at once with `now`."""
        if self._watch is None or not (now or time.monotonic() - self._told >= _TELL_SECONDS):
            return
        self._told = time.monotonic()
        self._watch(replace(self.now))
