"""Change batching: changes on their way to the index, in batches of bounded size and age."""

import time
from collections.abc import Sequence
from typing import Final

from weiwo.tools.corpus.records import Changes, Document, KnownFile, Passage

_BATCH_PASSAGES: Final = 4_000
"""Passages after which a batch is written; a longer document is a batch of its own."""

_BATCH_DOCUMENTS: Final = 2_000
"""Changes after which it is, however few passages they have."""

BATCH_SECONDS: Final = 2.0
"""Seconds after which it is, however few they are: a kill loses no more."""


class ChangeBatch:
    """Collects changes. No path is twice in a batch, so that their order does not matter."""

    def __init__(self) -> None:
        self._put: dict[str, tuple[Document, Sequence[Passage]]] = {}
        self._touched: dict[str, KnownFile] = {}
        self._failed: dict[str, KnownFile] = {}
        self._removed: list[str] = []
        self._passages = 0
        self._since: float | None = None

    def __bool__(self) -> bool:
        return self._since is not None

    @property
    def full(self) -> bool:
        """Whether it is large enough to be written."""
        documents = len(self._put) + len(self._touched) + len(self._failed) + len(self._removed)
        return self._passages >= _BATCH_PASSAGES or documents >= _BATCH_DOCUMENTS

    @property
    def wait(self) -> float | None:
        """Seconds until it is old enough to be written; None while it is empty."""
        return None if self._since is None else max(0.0, BATCH_SECONDS - (time.monotonic() - self._since))

    def holds(self, path: str) -> bool:
        """Whether a document of that path is in it already."""
        return path in self._put

    def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """A document was read."""
        self._begin()
        self._touched.pop(document.path, None)
        self._put[document.path] = (document, passages)
        self._passages += len(passages)

    def touch(self, known: KnownFile) -> None:
        """A file has another time, or size, but the same bytes."""
        self._begin()
        self._touched[known.path] = known

    def fail(self, known: KnownFile) -> None:
        """A file could not be read."""
        self._begin()
        self._touched.pop(known.path, None)
        self._put.pop(known.path, None)
        self._failed[known.path] = known

    def remove(self, path: str) -> None:
        """A document is gone."""
        self._begin()
        self._touched.pop(path, None)
        self._put.pop(path, None)
        self._removed.append(path)

    def take(self) -> Changes:
        """The changes so far; the batch is empty afterwards."""
        changes = Changes(
            put=list(self._put.values()),
            touched=list(self._touched.values()),
            failed=list(self._failed.values()),
            removed=self._removed,
        )
        self.__init__()  # type: ignore[misc]
        return changes

    def _begin(self) -> None:
        if self._since is None:
            self._since = time.monotonic()
