"""A corpus of files and folders, read into memory and kept for the process.

Good for some ten thousand documents. It is loaded at the first question and again only when a file has come, gone or
changed (name, size or time of change), so that a second question pays for a listing alone.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import groupby
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Final

from state import Evidence, passage_id
from text.language import fold
from tools.corpus.base import DocumentNotFoundError, Problem
from tools.corpus.chunks import chunk
from tools.corpus.index import Entry, Index
from tools.corpus.reading import MARKDOWN, Found, UnreadableError, find, read, sample, source_of
from tools.printable import one_line

MAX_BYTES: Final = 5_000_000
"""Bytes of the largest file that is read, unless the caller says otherwise."""

_KEPT: Final = 4
_CANDIDATES: Final = 100
"""Passages looked up at least, so that equal texts can be merged and titles weighed."""


def default_corpus_paths() -> tuple[Path, ...]:
    """The sample corpus that comes with Weiwo."""
    return (sample(),)


class FolderCorpus:
    """Documents in memory, as a `Corpus`. Make one with `load_corpus`."""

    def __init__(self, passages: Sequence[Evidence], headings: Sequence[str], problems: Iterable[Problem]) -> None:
        self._passages = tuple(passages)
        self._ranges: dict[str, range] = {}
        start = 0
        for source, group in groupby(self._passages, key=lambda passage: passage.source):
            end = start + sum(1 for _ in group)
            self._ranges[source] = range(start, end)
            start = end
        self._problems = tuple(problems)
        self._index = Index(
            Entry(passage.title, above, passage.text) for passage, above in zip(passages, headings, strict=True)
        )

    @property
    def documents(self) -> tuple[str, ...]:
        """The sources of all documents, in document order."""
        return tuple(self._ranges)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The files that could not be taken in."""
        return self._problems

    @property
    def size(self) -> int:
        """The number of passages."""
        return len(self._passages)

    async def search(self, query: str, k: int = 8) -> list[Evidence]:
        """Find the passages nearest to a question; see `Corpus.search`."""
        return await asyncio.to_thread(self._search, query, k)

    async def open(self, source: str, query: str = "", k: int = 8) -> list[Evidence]:
        """Read one document; see `Corpus.open`. A file name or a title that only one document has will also do."""
        return await asyncio.to_thread(self._open, source, query, k)

    def _search(self, query: str, k: int) -> list[Evidence]:
        wanted, enough = max(_CANDIDATES, 4 * k), False
        while not enough:
            found = self._index.search(query, wanted)
            ids = {self._passages[number].id for number, _ in found}
            enough = len(ids) >= k or len(found) < wanted
            wanted *= 8
        return self._ranked(found, k)

    def _open(self, source: str, query: str, k: int) -> list[Evidence]:
        within = self._ranges[self._named(source)]
        found = self._index.search(query, len(within), within)
        matching = {number for number, _ in found}
        return self._ranked([*found, *((number, 0.0) for number in within if number not in matching)], k)

    def _ranked(self, found: Iterable[tuple[int, float]], k: int) -> list[Evidence]:
        """The first k passages, each text once."""
        merged: dict[str, Evidence] = {}
        for number, score in found:
            if len(merged) >= k:
                break
            passage = self._passages[number]
            if passage.id not in merged:
                merged[passage.id] = passage.model_copy(update={"score": round(score, 4), "rank": len(merged) + 1})
        return list(merged.values())

    def _named(self, source: str) -> str:
        name = source.strip()
        if name in self._ranges:
            return name
        if "\x00" not in name and (path := source_of(Path(name))) in self._ranges:
            return path
        wanted = fold(name[:1_000])
        alike = [
            document
            for document, passages in self._ranges.items()
            if wanted
            in {fold(Path(document).name), fold(Path(document).stem), fold(self._passages[passages.start].title)}
        ]
        if len(alike) == 1:
            return alike[0]
        if alike:
            raise DocumentNotFoundError(f"{one_line(name, 100)!r} names {len(alike)} documents: {', '.join(alike[:4])}")
        raise DocumentNotFoundError(f"no document {one_line(name, 100)!r} in the corpus of {len(self._ranges)}")


async def load_corpus(paths: Iterable[str | PathLike[str]] = (), *, max_bytes: int = MAX_BYTES) -> FolderCorpus:
    """Load files and folders, or take them from memory if nothing has changed.

    Args:
        paths: Files and folders; none means the sample corpus.
        max_bytes: The size from which a file is left out, and reported in `problems`.

    Returns:
        The corpus, shared by all who load the same; it may be empty.

    Raises:
        CorpusError: A path does not exist or cannot be read at all.
    """
    return await asyncio.to_thread(_load, tuple(map(Path, paths)), max_bytes)


_Key = tuple[str, tuple[Path, ...], int]
_Fingerprint = tuple[tuple[Found, ...], tuple[Problem, ...]]
_loaded: OrderedDict[_Key, tuple[_Fingerprint, FolderCorpus]] = OrderedDict()
_loading: dict[_Key, Lock] = {}
_guard: Final = Lock()


def _load(paths: tuple[Path, ...], max_bytes: int) -> FolderCorpus:
    paths = tuple(map(_at_home, paths)) or default_corpus_paths()
    key = (str(Path.cwd()), paths, max_bytes)
    with _guard:
        lock = _loading.setdefault(key, Lock())
    with lock:  # whoever asks for the same corpus meanwhile waits for it instead of reading it, too
        files, problems = find(paths, max_bytes)
        fingerprint = (tuple(files), tuple(problems))
        with _guard:
            kept = _loaded.get(key)
            if kept is not None and kept[0] == fingerprint:
                _loaded.move_to_end(key)
                return kept[1]
        corpus = _read(files, problems, max_bytes)
        with _guard:
            _loaded[key] = (fingerprint, corpus)
            _loaded.move_to_end(key)
            while len(_loaded) > _KEPT:
                _loading.pop(_loaded.popitem(last=False)[0], None)
    return corpus


def _at_home(path: Path) -> Path:
    """A path with ~ filled in; where that is nobody's home, it stays and will be reported as missing."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def _read(files: Iterable[Found], problems: Iterable[Problem], max_bytes: int) -> FolderCorpus:
    passages: list[Evidence] = []
    headings: list[str] = []
    left_out = list(problems)
    for file in files:
        path = Path(file.path)
        source = source_of(path)
        try:
            text = read(file.path, max_bytes)
        except (OSError, UnreadableError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            left_out.append(Problem(source, one_line(reason)))
            continue
        name = path.stem.replace("-", " ").replace("_", " ").strip()
        title, chunks = chunk(text, markdown=path.suffix.lower() in MARKDOWN, name=name)
        if not chunks:
            left_out.append(Problem(source, "empty"))
        for piece in chunks:
            passages.append(
                Evidence(
                    id=passage_id(piece.text),
                    text=piece.text,
                    source=source,
                    title=title,
                    locator=f"lines {piece.first}-{piece.last}" if piece.last > piece.first else f"line {piece.first}",
                )
            )
            headings.append(" ".join(piece.headings))
    return FolderCorpus(passages, headings, left_out)
