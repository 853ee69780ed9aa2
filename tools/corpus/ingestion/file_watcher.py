"""A file watcher: waits for changes below files, folders and patterns."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing
from glob import has_magic
from pathlib import Path
from typing import Final, TypeVar

from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.ingestion.file_walk import find_own_files
from weiwo.tools.printable import one_line

T = TypeVar("T")

_SETTLE_MILLISECONDS: Final = 1_500
"""Changes that follow each other within this time are one."""


async def watch_files(paths: Iterable[str | os.PathLike[str]]) -> AsyncIterator[int]:
    """Wait for changes below files, folders and patterns; hidden files and our own (`WEIWO_HOME`) do not count.

    Yields:
        How many files have changed, whenever there is quiet again or `_SETTLE_MILLISECONDS` have passed.

    Raises:
        CorpusError: The system cannot watch them.
    """
    from watchfiles import Change, awatch

    roots = sorted({_find_watch_root(os.fspath(path)) for path in paths})
    own = frozenset[str]().union(*map(find_own_files, roots))

    def counts(_: Change, path: str) -> bool:
        root = next((root for root in roots if path.startswith(root)), "")
        if any(path == one or path.startswith(os.path.join(one, "")) for one in own):  # noqa: PTH118  # strings here
            return False
        return not any(part.startswith(".") or part == "node_modules" for part in Path(path[len(root) :]).parts)

    stop = asyncio.Event()
    watch = awatch(*roots, watch_filter=counts, debounce=_SETTLE_MILLISECONDS, recursive=True, stop_event=stop)
    try:
        async with aclosing(watch):
            while changes := await _take_next(watch, stop):
                yield len(changes)
    except OSError as error:
        raise CorpusError(
            f"watching {one_line(', '.join(roots), 200)}: {one_line(str(error))}; name fewer folders, or set"
            " WATCHFILES_FORCE_POLLING=1"
        ) from None


async def _take_next(watch: AsyncGenerator[set[T], None], stop: asyncio.Event) -> set[T] | None:
    """The next changes; None at the end.

    Where it is cancelled it first waits, some milliseconds, for the thread that watches: closing the watcher under it
    is an error.
    """

    async def take() -> set[T] | None:
        return await anext(watch, None)

    taking = asyncio.create_task(take())
    try:
        await asyncio.wait({taking})
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait({taking})
        raise
    return taking.result()


def _find_watch_root(path: str) -> str:
    """The folder or file to watch for a path: of a pattern, the folder above what varies."""
    whole = Path(path).expanduser().absolute()
    if not has_magic(path) or whole.exists():
        return str(whole)
    return str(next(folder for folder in whole.parents if not has_magic(str(folder))))
