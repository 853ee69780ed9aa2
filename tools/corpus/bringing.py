"""Bringing a corpus up to its files on the fly, at a question: cheap where nothing has changed."""

import atexit
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from glob import has_magic
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tools.corpus.base import CorpusError, Problem
from tools.corpus.compare import compare
from tools.corpus.jobs import Job, Tell
from tools.corpus.reading import sample, source_of, staying_here
from tools.corpus.records import Known
from tools.corpus.shelf import absolute, coverage, note_roots
from tools.corpus.store import Store
from tools.corpus.walk import Listing, expand, walk
from tools.corpus.writing import STORE, BusyError, IndexWriter
from tools.printable import one_line

if TYPE_CHECKING:
    from tools.corpus.indexed import IndexedCorpus
    from tools.corpus.report import Progress

BUSY_SECONDS: Final = 5.0
"""How long to wait for another process that is writing."""
MOST_EMBEDDED: Final = 2_000
"""Passages that are embedded at a question; for more, there is `weiwo index`."""

_FIRST_LINE_SECONDS: Final = 2.0
_LINE_SECONDS: Final = 10.0
_FEW_FILES: Final = 128
_FEW_BYTES: Final = 1_000_000
_EMBEDDING_REST_SECONDS: Final = 300.0


@dataclass(slots=True)
class Files:
    """The files that a call names, as they are now.

    Attributes:
        roots: The files, folders and patterns, absolute.
        tops: The files and folders they stand for.
        listing: What was found there.
        label: What they are called in a line.
        problems: What is left out of the corpus; known once it is brought up.
        generation: That of the corpus then.
    """

    roots: tuple[str, ...]
    tops: list[str]
    listing: Listing
    label: str
    problems: tuple[Problem, ...] = field(default=(), compare=False)
    generation: int = field(default=-1, compare=False)

    @classmethod
    def find(cls, paths: Sequence[str]) -> "Files":
        """List what some paths name.

        Raises:
            CorpusError: One names nothing, or nothing that can be read.
        """
        try:
            tops = expand(paths)
        except CorpusError as error:
            raise CorpusError(f"corpus {error}, or a corpus that weiwo corpora lists") from None
        listing = walk(tops)
        for path in paths:
            reason = listing.problems.get(absolute(path), "")
            if reason and (lexists(path) or not has_magic(path)):
                remedy = "" if ";" in reason else "; make it readable"
                raise CorpusError(f"corpus {one_line(path)}: {reason}{remedy}")
        return cls(tuple(map(absolute, paths)), tops, listing, one_line(", ".join(map(_name, tops)), 100))


def bring_up(folder: Path, files: Files, job: Job[Any], say: Tell) -> None:
    """Bring a corpus up to its files, and note in `files` what is left out.

    Args:
        folder: The corpus folder; made if need be.
        files: The files.
        job: Runs what is asynchronous.
        say: Told how far it is, and what a person should know.

    Raises:
        CorpusError: The folder cannot be used.
        OSError, sqlite3.Error, ValueError: It cannot be written.
    """
    from tools.corpus.bounds import IngestLimits  # noqa: PLC0415  # upon need
    from tools.corpus.ingest import ingest  # noqa: PLC0415  # the same

    changed = list(files.listing.files.values())
    there = (folder / STORE).is_file()
    if there:
        known = _known(folder, files)
        todo = compare(files.listing, known, files.tops)
        changed = todo.read
        if not (changed or todo.dropped or todo.gone.rest()):
            files.problems = _problems(files.listing, known)
            return
    few = len(changed) <= _FEW_FILES and sum(file.size for file in changed) <= _FEW_BYTES
    try:
        writer = IndexWriter(folder, wait_seconds=BUSY_SECONDS)
    except BusyError:
        if not there:
            raise
        files.generation = -1
        say(f"corpus {files.label}: another process is indexing it; searching what is there already")
        return
    try:
        note_roots(folder, files.roots)
        limits = IngestLimits(workers=1 if few else 0)  # one more process costs more than it gains there
        with staying_here():
            report = job.wait_for(ingest(files.roots, writer, progress=_telling(files.label, say), limits=limits))
    finally:
        writer.close()
    note_roots(folder, files.roots)
    said = {problem.source for problem in report.left_out}
    others = _problems(files.listing, _known(folder, files))
    files.problems = (*report.left_out, *(problem for problem in others if problem.source not in said))


def substitute() -> Path:
    """A corpus folder for as long as this process runs.

    Raises:
        OSError: There is no place for one either.
    """
    folder = Path(tempfile.mkdtemp(prefix="weiwo-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


_rest_until: Final[dict[Path, float]] = {}


def embed_few(corpus: "IndexedCorpus", folder: Path, label: str, say: Tell) -> bool:
    """Give the passages of a corpus their vectors, if few lack theirs; where it fails, say so and go on without.

    Args:
        corpus: The corpus, opened with an embedding model.
        folder: Its folder.
        label: What it is called in a line.
        say: Told what a person should know.

    Returns:
        Whether there is nothing more to be done here.
    """
    from tools.corpus.embed import embed  # noqa: PLC0415  # heavy
    from tools.corpus.embeddings import EmbeddingError  # noqa: PLC0415  # the same
    from tools.corpus.languages import fit  # noqa: PLC0415  # the same

    model = corpus.embedder
    if model is None or time.monotonic() < _rest_until.get(folder, 0.0):
        return False
    done, total = coverage(folder, model.name)
    if done == total:
        return True
    if total - done > MOST_EMBEDDED:
        say(f"corpus {label}: {total - done:,} passages have no vectors of {model.name} yet; weiwo index makes them")
        return True
    try:
        with IndexWriter(folder, wait_seconds=BUSY_SECONDS) as writer:
            known = fit(writer.store, model)
            if known.warning:
                say(f"corpus {label}: {known.warning}")
            if not known.trusted:
                corpus.embedder = None
                return True
            embed(writer, model)
    except BusyError:
        return False  # whoever is writing may see to it
    except (EmbeddingError, ImportError) as error:
        _rest_until[folder] = time.monotonic() + _EMBEDDING_REST_SECONDS
        say(f"{without_vectors(error)}; documents are searched without vectors")
        return False
    return True


def without_vectors(error: Exception) -> str:
    """Why passages cannot be embedded, in one line."""
    if isinstance(error, ImportError):
        return f"embeddings: {one_line(str(error))}; run pip install 'weiwo[vectors]'"
    return str(error)


def _known(folder: Path, files: Files) -> dict[str, Known]:
    with closing(Store(folder / STORE)) as store:
        files.generation = store.generation()
        return store.known()


def _problems(listing: Listing, known: Mapping[str, Known]) -> tuple[Problem, ...]:
    """What is left out, by name; files of other types only where there is nothing else."""
    problems = listing.named_problems()
    problems += [Problem(source_of(Path(one.path)), one.problem) for one in known.values() if one.problem]
    if not listing.files and listing.others:
        kinds = ", ".join(f"{count:,} {ending}" for ending, count in listing.others.most_common(8))
        problems.append(Problem("files of types that are not read", kinds))
    return tuple(sorted(problems, key=lambda problem: problem.source))


def _telling(label: str, say: Tell) -> Any:
    """Says how far indexing is, once it takes long enough to wonder."""
    next_at = time.monotonic() + _FIRST_LINE_SECONDS

    def watch(now: "Progress") -> None:
        nonlocal next_at
        if now.files_total and now.files < now.files_total and time.monotonic() >= next_at:
            next_at = time.monotonic() + _LINE_SECONDS
            say(f"indexing {label}: {now.files:,} of {now.files_total:,} files …")

    return watch


def _name(path: str) -> str:
    if path == str(sample()):
        return "the sample corpus"
    with suppress(OSError):
        return source_of(Path(path))
    return path
