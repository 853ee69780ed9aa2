"""The corpus of a run: what its settings name, brought up to its files and opened.

Files, folders and patterns are indexed on the fly, into a corpus of their own below Weiwo's home or the one that
`weiwo index` made of exactly these. Whoever asks again pays for a listing alone. What `weiwo index` made can also be
named; it is read as it is.
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
from typing import TYPE_CHECKING, Final

from state.settings import Settings
from tools.corpus.base import Corpus, NoPlaceError
from tools.corpus.bringing import Files, bring_up, embed_few, substitute
from tools.corpus.jobs import Job, Tell, shared
from tools.corpus.joined import JoinedCorpus
from tools.corpus.outside import MARK, outside
from tools.corpus.reading import sample
from tools.corpus.shelf import DEFAULT_NAME, coverage, days_ago, folder_for, folder_of, names_corpus, written_at
from tools.corpus.writing import STORE
from tools.printable import one_line

if TYPE_CHECKING:
    from tools.corpus.routed import RoutedCorpus

_log: Final = logging.getLogger(__name__)

_KEPT: Final = 8
_MOST_SAID: Final = 1_000
_LISTING_SHARE: Final = 20
"""A listing that took its time is good for so many times as long."""
_QUICK_LISTING: Final = 0.05
_TROUBLE: Final = (OSError, sqlite3.Error, ValueError)
"""What a folder that cannot be written comes to; tantivy's errors are ValueErrors."""


async def load_corpus(
    entries: Iterable[str | os.PathLike[str]] = (),
    *,
    settings: Settings | None = None,
    tell: Tell | None = None,
) -> Corpus:
    """Open documents, indexed on the fly where they are files; quick where nothing has changed.

    Args:
        entries: Files, folders, patterns, names of corpora, and `@module.attribute` for a LangChain vector store or
            retriever. None means the corpus that `weiwo index` makes where no name is given, or the sample corpus where
            there is none.
        settings: Where corpora are kept, the embedding model, and whether there is telemetry; from the environment if
            not given.
        tell: Told what a person should know, such as how far indexing is, each line once in a process; logged if not
            given.

    Returns:
        The corpus, shared by all who load the same; it may be empty.

    Raises:
        CorpusError: An entry is neither a file nor a corpus, cannot be read, or the embedding model cannot be set up.
        NoPlaceError: There is nowhere to keep an index.
    """
    settings = settings or Settings.resolve()
    given = tuple(os.fspath(entry) for entry in entries)
    key = (given, settings.home, settings.embeddings, settings.telemetry)
    return await shared(key, lambda job: _Loading(settings, job).load(given), tell or _logged)


def default_corpus_paths() -> tuple[Path, ...]:
    """The sample corpus that comes with Weiwo."""
    return (sample(),)


def covered(corpus: Corpus) -> tuple[int, int]:
    """How many passages of a corpus have a vector of its embedding model, and how many there are; equal ones once.

    Raises:
        EmbeddingError: The model does not answer.
        ImportError: A package that vectors need is not installed.
    """
    from tools.corpus.routed import RoutedCorpus  # noqa: PLC0415  # heavy

    done = total = 0
    for part in corpus.corpora if isinstance(corpus, JoinedCorpus) else (corpus,):
        if isinstance(part, RoutedCorpus) and part.corpus.embedder is not None:
            part.corpus.embedder.question("?")
            have, there = coverage(part.corpus.folder, part.corpus.embedder.name)
            done, total = done + have, total + there
    return done, total


@dataclass(slots=True)
class _Kept:
    """An open corpus.

    Attributes:
        corpus: It.
        inode: Tells its store from another that has come to be in its place.
        files: What it was brought up to, if it is made of files.
        until: When they are to be listed again.
        embedded: The generation that is known to have its vectors.
    """

    corpus: "RoutedCorpus"
    inode: int
    files: Files | None = None
    until: float = 0.0
    embedded: int = -1


_kept: Final[OrderedDict[tuple[str, str | None, bool], _Kept]] = OrderedDict()
_said: Final[OrderedDict[tuple[str, str], None]] = OrderedDict()
_substitutes: Final[dict[str, Path]] = {}
_guard: Final = Lock()


class _Loading:
    """Loads what one call names; blocks."""

    def __init__(self, settings: Settings, job: Job[Corpus]) -> None:
        self._settings = settings
        self._home = Path(settings.home)
        self._job = job

    def load(self, given: Sequence[str]) -> Corpus:
        if not given:
            own = names_corpus(self._home, DEFAULT_NAME)
            given = (DEFAULT_NAME,) if own else tuple(map(str, default_corpus_paths()))
        known = [entry for entry in given if names_corpus(self._home, entry)]
        names = [entry for entry in known if not os.path.lexists(entry)]
        for entry in known:
            if entry not in names:
                self._say(f"corpus {entry}: the file or folder here is meant, not the corpus of that name")
        elsewhere = [entry for entry in dict.fromkeys(given) if entry.startswith(MARK) and not os.path.lexists(entry)]
        paths = [entry for entry in given if entry not in {*names, *elsewhere}]
        corpora: list[Corpus] = [self._of_files(paths)] if paths else []
        corpora += [self._named(name) for name in dict.fromkeys(names)]
        corpora += [outside(entry) for entry in elsewhere]
        return corpora[0] if len(corpora) == 1 else JoinedCorpus(corpora)

    def _named(self, name: str) -> "RoutedCorpus":
        folder = folder_of(self._home, name)
        self._say(f"corpus {name}: as it was indexed {days_ago(written_at(folder))}")
        return self._opened(folder).corpus

    def _of_files(self, paths: Sequence[str]) -> "RoutedCorpus":
        home_folder = folder_for(self._home, paths)
        folder = _substitutes.get(str(home_folder), home_folder)
        kept = self._known(folder)
        if kept is not None and time.monotonic() < kept.until:
            return kept.corpus
        began = time.monotonic()
        files = Files.find(paths)
        took = time.monotonic() - began
        try:
            kept = self._up_to(folder, files)
        except _TROUBLE as error:
            if _of_embeddings(error):
                raise
            kept = self._elsewhere(home_folder, files, error)
        kept.until = time.monotonic() + took * _LISTING_SHARE if took > _QUICK_LISTING else 0.0
        return kept.corpus

    def _elsewhere(self, folder: Path, files: Files, error: Exception) -> _Kept:
        """Keep the index in a temporary folder, since its own place will not do."""
        reason = _reason(error)
        try:
            other = substitute()
            kept = self._up_to(other, files)
        except _TROUBLE as again:
            raise NoPlaceError(
                f"corpus {files.label}: no place for its index ({reason}; {_reason(again)}); free some space, or set"
                " WEIWO_HOME to a folder that can be written"
            ) from error
        self._say(f"corpus {files.label}: its index cannot be kept ({reason}); made anew for this process alone")
        with _guard:
            _substitutes[str(folder)] = other
        return kept

    def _up_to(self, folder: Path, files: Files) -> _Kept:
        """Bring a corpus up to its files, and open it."""
        kept = self._known(folder)
        if kept is None or kept.files != files or kept.corpus.corpus.generation != files.generation:
            bring_up(folder, files, self._job, self._say)
            kept = self._opened(folder)
            kept.files = files
            kept.corpus.corpus.left_out = files.problems
        generation = kept.corpus.corpus.generation
        lacking = self._settings.embeddings and kept.embedded != generation
        if lacking and embed_few(kept.corpus.corpus, folder, files.label, self._say):
            kept.embedded = generation
        return kept

    def _known(self, folder: Path) -> _Kept | None:
        """The corpus as it is open, unless its folder has another now."""
        with _guard:
            kept = _kept.get(self._key(folder))
        try:
            return kept if kept is not None and (folder / STORE).stat().st_ino == kept.inode else None
        except OSError:
            return None

    def _opened(self, folder: Path) -> _Kept:
        from tools.corpus.languages import fitting  # noqa: PLC0415  # upon need
        from tools.corpus.routed import open_routed  # noqa: PLC0415  # heavy

        kept = self._known(folder)
        if kept is None:
            kept = _Kept(open_routed(folder, fitting(folder, self._settings)), (folder / STORE).stat().st_ino)
        with _guard:
            _kept[self._key(folder)] = kept
            _kept.move_to_end(self._key(folder))
            while len(_kept) > _KEPT:
                _kept.popitem(last=False)[1].corpus.close()
        return kept

    def _key(self, folder: Path) -> tuple[str, str | None, bool]:
        return str(folder), self._settings.embeddings, self._settings.telemetry

    def _say(self, line: str) -> None:
        with _guard:
            if (self._settings.home, line) in _said:
                return
            _said[self._settings.home, line] = None
            if len(_said) > _MOST_SAID:
                _said.popitem(last=False)
        self._job.tell(line)


def _of_embeddings(error: Exception) -> bool:
    from tools.corpus.embeddings import EmbeddingError  # noqa: PLC0415  # heavy

    return isinstance(error, EmbeddingError)


def _reason(error: Exception) -> str:
    return one_line((error.strerror if isinstance(error, OSError) else None) or str(error), 200)


def _logged(line: str) -> None:
    _log.warning("%s", line)
