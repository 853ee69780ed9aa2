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

    documents: int = 0  # documents now in the index; each further part of a file (record, message, member) counts
    passages: int = 0  # passages written in this run
    added: int = 0  # new files
    changed: int = 0  # files read again because they had changed
    removed: int = 0  # files removed from the index
    moved: int = 0  # renamed files
    unchanged: int = 0  # files with unchanged content
    left_out: list[Problem] = field(default_factory=list)  # files not indexed, or only in part, sorted by name
    others: Counter[str] = field(default_factory=Counter)  # files of unsupported types, by ending; counted nowhere else
    seconds: float = 0.0  # duration of the run

    def as_json(self, corpus: str) -> dict[str, Any]:
        """Return the report as an object for JSON. `corpus` is the name of the corpus."""
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

    files: int  # files read so far, or left out
    files_total: int  # files to read
    bytes: int  # bytes read so far
    bytes_total: int  # bytes of all files to read
    passages: int  # passages made so far
    left_out: int  # files left out so far, wholly or in part

    @property
    def amount(self) -> str:
        """Return the amount read and the total, as "1.2 of 30.0 MB"."""
        return f"{self.bytes / 1e6:,.1f} of {self.bytes_total / 1e6:,.1f} MB"


ProgressListener = Callable[[IngestProgress], None]
"""Callback that receives the progress from time to time. It must not block."""


class ProgressMeter:
    """Counter of progress that calls a listener at most ten times a second."""

    def __init__(self, files: Sequence[SourceFile], watch: ProgressListener | None) -> None:
        self.now = IngestProgress(0, len(files), 0, sum(file.size for file in files), 0, 0)  # the progress so far
        self._begun: dict[str, int] = {}
        self._watch = watch
        self._told = 0.0
        self.notify(now=True)

    def advance(self, file: SourceFile, position: int) -> None:
        """Record the read position of a file, in bytes."""
        self.now.bytes += position - self._begun.get(file.path, 0)
        self._begun[file.path] = position
        self.notify()

    def finish_file(self, file: SourceFile) -> None:
        """Count a file as done."""
        self.now.bytes += file.size - self._begun.pop(file.path, 0)
        self.now.files += 1
        self.notify()

    def notify(self, *, now: bool = False) -> None:
        """Report progress at intervals, or at once with `now`."""
        if self._watch is None or not (now or time.monotonic() - self._told >= _TELL_SECONDS):
            return
        self._told = time.monotonic()
        self._watch(replace(self.now))
