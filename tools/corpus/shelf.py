"""Where corpora are kept: a folder each, under one name, below Weiwo's home.

A folder notes which files, folders and patterns its corpus is made of, so that a question over the same ones finds it.
"""

import json
import os
import re
import sqlite3
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from tools.corpus.base import CorpusError
from tools.corpus.reading import sample
from tools.printable import one_line

DEFAULT_NAME: Final = "default"
"""The corpus that is meant where none is named."""

_ROOTS: Final = "roots.json"
_LONGEST_OWN_NAME: Final = 40
_NAME: Final = re.compile(r"[^\W_][\w.-]{0,63}")


@dataclass(frozen=True, slots=True)
class Shelved:
    """A corpus, as a list shows it.

    Attributes:
        name: Its name.
        folder: Where it is.
        documents: How many it holds.
        passages: How many these are cut into.
        problems: Files that could not be read.
        bytes: What it takes on the disk.
        age: Seconds since it was last written.
        roots: The files, folders and patterns that it is made of.
        vectors: Passages that have a vector, equal ones counted once, by embedding model; and how many there are.
        note: What a person should know of its embedding model, in one line; empty where that is nothing.
        trouble: Why it cannot be read, in one line; empty where it can.
    """

    name: str
    folder: Path
    documents: int = 0
    passages: int = 0
    problems: int = 0
    bytes: int = 0
    age: float = 0.0
    roots: tuple[str, ...] = ()
    vectors: dict[str, tuple[int, int]] = field(default_factory=dict)
    note: str = ""
    trouble: str = ""


def folder_of(home: Path, name: str = DEFAULT_NAME) -> Path:
    """The folder of a corpus, there or not.

    Args:
        home: The folder of Weiwo's own files.
        name: Its name: letters of any script, digits, `.`, `-` and `_`, beginning with a letter or digit.

    Raises:
        CorpusError: That is no name.
    """
    if not _NAME.fullmatch(name):
        raise CorpusError(f"corpus {one_line(name, 80)!r}: no name for one; use up to 64 letters, digits, - and _")
    return home / "corpora" / name


def names_corpus(home: Path, name: str) -> bool:
    """Whether a corpus of that name is there."""
    from tools.corpus.writing import STORE  # noqa: PLC0415 - upon need

    return bool(_NAME.fullmatch(name)) and (home / "corpora" / name / STORE).is_file()


def absolute(path: str | os.PathLike[str]) -> str:
    """A file, folder or pattern, absolute, so that it means the same from everywhere."""
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111  # resolve() would replace links


def folder_for(home: Path, paths: Iterable[str | os.PathLike[str]]) -> Path:
    """The folder of the corpus of exactly these files, folders and patterns, there or not.

    It is the one that `weiwo index` made of these, or else one that is named after the first of them.
    """
    roots = sorted(set(map(absolute, paths)))
    for folder in _folders(home):
        if sorted(roots_of(folder)) == roots:
            return folder
    first = "sample" if roots == [str(sample())] else Path(roots[0]).name
    readable = re.sub(r"[^\w.-]+", "-", first).strip("-._")[:_LONGEST_OWN_NAME]
    digest = sha256("\n".join(roots).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return home / "corpora" / f"{readable or 'files'}-{digest}"


def note_roots(folder: Path, paths: Iterable[str | os.PathLike[str]]) -> None:
    """Note that a corpus has just been brought up to some files, folders and patterns, besides those it has.

    Raises:
        OSError: The folder cannot be written.
    """
    roots = sorted({*roots_of(folder), *map(absolute, paths)})
    (folder / ".gitignore").write_text("*\n", encoding="ascii")  # no document, should the home be among the documents
    beside = folder / f"{_ROOTS}.{os.getpid()}"
    beside.write_text(json.dumps({"roots": roots, "at": time.time()}), encoding="ascii")
    beside.replace(folder / _ROOTS)


def roots_of(folder: Path) -> tuple[str, ...]:
    """The files, folders and patterns that a corpus is made of, absolute; none where that is not known."""
    return _noted(folder)[0]


def written_at(folder: Path) -> float:
    """When a corpus was last brought up to its files, in seconds since 1970; 0 where that is not known."""
    return _noted(folder)[1]


def _noted(folder: Path) -> tuple[tuple[str, ...], float]:
    try:
        noted = json.loads((folder / _ROOTS).read_text(encoding="ascii"))
        return tuple(map(str, noted["roots"])), float(noted["at"])
    except (OSError, ValueError, KeyError, TypeError):
        return (), 0.0


def days_ago(at: float) -> str:
    """How long ago something was, for people."""
    days = int((time.time() - at) // 86_400)
    return "today" if days < 1 else "yesterday" if days < 2 else f"{days:,} days ago"


def coverage(folder: Path, model: str) -> tuple[int, int]:
    """How many passages have a vector of an embedding model, equal ones counted once, and how many there are."""
    from tools.corpus.store import Store  # noqa: PLC0415 - upon need
    from tools.corpus.writing import STORE  # noqa: PLC0415 - the same

    with closing(Store(folder / STORE)) as store, store.reading() as connection:
        return _coverage(connection, model)


def _coverage(connection: sqlite3.Connection, model: str) -> tuple[int, int]:
    row = connection.execute(
        "WITH keys AS (SELECT DISTINCT key FROM documents JOIN passages"
        " ON passages.id BETWEEN first AND first + count - 1 WHERE died IS NULL)"
        " SELECT count(vectors.key), count(*) FROM keys LEFT JOIN vectors"
        " ON vectors.key = keys.key AND vectors.model = (SELECT id FROM models WHERE name = ?)",
        (model,),
    ).fetchone()
    return int(row[0]), int(row[1])


def _folders(home: Path) -> list[Path]:
    try:
        with os.scandir(home / "corpora") as entries:
            return sorted(Path(entry) for entry in entries if _NAME.fullmatch(entry.name) and entry.is_dir())
    except OSError:
        return []


def shelved(home: Path) -> Iterator[Shelved]:
    """The corpora there are, by name. Blocks while it reads them."""
    for folder in _folders(home):
        yield look_at(folder)


def look_at(folder: Path) -> Shelved:
    """What a list shows of one corpus."""
    from tools.corpus.languages import noted  # noqa: PLC0415 - upon need
    from tools.corpus.store import Store  # noqa: PLC0415 - upon need
    from tools.corpus.writing import STORE  # noqa: PLC0415 - the same

    statuses = list(_statuses(folder))
    size = sum(status.st_size for status in statuses)
    roots, at = _noted(folder)
    age = max(0.0, time.time() - (at or max((status.st_mtime for status in statuses), default=time.time())))
    if not (folder / STORE).is_file():
        return Shelved(folder.name, folder, bytes=size, age=age, trouble="nothing was indexed")
    try:
        with closing(Store(folder / STORE)) as store, store.reading() as connection:
            documents, passages = connection.execute(
                "SELECT count(*), coalesce(sum(count), 0) FROM documents WHERE died IS NULL"
            ).fetchone()
            models = [row[0] for row in connection.execute("SELECT name FROM models ORDER BY id")]
            vectors = {model: _coverage(connection, model) for model in models}
            problems = len(store.problems())
            known = noted(store)
    except (CorpusError, sqlite3.Error) as error:
        return Shelved(folder.name, folder, bytes=size, age=age, roots=roots, trouble=one_line(str(error)))
    note = known.warning if known else ""
    return Shelved(folder.name, folder, documents, passages, problems, size, age, roots, vectors, note)


def _statuses(folder: Path) -> Iterator[os.stat_result]:
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError):  # whoever writes there may delete meanwhile
            status = file.stat()
            if stat.S_ISREG(status.st_mode):
                yield status
