"""Corpus loader: opens the corpora named in the settings of a run, and updates those made of files.

Files, folders and patterns are indexed when they are opened. If `weiwo index` was run on exactly the same paths, its
corpus is updated. Otherwise a new corpus is created below Weiwo's home. A repeated call only lists the files and
compares them. A corpus can also be opened by the name given to `weiwo index`, and is then not updated.
"""

import logging
import os
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final

from weiwo.state.settings import Settings
from weiwo.text.printable import one_line
from weiwo.tools.corpus.base import Corpus, CorpusError, NoPlaceError
from weiwo.tools.corpus.index.catalog import (
    DEFAULT_NAME,
    TODAY,
    corpus_exists,
    describe_age,
    locate_by_name,
    locate_by_roots,
    lost_store,
    read_note,
    replaces_sample,
)
from weiwo.tools.corpus.index.embedding_models import EmbeddingError
from weiwo.tools.corpus.index.language_fit import drop_unfit_model
from weiwo.tools.corpus.index.store import STORE
from weiwo.tools.corpus.ingestion.refresh import Clock, RequestedFiles, embed_missing, refresh_corpus
from weiwo.tools.corpus.ingestion.shared_jobs import BackgroundJob, Notify, run_shared
from weiwo.tools.corpus.retrieval.federation import FederatedCorpus
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus, open_routed
from weiwo.tools.corpus.source_names import EXTERNAL_MARK, find_sample_corpus

_log: Final = logging.getLogger(__name__)

_KEPT: Final = 8
_MOST_SAID: Final = 1_000
_MANY_FILES: Final = 1_000
_LISTING_SHARE: Final = 20
"""A listing of many files is reused for this many times the time it took."""
_TROUBLE: Final = (OSError, sqlite3.Error, ValueError)
"""Errors raised if the index cannot be written. tantivy raises ValueError."""


async def load_corpus(
    entries: Iterable[str | os.PathLike[str]] = (),
    *,
    settings: Settings | None = None,
    tell: Notify | None = None,
    clock: Clock = time.monotonic,
) -> Corpus:
    """Open documents, indexing files on the fly. The call is quick if nothing has changed.

    Args:
        entries: Files, folders, patterns, names of corpora, and `@module.attribute` for a LangChain vector store or
            retriever. Without entries, the corpus that `weiwo index` makes without a name is opened, or else the sample
            corpus.
        settings: The corpora's location, the embedding model, and whether there is telemetry. From the environment if
            not given.
        tell: Receives messages for people, such as indexing progress, each line once in a process. Logged if not
            given.
        clock: Monotonic clock in seconds, used for the validity of a listing and the time of messages.

    Returns:
        The corpus, several entries joined to a `FederatedCorpus`. Concurrent calls with the same entries and settings
        share a single load. The corpus may be empty.

    Raises:
        CorpusError: An entry is neither a file nor a corpus, cannot be read, or the embedding model cannot be set up.
        NoPlaceError: The index of the files cannot be stored.
    """
    settings = settings or Settings.resolve()
    given = tuple(os.fspath(entry) for entry in entries)
    key = (given, settings.home, settings.embeddings, settings.telemetry, settings.corpus_by_name)
    return await run_shared(key, lambda job: _CorpusLoader(settings, job, clock).load(given), tell or _log_line)


def _log_line(line: str) -> None:
    """Log a message. A function of the module, since a job sends a line once to equal listeners."""
    _log.warning("%s", line)


@dataclass(slots=True)
class _OpenCorpus:
    """An open corpus, with the state of the last update."""

    corpus: RoutedCorpus
    inode: int  # inode of the store file, to notice that the file was replaced
    files: RequestedFiles | None = None  # the files of the last update; None for a corpus opened by name
    until: float = 0.0  # clock time until which the file listing is reused
    embedded: int = -1  # the generation for which embedding needs no further attempt; -1 before the first


_open: Final[OrderedDict[tuple[str, str | None, bool], _OpenCorpus]] = OrderedDict()
_notified: Final[OrderedDict[tuple[str, str], None]] = OrderedDict()
_guard: Final = Lock()


class _CorpusLoader:
    """Loader for the entries of a single call. Blocks."""

    def __init__(self, settings: Settings, job: BackgroundJob[Corpus], clock: Clock) -> None:
        self._settings = settings
        self._home = Path(settings.home)
        self._job = job
        self._clock = clock

    def load(self, given: Sequence[str]) -> Corpus:
        if given and self._settings.corpus_by_name:
            return self._open_by_name(given)
        if not given:
            own = replaces_sample(self._home)
            if not own and (lost := lost_store(self._home, DEFAULT_NAME)) is not None:
                raise CorpusError(
                    f"index {lost.parent}: {lost.name} is missing; run weiwo index again, or delete the folder"
                )
            given = (DEFAULT_NAME,) if own else (str(find_sample_corpus()),)
        known = [entry for entry in given if corpus_exists(self._home, entry)]
        names = [entry for entry in known if not os.path.lexists(entry)]
        for entry in known:
            if entry not in names:
                self._notify(f"corpus {entry}: the file or folder of this name is used, not the corpus")
        elsewhere = [
            entry for entry in dict.fromkeys(given) if entry.startswith(EXTERNAL_MARK) and not os.path.lexists(entry)
        ]
        paths = [entry for entry in given if entry not in {*names, *elsewhere}]
        corpora: list[Corpus] = [self._open_files(paths)] if paths else []
        corpora += [self._open_named(name) for name in dict.fromkeys(names)]
        if elsewhere:
            from weiwo.tools.corpus.retrieval.external_store import open_external

            corpora += [open_external(entry) for entry in elsewhere]
        return corpora[0] if len(corpora) == 1 else FederatedCorpus(corpora)

    def _open_by_name(self, given: Sequence[str]) -> Corpus:
        """Open the corpora that a server's client names. Paths, patterns and modules are refused.

        Raises:
            CorpusError: No corpus has that name.
        """
        for entry in given:
            if not corpus_exists(self._home, entry):
                raise CorpusError(
                    f"corpus {one_line(entry, 100)} does not exist; clients of this server can only use corpora "
                    "made by weiwo index"
                )
        corpora = [self._open_named(name) for name in dict.fromkeys(given)]
        return corpora[0] if len(corpora) == 1 else FederatedCorpus(corpora)

    def _open_named(self, name: str) -> RoutedCorpus:
        folder = locate_by_name(self._home, name)
        if (age := describe_age(read_note(folder).at)) != TODAY:
            self._notify(f"corpus {name}: as indexed {age}")
        return self._open_folder(folder).corpus

    def _open_files(self, paths: Sequence[str]) -> RoutedCorpus:
        folder = locate_by_roots(self._home, paths)
        kept = self._find_open(folder)
        if kept is not None and self._clock() < kept.until:
            return kept.corpus
        began = self._clock()
        files = RequestedFiles.find(paths)
        took = self._clock() - began
        try:
            kept = self._refresh(folder, files)
        except EmbeddingError:
            raise
        except _TROUBLE as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise NoPlaceError(
                f"corpus {files.label}: its index cannot be stored ({one_line(reason, 200)}); free some "
                "space, or set WEIWO_HOME to a writable folder"
            ) from error
        kept.until = self._clock() + took * _LISTING_SHARE if len(files.listing.files) > _MANY_FILES else 0.0
        return kept.corpus

    def _refresh(self, folder: Path, files: RequestedFiles) -> _OpenCorpus:
        """Update a corpus from the files if they changed, open the corpus, and embed new passages."""
        kept = self._find_open(folder)
        if kept is None or kept.files != files or kept.corpus.generation != files.generation:
            refresh_corpus(folder, files, self._job, self._notify, self._clock)
            kept = self._open_folder(folder)
            kept.files = files
            kept.corpus.left_out = files.problems
        generation = kept.corpus.generation
        model = kept.corpus.embedder
        if model is not None and kept.embedded != generation:
            outcome = embed_missing(folder, model, files.label, self._notify)
            if outcome == "unfit":
                kept.corpus.embedder = None
            if outcome != "again":
                kept.embedded = generation
        return kept

    def _find_open(self, folder: Path) -> _OpenCorpus | None:
        """Return the corpus already open for a folder. None if there is none, or the store file was replaced."""
        with _guard:
            kept = _open.get(self._make_key(folder))
        try:
            return kept if kept is not None and (folder / STORE).stat().st_ino == kept.inode else None
        except OSError:
            return None

    def _open_folder(self, folder: Path) -> _OpenCorpus:
        kept = self._find_open(folder)
        if kept is None:
            kept = _OpenCorpus(
                open_routed(folder, drop_unfit_model(folder, self._settings)), (folder / STORE).stat().st_ino
            )
        with _guard:
            _open[self._make_key(folder)] = kept
            _open.move_to_end(self._make_key(folder))
            while len(_open) > _KEPT:
                _open.popitem(last=False)[1].corpus.close()
        return kept

    def _make_key(self, folder: Path) -> tuple[str, str | None, bool]:
        return str(folder), self._settings.embeddings, self._settings.telemetry

    def _notify(self, line: str) -> None:
        with _guard:
            if (self._settings.home, line) in _notified:
                return
            _notified[self._settings.home, line] = None
            if len(_notified) > _MOST_SAID:
                _notified.popitem(last=False)
        self._job.notify(line)
