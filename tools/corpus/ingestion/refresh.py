"""Corpus refresh: update a corpus from its files before a question is answered, cheaply if nothing has changed."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from glob import has_magic
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from weiwo.text.printable import one_line
from weiwo.tools.corpus.base import CorpusError, Problem
from weiwo.tools.corpus.index.catalog import count_vectors, make_absolute, record_origin
from weiwo.tools.corpus.index.embedding_models import Embedder, EmbeddingError
from weiwo.tools.corpus.index.language_fit import assess_fit
from weiwo.tools.corpus.index.store import STORE, Store
from weiwo.tools.corpus.index.vector_index import embed_passages
from weiwo.tools.corpus.index.writer import BusyError, IndexWriter
from weiwo.tools.corpus.ingestion.change_detection import compare_files
from weiwo.tools.corpus.ingestion.file_walk import FileListing, expand_paths, list_files
from weiwo.tools.corpus.ingestion.ingest import IngestLimits, ingest_files
from weiwo.tools.corpus.ingestion.shared_jobs import BackgroundJob, Notify
from weiwo.tools.corpus.records import KnownFile
from weiwo.tools.corpus.source_names import find_sample_corpus, name_source, pin_working_directory

if TYPE_CHECKING:
    from weiwo.tools.corpus.ingestion.ingestion_report import IngestProgress

_BUSY_SECONDS: Final = 5.0
"""How long to wait for another process that is writing."""
_MOST_EMBEDDED: Final = 2_000
"""Maximum number of passages embedded during a refresh. For more, the user is told to run `weiwo index`."""

_EmbeddingOutcome = Literal["done", "again", "unfit"]
Clock = Callable[[], float]
"""Type of a function that returns monotonic seconds."""

_FIRST_LINE_SECONDS: Final = 2.0
_LINE_SECONDS: Final = 10.0
_FEW_FILES: Final = 128
_FEW_BYTES: Final = 1_000_000
_EMBEDDING_REST_SECONDS: Final = 300.0
_rest_until: Final[dict[Path, float]] = {}


@dataclass(slots=True)
class RequestedFiles:
    """The files requested by a caller, as listed now.

    Two values are equal if they list the same files with equal sizes and times.
    """

    roots: tuple[str, ...]  # the given files, folders and patterns, absolute
    tops: list[str]  # existing files and folders that the roots match
    listing: FileListing  # the files found
    label: str  # short name for messages
    problems: tuple[Problem, ...] = field(default=(), compare=False)  # files left out, set by `refresh_corpus`
    generation: int = field(default=-1, compare=False)  # generation of the corpus after the refresh; -1 if unknown

    @classmethod
    def find(cls, paths: Sequence[str]) -> "RequestedFiles":
        """List the files named by paths.

        Raises:
            CorpusError: A path does not exist, matches nothing, or cannot be read.
        """
        try:
            tops = expand_paths(paths)
        except CorpusError as error:
            raise CorpusError(f"corpus {error}, or a corpus listed by weiwo corpus") from None
        listing = list_files(tops)
        for path in paths:
            reason = listing.problems.get(make_absolute(path), "")
            if reason and (lexists(path) or not has_magic(path)):
                remedy = "" if ";" in reason else "; make it readable"
                raise CorpusError(f"corpus {one_line(path)}: {reason}{remedy}")
        return cls(tuple(map(make_absolute, paths)), tops, listing, one_line(", ".join(map(_name_top, tops)), 100))


def refresh_corpus(
    folder: Path, files: RequestedFiles, job: BackgroundJob[Any], say: Notify, clock: Clock = time.monotonic
) -> None:
    """Update a corpus from the files, and set `files.problems` and `files.generation`.

    If another process is indexing the corpus, nothing is updated, and `say` receives a message.

    Raises:
        CorpusError: The folder cannot be used, or another process is creating the corpus.
        OSError, sqlite3.Error, ValueError: The folder cannot be written.
    """
    changed = list(files.listing.files.values())
    there = (folder / STORE).is_file()
    if there:
        known = _read_known(folder, files)
        todo = compare_files(files.listing, known, files.tops)
        changed = todo.read
        if not (changed or todo.dropped or todo.gone):
            files.problems = _collect_problems(files.listing, known)
            return
    few = len(changed) <= _FEW_FILES and sum(file.size for file in changed) <= _FEW_BYTES
    try:
        writer = IndexWriter(folder, wait_seconds=_BUSY_SECONDS)
    except BusyError:
        if not (folder / STORE).is_file():
            raise
        files.generation = -1
        say(f"corpus {files.label}: another process is indexing it; only indexed documents are searched")
        return
    try:
        record_origin(folder, files.roots)
        limits = IngestLimits(workers=1 if few else 0)  # for few files, a second process costs more than it saves
        with pin_working_directory():
            progress = _make_progress_reporter(files.label, say, clock)
            job.run_coroutine(ingest_files(files.roots, writer, progress=progress, limits=limits))
    finally:
        writer.close()
    record_origin(folder, files.roots)
    files.problems = _collect_problems(files.listing, _read_known(folder, files))


def embed_missing(folder: Path, model: Embedder, label: str, say: Notify) -> _EmbeddingOutcome:
    """Embed the passages of a corpus that have no vector yet, unless there are too many.

    If the model fails, `say` receives a message, and the search continues without vectors.

    Returns:
        `done` if all is embedded or is left to `weiwo index`, `again` if a later call may succeed, and `unfit` if the
        model does not know the languages of the corpus.
    """
    if time.monotonic() < _rest_until.get(folder, 0.0):
        return "again"
    done, total = count_vectors(folder, model.name)
    if done == total:
        return "done"
    if total - done > _MOST_EMBEDDED:
        say(
            f"corpus {label}: {total - done:,} passages have no vectors of {model.name} yet; run weiwo "
            "index to create them"
        )
        return "done"
    try:
        with IndexWriter(folder, wait_seconds=_BUSY_SECONDS) as writer:
            known = assess_fit(writer.store, model)
            if known.warning:
                say(f"corpus {label}: {known.warning}")
            if not known.is_trusted:
                return "unfit"
            embed_passages(writer, model)
    except BusyError:
        return "again"  # the other writer may embed them
    except EmbeddingError as error:
        _rest_until[folder] = time.monotonic() + _EMBEDDING_REST_SECONDS
        say(f"{error}; documents are searched without vectors")
        return "again"
    return "done"


def _read_known(folder: Path, files: RequestedFiles) -> dict[str, KnownFile]:
    with closing(Store(folder / STORE)) as store:
        files.generation = store.read_generation()
        return store.read_known()


def _collect_problems(listing: FileListing, known: Mapping[str, KnownFile]) -> tuple[Problem, ...]:
    """Return the problems of a corpus, sorted by name.

    Files of unsupported types are listed only if there is no file to read.
    """
    problems = listing.list_problems()
    for file in known.values():
        if file.problem or file.losses:
            name = name_source(Path(file.path))
            problems.append(Problem(name, file.problem) if file.problem else Problem.in_part(name, file.losses))
    others = [(ending, count) for ending, count in listing.others.most_common() if ending != "hidden"]
    if not listing.files and others:
        kinds = ", ".join(f"{count:,} {ending}" for ending, count in others[:8])
        problems.append(Problem("unsupported file types", kinds))
    return tuple(sorted(problems, key=lambda problem: problem.source))


def _make_progress_reporter(label: str, say: Notify, clock: Clock) -> Any:
    """Return a progress listener that passes a line like "indexing docs: 3 of 20 files, …" to `say`.

    The first line comes after 2 seconds, further ones every 10 seconds.
    """
    next_at = clock() + _FIRST_LINE_SECONDS

    def watch(now: "IngestProgress") -> None:
        nonlocal next_at
        if now.files_total and now.files < now.files_total and clock() >= next_at:
            next_at = clock() + _LINE_SECONDS
            say(f"indexing {label}: {now.files:,} of {now.files_total:,} files, {now.amount} …")

    return watch


def _name_top(path: str) -> str:
    if path == str(find_sample_corpus()):
        return "the sample corpus"
    with suppress(OSError):
        return name_source(Path(path))
    return path
