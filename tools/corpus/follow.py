"""Noticing that files have changed."""

import os
from collections.abc import AsyncIterator, Iterable
from glob import has_magic
from pathlib import Path
from typing import Final

from tools.corpus.base import CorpusError
from tools.corpus.walk import ours
from tools.printable import one_line

SETTLE_MILLISECONDS: Final = 1_500
"""Changes that follow each other within this time are one."""


async def follow(paths: Iterable[str | os.PathLike[str]]) -> AsyncIterator[int]:
    """Wait for changes below files, folders and patterns; hidden files and our own (`WEIWO_HOME`) do not count.

    Yields:
        How many files have changed, whenever there is quiet again or `SETTLE_MILLISECONDS` have passed.

    Raises:
        CorpusError: The system cannot watch them.
    """
    from watchfiles import Change, awatch  # noqa: PLC0415 - upon need

    roots = sorted({_watched(os.fspath(path)) for path in paths})
    own = frozenset[str]().union(*map(ours, roots))

    def counts(_: Change, path: str) -> bool:
        root = next((root for root in roots if path.startswith(root)), "")
        if any(path == one or path.startswith(os.path.join(one, "")) for one in own):  # noqa: PTH118  # strings here
            return False
        return not any(part.startswith(".") or part == "node_modules" for part in Path(path[len(root) :]).parts)

    try:
        async for changes in awatch(*roots, watch_filter=counts, debounce=SETTLE_MILLISECONDS, recursive=True):
            yield len(changes)
    except OSError as error:
        raise CorpusError(
            f"watching {one_line(', '.join(roots), 200)}: {one_line(str(error))}; name fewer folders, or set"
            " WATCHFILES_FORCE_POLLING=1"
        ) from None


def _watched(path: str) -> str:
    """What is watched for a path: of a pattern, the folder above what varies."""
    whole = Path(path).expanduser().absolute()
    if not has_magic(path) or whole.exists():
        return str(whole)
    return str(next(folder for folder in whole.parents if not has_magic(str(folder))))
