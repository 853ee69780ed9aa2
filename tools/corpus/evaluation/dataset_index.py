"""Evaluation indexes: a labelled set's documents as a corpus, kept by the hash of the documents."""

import hashlib
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

from weiwo.text.chunking import chunk_text
from weiwo.text.language_detection import detect_language
from weiwo.text.printable import printable
from weiwo.tools.corpus.evaluation.dataset import Dataset, DatasetDocument
from weiwo.tools.corpus.index.catalog import locate_by_name, record_origin
from weiwo.tools.corpus.index.embedding_models import Embedder
from weiwo.tools.corpus.index.keyword_index import ANALYZER
from weiwo.tools.corpus.index.store import VERSION
from weiwo.tools.corpus.index.vector_index import embed_passages
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes, Document, Passage

_KEPT: Final = 8
"""Number of dataset indexes to keep. The least recently used are deleted."""
_BATCH: Final = 500
_COMPLETE: Final = "complete"
_LOOKED_AT: Final = 500
"""Characters of a document used for language detection."""

StageListener = Callable[[str, int, int], None]
"""Progress callback, called with the name of the stage, the number done, and the total (0 if unknown)."""


def index_dataset(dataset: Dataset, home: Path, model: Embedder | None, watch: StageListener | None = None) -> Path:
    """Index a set's documents, or reuse an earlier index. Blocks.

    Args:
        dataset: The set.
        home: The folder of Weiwo's own files. The index is a corpus in it, named after the set and its documents' hash.
        model: The embedding model, if any.
        watch: Listener for progress.

    Returns:
        The corpus folder.

    Raises:
        CorpusError: The documents are broken, the embedding model failed, or the index cannot be written.
    """
    readable = "".join(item if item.isalnum() or item in "-." else "-" for item in dataset.name)[:40]
    key = f"{dataset.digest()}-{ANALYZER}-{VERSION}-{model.name if model else ''}"
    folder = locate_by_name(home, f"eval-{readable}-{hashlib.sha256(key.encode()).hexdigest()[:8]}")
    _fill_index(dataset, folder, model, watch)
    record_origin(folder, ())  # without paths, since the index is never updated from files
    _delete_unused(folder.parent)
    return folder


def _fill_index(dataset: Dataset, folder: Path, model: Embedder | None, watch: StageListener | None) -> None:
    """Add the documents and vectors missing from an index, and mark it as complete and used."""
    complete = folder / _COMPLETE
    if not complete.exists() or model is not None:
        with IndexWriter(folder) as writer:
            if not complete.exists():
                documents, done = dataset.documents(), 0
                while batch := list(islice(documents, _BATCH)):
                    put = [
                        (
                            Document(item.id, f"/{item.id}", "", len(item.text), 0, _clean_title(item), "markdown", ""),
                            _cut_passages(item),
                        )
                        for item in batch
                    ]
                    writer.apply(Changes(put=put))
                    done += len(batch)
                    if watch is not None:
                        watch("indexing", done, 0)
                complete.touch()
            if model is not None:
                embed_passages(
                    writer, model, None if watch is None else lambda now: watch("embedding", now.done, now.total)
                )
    complete.touch()


def count_languages(dataset: Dataset) -> Counter[str]:
    """Count the first 500 documents of a set by language code."""
    return Counter(
        detect_language(f"{document.title} {document.text[:_LOOKED_AT]}")
        for document in islice(dataset.documents(), _BATCH)
    )


def _clean_title(entry: DatasetDocument) -> str:
    return " ".join(printable(entry.title).split())


def _cut_passages(entry: DatasetDocument) -> list[Passage]:
    title = _clean_title(entry)
    heading = f"# {title}\n\n" if title else ""
    _, pieces = chunk_text(f"{heading}{printable(entry.text)}\n", markdown=True)
    return [Passage(piece.text, piece.headings, f"line {piece.first}", piece.first, piece.last) for piece in pieces]


def _delete_unused(parent: Path) -> None:
    """Delete the least recently used dataset indexes. Folders without the marker file `complete` are left alone."""
    used: list[tuple[float, Path]] = []
    for folder in parent.iterdir():
        with suppress(OSError):
            used.append(((folder / _COMPLETE).stat().st_mtime, folder))
    for _, folder in sorted(used, reverse=True)[_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
