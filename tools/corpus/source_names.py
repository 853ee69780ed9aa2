"""Source names of files and file parts in citations, and the folder of the sample corpus.

A long file of records is several documents to the index: the file itself, which holds its beginning, and its further
parts. Their paths are the file's path, two slashes and a key. No path on disk has two slashes inside.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

_here: Final[ContextVar[str]] = ContextVar("here")

_SAMPLE: Final = Path("examples/corpus")
_PART: Final = "//"
EXTERNAL_MARK: Final = "@"
"""Prefix of a corpus entry that names an external store."""
LOADED: Final = "loader:"
"""Path prefix of documents from a loader. No absolute path begins with it."""


@cache
def find_sample_corpus() -> Path:
    """Return the bundled sample corpus, in a checkout or in an installed package."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "sample_corpus"
    return installed if installed.is_dir() else package.parent / _SAMPLE


@contextmanager
def pin_working_directory() -> Iterator[None]:
    """Context manager that reads the working directory once, for all calls of `name_source` within.

    An event loop must not read it, since the answer may come from a disk.
    """
    token = _here.set(os.getcwd())  # noqa: PTH109
    try:
        yield
    finally:
        _here.reset(token)


def name_source(path: Path) -> str:
    """Return the source name of a file: relative to the current folder, or absolute.

    A file below the current folder has a relative name. A file of the sample corpus has the same name wherever the
    corpus is installed.
    """
    here = _here.get("") or os.getcwd()  # noqa: PTH109
    absolute = os.path.normpath(os.path.join(here, path))  # noqa: PTH118  # resolve() would replace the user's links
    return os.fsencode(name_relative_to(absolute, here)).decode("utf-8", "replace")


def name_relative_to(path: str, here: str) -> str:
    """Return the name of an absolute path: "docs/a.md" for a file below the folder `here`, else the path itself.

    A file of the sample corpus is named as in a checkout: "examples/corpus/a.md".
    """
    for top, shown in ((str(find_sample_corpus()), f"{_SAMPLE.as_posix()}/"), (here, "")):
        beginning = top.rstrip(os.sep) + os.sep
        if path.startswith(beginning):
            return Path(shown, path[len(beginning) :]).as_posix()
    return Path(path).as_posix()


def make_part_path(path: str, key: str) -> str:
    """Return the index path of a part of a file: "/a/log.jsonl" and "2001" → "/a/log.jsonl//2001".

    For an empty key it is the file's path.
    """
    return f"{path}{_PART}{key}" if key else path


def strip_part(path: str) -> str:
    """Return the path of the file that a part belongs to: "/a/log.jsonl//2001" → "/a/log.jsonl".

    The path of a file is returned unchanged.
    """
    at = path.find(_PART, 1)
    return path if at < 0 else path[:at]


def mark_part(path: str) -> str:
    """Return the suffix of a part in source names, like `#L2001` in `data/log.jsonl#L2001`.

    The suffix is empty for a file.
    """
    file = strip_part(path)
    return f"#L{path[len(file) :].strip('/')}" if file != path else ""


def make_loaded_path(loader: str, key: str, source: str) -> str:
    """Return the index path of a document from a loader, made of the loader, `key` and a hash of the source.

    `key` stands for the loader's arguments.
    """
    digest = sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return make_loaded_prefix(loader, key) + digest


def make_loaded_prefix(loader: str, key: str = "") -> str:
    """Return the path prefix of the documents of a loader.

    `key` stands for the loader's arguments. Without a key, the prefix covers all arguments.
    """
    return f"{LOADED}{loader}:{key}:" if key else f"{LOADED}{loader}:"


def is_loaded(path: str) -> bool:
    """Report whether a document came from a loader, not from a file."""
    return path.startswith(LOADED)
