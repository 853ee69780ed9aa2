"""An index in memory, for tests of what ingestion hands over."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from weiwo.tools.corpus.records import Changes, Document, KnownFile, Passage


class MemoryWriter:
    """A `Writer` that keeps everything, and holds ingestion to the contract.

    Attributes:
        documents: What is indexed, by path.
        failures: What could not be read, by path.
        log: The batches, in order.
    """

    def __init__(self, before_apply: Callable[[int], None] | None = None) -> None:
        self.documents: dict[str, tuple[Document, tuple[Passage, ...]]] = {}
        self.failures: dict[str, KnownFile] = {}
        self.log: list[Changes] = []
        self._before_apply = before_apply

    def read_known(self) -> Mapping[str, KnownFile]:
        known = {
            path: KnownFile(path, one.source, one.sha256, one.size, one.modified_ns)
            for path, (one, _) in self.documents.items()
        }
        return known | self.failures

    def apply(self, changes: Changes) -> int:
        if self._before_apply:
            self._before_apply(len(self.log))
        documents, failures = dict(self.documents), dict(self.failures)
        for path in [*changes.removed, *(one.path for one in changes.failed)]:
            documents.pop(path, None)
            failures.pop(path, None)
        arrived = [one.path for one, _ in changes.put]
        assert len(set(arrived)) == len(arrived), "a path is twice in a batch"
        for one, passages in changes.put:
            documents[one.path] = (one, tuple(passages))
        for path in arrived:
            failures.pop(path, None)
        for one in changes.touched:
            document, passages = documents[one.path]
            documents[one.path] = (
                replace(document, sha256=one.sha256, size=one.size, modified_ns=one.modified_ns),
                passages,
            )
        failures |= {one.path: one for one in changes.failed}
        sources = [one.source for one, _ in documents.values()]
        assert len(set(sources)) == len(sources), "a source is given twice"
        self.documents, self.failures = documents, failures
        self.log.append(changes)
        return len(self.log)

    def passages(self, source: str) -> Sequence[Passage]:
        """The passages of the document that citations name so."""
        return next(passages for one, passages in self.documents.values() if one.source == source)

    @property
    def sources(self) -> set[str]:
        """The names of all documents."""
        return {one.source for one, _ in self.documents.values()}

    @property
    def texts(self) -> dict[str, list[str]]:
        """The texts of all passages, by source."""
        return {one.source: [piece.text for piece in passages] for one, passages in self.documents.values()}
