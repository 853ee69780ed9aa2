"""Catalog of corpora: a named folder for each corpus, below Weiwo's home.

A corpus folder records the files, folders and patterns it was made of, so that a question over the same paths finds it.
"""

import json
import os
import re
import sqlite3
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line
from weiwo.tools.corpus.base import CorpusError, Problem
from weiwo.tools.corpus.index.connectors import Connector, read_connectors
from weiwo.tools.corpus.index.language_fit import read_fit
from weiwo.tools.corpus.index.store import STORE, Store
from weiwo.tools.corpus.source_names import find_sample_corpus
from weiwo.tools.private_files import make_private_file
from weiwo.tools.sqlite_files import open_read_only

DEFAULT_NAME: Final = "default"
"""Name of the corpus that is used if none is named."""

TODAY: Final = "today"
_ROOTS: Final = "roots.json"
_MOST_PROBLEMS: Final = 100
_LONGEST_OWN_NAME: Final = 40
_NAME: Final = lazy(r"[^\W_][\w.-]{0,63}")


@dataclass(frozen=True, slots=True)
class CorpusSummary:
    """Summary of a corpus for a list."""

    name: str
    folder: Path
    documents: int = 0  # number of documents
    passages: int = 0  # number of passages in them
    problems: int = 0  # number of files that could not be read, or only in part
    bytes: int = 0  # size on disk
    age: float = 0.0  # seconds since the last update
    roots: tuple[str, ...] = ()  # the files, folders and patterns that the corpus is made of
    # The document loaders that the corpus is made of, as MODULE:NAME. Only `weiwo index` loads from them again.
    loaders: tuple[str, ...] = ()
    connectors: tuple[Connector, ...] = ()  # the loaders that are run at intervals
    # For each embedding model, the number of passages with a vector and of all passages. Equal ones are counted once.
    vectors: dict[str, tuple[int, int]] = field(default_factory=dict)
    note: str = ""  # warning about the embedding model, in one line; empty if there is none
    trouble: str = ""  # why the corpus cannot be read, in one line; empty if it can
    left_out: tuple[Problem, ...] = ()  # the first 100 problems


def locate_by_name(home: Path, name: str = DEFAULT_NAME) -> Path:
    """Return the folder of a corpus, existing or not.

    Args:
        home: The folder of Weiwo's own files.
        name: The name: letters of any script, digits, `.`, `-` and `_`, beginning with a letter or digit.

    Raises:
        CorpusError: The text is no valid name.
    """
    if not _NAME.fullmatch(name):
        raise CorpusError(
            f"corpus {one_line(name, 80)!r}: invalid name; use up to 64 letters, digits, '.', - and _, beginning with "
            "a letter or digit"
        )
    return home / "corpora" / name


def corpus_exists(home: Path, name: str) -> bool:
    """Report whether a named corpus exists."""
    return bool(_NAME.fullmatch(name)) and (home / "corpora" / name / STORE).is_file()


def replaces_sample(home: Path) -> bool:
    """Report whether questions search the default corpus and not the sample corpus.

    They do if the default corpus has ever held a document, or cannot be read. False if there is no default corpus.
    """
    if not corpus_exists(home, DEFAULT_NAME):
        return False
    try:
        with closing(open_read_only(home / "corpora" / DEFAULT_NAME / STORE, 1)) as connection:
            found = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'documents'").fetchone()
    except sqlite3.Error:
        return True
    return found is not None


def lost_store(home: Path, name: str) -> Path | None:
    """Return the path of a corpus's store file if the corpus was indexed but the file is gone, else None."""
    if not _NAME.fullmatch(name) or corpus_exists(home, name):
        return None
    store = home / "corpora" / name / STORE
    return store if (store.parent / _ROOTS).is_file() else None


def make_absolute(path: str | os.PathLike[str]) -> str:
    """Return the absolute path of a file, folder or pattern, with links kept."""
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111  # resolve() would replace links


def locate_by_roots(home: Path, paths: Iterable[str | os.PathLike[str]]) -> Path:
    """Return the folder of the corpus with exactly the given files, folders and patterns.

    The folder need not exist. It is the folder that `weiwo index` made for these paths, or else a folder named after
    the first of them.
    """
    roots = sorted(set(map(make_absolute, paths)))
    for folder in _list_folders(home):
        note = read_note(folder)
        if sorted(note.roots) == roots and not note.loaders:
            return folder
    first = "sample" if roots == [str(find_sample_corpus())] else Path(roots[0]).name
    readable = re.sub(r"[^\w.-]+", "-", first).strip("-._")[:_LONGEST_OWN_NAME]
    digest = sha256("\n".join(roots).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return home / "corpora" / f"{readable or 'files'}-{digest}"


def record_origin(folder: Path, paths: Iterable[str | os.PathLike[str]], loaders: Iterable[str] = ()) -> None:
    """Add the given sources to the record of a corpus after an update, and record the time.

    Args:
        folder: The corpus folder.
        paths: Files, folders and patterns.
        loaders: Document loaders, as MODULE:NAME. Their arguments are not kept, for they may hold a key.

    Raises:
        OSError: The folder cannot be written.
    """
    noted = read_note(folder)
    roots, named = {*noted.roots, *map(make_absolute, paths)}, {*noted.loaders, *loaders}
    beside = folder / f"{_ROOTS}.{os.getpid()}"
    for file in (folder / ".gitignore", beside):
        make_private_file(file)
    # The home may lie within indexed documents. `.gitignore` keeps its files out of the index.
    (folder / ".gitignore").write_text("*\n", encoding="ascii")
    note = {"roots": sorted(roots), "loaders": sorted(named), "at": time.time()}
    beside.write_text(json.dumps(note), encoding="ascii")
    beside.replace(folder / _ROOTS)


class _CorpusNote(NamedTuple):
    """Record in a corpus folder about the sources of the corpus."""

    roots: tuple[str, ...] = ()  # absolute files, folders and patterns that the corpus is made of; empty if unknown
    loaders: tuple[str, ...] = ()  # document loaders that the corpus is made of, as MODULE:NAME; empty if unknown
    at: float = 0.0  # time of the last update, in seconds since 1970; 0 if unknown


def read_note(folder: Path) -> _CorpusNote:
    """Return the record of a corpus folder, empty if unreadable."""
    try:
        noted = json.loads((folder / _ROOTS).read_text(encoding="ascii"))
        roots, loaders = tuple(map(str, noted["roots"])), tuple(map(str, noted.get("loaders", ())))
        return _CorpusNote(roots, loaders, float(noted["at"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return _CorpusNote()


def describe_age(at: float) -> str:
    """Describe a past time, in seconds since 1970: `today`, `yesterday` or `3 days ago`."""
    days = int((time.time() - at) // 86_400)
    return TODAY if days < 1 else "yesterday" if days < 2 else f"{days:,} days ago"


def count_vectors(folder: Path, model: str) -> tuple[int, int]:
    """Return the number of passages with a vector of an embedding model, and of all passages in a corpus folder.

    Equal passages are counted once.
    """
    with closing(Store(folder / STORE)) as store, store.read_transaction() as connection:
        return count_embedded_passages(connection, model)


def count_embedded_passages(connection: sqlite3.Connection, model: str) -> tuple[int, int]:
    """Return the same numbers as `count_vectors`, over a connection to the store."""
    row = connection.execute(
        "WITH keys AS (SELECT DISTINCT key FROM documents JOIN passages"
        " ON passages.id BETWEEN first AND first + count - 1 WHERE died IS NULL)"
        " SELECT count(vectors.key), count(*) FROM keys LEFT JOIN vectors"
        " ON vectors.key = keys.key AND vectors.model = (SELECT id FROM models WHERE name = ?)",
        (model,),
    ).fetchone()
    return int(row[0]), int(row[1])


def _list_folders(home: Path) -> list[Path]:
    try:
        with os.scandir(home / "corpora") as entries:
            return sorted(Path(entry) for entry in entries if _NAME.fullmatch(entry.name) and entry.is_dir())
    except OSError:
        return []


def list_corpora(home: Path) -> Iterator[CorpusSummary]:
    """Yield the summaries of all corpora, by name. Blocks while reading."""
    for folder in _list_folders(home):
        yield summarize_corpus(folder)


def summarize_corpus(folder: Path) -> CorpusSummary:
    """Return the summary of a corpus. Blocks while reading."""
    statuses = list(_stat_files(folder))
    size = sum(status.st_size for status in statuses)
    roots, loaders, at = read_note(folder)
    age = max(0.0, time.time() - (at or max((status.st_mtime for status in statuses), default=time.time())))
    found = CorpusSummary(folder.name, folder, bytes=size, age=age, roots=roots, loaders=loaders)
    found = replace(found, connectors=read_connectors(folder))
    if not (folder / STORE).is_file():
        return replace(found, trouble="nothing was indexed")
    try:
        with closing(Store(folder / STORE)) as store, store.read_transaction() as connection:
            documents, passages = connection.execute(
                "SELECT count(*), coalesce(sum(count), 0) FROM documents WHERE died IS NULL"
            ).fetchone()
            models = [row[0] for row in connection.execute("SELECT name FROM models ORDER BY id")]
            vectors = {model: count_embedded_passages(connection, model) for model in models}
            problems = store.read_problems()
            known = read_fit(store)
    except (CorpusError, sqlite3.Error) as error:
        return replace(found, trouble=one_line(str(error)))
    note, left_out = known.warning if known else "", problems[:_MOST_PROBLEMS]
    held = {"documents": documents, "passages": passages, "problems": len(problems), "vectors": vectors}
    return replace(found, **held, note=note, left_out=left_out)


def list_titles(folder: Path, most: int) -> list[str]:
    """List the titles of at most `most` documents of a corpus, those with the most passages first.

    Long titles are cut to 80 characters. The list is empty if there is no corpus.

    Raises:
        CorpusError: The corpus cannot be read.
    """
    if not (folder / STORE).is_file():
        return []
    query = (
        "SELECT title FROM documents WHERE died IS NULL AND title != '' GROUP BY title ORDER BY max(count) DESC LIMIT ?"
    )
    with closing(Store(folder / STORE)) as store, store.read_transaction() as connection:
        return [one_line(str(row[0]), 80) for row in connection.execute(query, (most,))]


def _stat_files(folder: Path) -> Iterator[os.stat_result]:
    for file in folder.rglob("*"):
        # Another process may delete files while they are counted.
        with suppress(FileNotFoundError):
            status = file.stat()
            if stat.S_ISREG(status.st_mode):
                yield status
