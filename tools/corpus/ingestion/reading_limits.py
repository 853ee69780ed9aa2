"""Limits of reading files, and the grouping of files into requests."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from weiwo.tools.corpus.formats import find_format
from weiwo.tools.corpus.ingestion.file_walk import SourceFile

_GROUP_FILES: Final = 64
_GROUP_BYTES: Final = 500_000


@dataclass(frozen=True, slots=True)
class IngestLimits:
    """Bounds of reading.

    Attributes:
        file_bytes: The largest file that is read as one whole.
        stream_bytes: The largest file of records (JSON Lines, CSV), which is never held as a whole.
        seconds: How long a file may take, or some small ones together, and `seconds_per_megabyte` more for their size.
        seconds_per_megabyte: That.
        memory_bytes: What a worker may take, where the platform can hold it to that.
        workers: Processes that parse; 0 means one a processor.
    """

    file_bytes: int = 200_000_000
    stream_bytes: int = 4_000_000_000
    seconds: float = 120.0
    seconds_per_megabyte: float = 10.0
    memory_bytes: int = 3_000_000_000
    workers: int = 0

    def most_bytes(self, path: str) -> int:
        """The largest size of a file of that name."""
        kind = find_format(path)
        return self.stream_bytes if kind and kind.streams else self.file_bytes

    def seconds_for(self, files: Iterable[SourceFile]) -> float:
        """Seconds that reading some files may take."""
        return sum(self.seconds + self.seconds_per_megabyte * file.size / 1e6 for file in files)


def group_files(files: Iterable[SourceFile]) -> Iterator[list[SourceFile]]:
    """Files to read in one request: small ones of light kinds together, others alone."""
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
