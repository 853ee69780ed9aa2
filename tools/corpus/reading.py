"""Names of files as citations give them, and the sample corpus."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Final

_here: Final[ContextVar[str]] = ContextVar("here")

SAMPLE: Final = Path("examples/corpus")


@cache
def sample() -> Path:
    """The sample corpus that comes with Weiwo: in a checkout, or in an installed package."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "sample_corpus"
    return installed if installed.is_dir() else package.parent / SAMPLE


@contextmanager
def staying_here() -> Iterator[None]:
    """Ask where we are but once: an event loop must not, since the answer may come from a disk."""
    token = _here.set(os.getcwd())  # noqa: PTH109
    try:
        yield
    finally:
        _here.reset(token)


def source_of(path: Path) -> str:
    """The name of a file in evidence: from the current folder if it is below that, else absolute.

    A file of the sample corpus is named alike wherever that is installed.
    """
    here = _here.get("") or os.getcwd()  # noqa: PTH109
    absolute = os.path.normpath(os.path.join(here, path))  # noqa: PTH118  # resolve() would replace the user's links
    return os.fsencode(named_from(absolute, here)).decode("utf-8", "replace")


def named_from(path: str, here: str) -> str:
    """The name of an absolute path for somebody in the folder `here`."""
    for top, shown in ((str(sample()), f"{SAMPLE.as_posix()}/"), (here, "")):
        beginning = top.rstrip(os.sep) + os.sep
        if path.startswith(beginning):
            return Path(shown, path[len(beginning) :]).as_posix()
    return Path(path).as_posix()
