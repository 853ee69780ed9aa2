"""The words and character n-grams of a corpus in tantivy, ranked by BM25.

Rebuildable from the store at any time: a commit holds, besides the passages, the generation of the store that it
stands for, so that what is missing after a kill is known exactly. Texts come analyzed (`text.analysis`, `text.grams`);
tantivy splits at blanks and stems English endings (Snowball). The index holds no text.

A passage's title counts twice, in one field with its headings and words; separate fields with weights did no better on
MuSiQue and HotpotQA.
"""

import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from text.grams import indexed
from tools.corpus.store import Store

if TYPE_CHECKING:
    import tantivy

ANALYZER: Final = 1
"""Goes up when texts are analyzed differently; the index is then built anew."""

_WRITER_BYTES: Final = 64_000_000
_FIELDS: Final = ("words", "grams")
_MARK: Final = "generation"

Hit = tuple[int, float]
"""A passage's number and its score."""


class Snapshot:
    """The index at one generation of the store; it stays as it is, whatever is written meanwhile."""

    def __init__(self, index: "tantivy.Index", stem: "tantivy.TextAnalyzer") -> None:
        import tantivy  # noqa: PLC0415  # heavy

        self._tantivy = tantivy
        self._schema = index.schema
        self._stem = stem
        self._searcher = index.searcher()
        self.generation = self._generation()

    def _generation(self) -> int:
        mark = self._tantivy.Query.term_query(self._schema, "mark", _MARK)
        hits = self._searcher.search(mark, 1, count=False).hits
        (found,) = self._searcher.fast_field_values("generation", [hits[0][1]]) if hits else (0,)
        return int(found or 0)

    @property
    def size(self) -> int:
        """The number of passages, about."""
        return int(self._searcher.num_docs)

    def frequency(self, term: str) -> int:
        """The number of passages that hold a term, as `text.analysis` gives it."""
        return max((int(self._searcher.doc_freq("words", stem)) for stem in self._stem.analyze(term)), default=0)

    def words(
        self,
        terms: Iterable[str],
        limit: int,
        within: Sequence[int] | None = None,
        weights: dict[str, float] | None = None,
    ) -> list[Hit]:
        """Passages that share a term with a question.

        Args:
            terms: The question, as `text.analysis.query_terms` gives it.
            limit: How many at most.
            within: Numbers of the documents to look at, if not all.
            weights: Terms that count more, or less, than others.

        Returns:
            The best, best first; equal scores in the order of passages.
        """
        given = weights or {}
        stems: dict[str, float] = {}
        for term in terms:
            for stem in self._stem.analyze(term):
                stems[stem] = max(stems.get(stem, 0.0), given.get(term, 1.0))
        return self._search("words", stems, limit, within)

    def grams(self, grams: Iterable[str], most: int, limit: int, within: Sequence[int] | None = None) -> list[Hit]:
        """Passages that share a character n-gram with a question; of its n-grams the `most` rarest that occur count."""
        counted = [(count, gram) for gram in grams if (count := self._searcher.doc_freq("grams", gram))]
        return self._search("grams", dict.fromkeys((gram for _, gram in sorted(counted)[:most]), 1.0), limit, within)

    def _search(self, field: str, terms: dict[str, float], limit: int, within: Sequence[int] | None) -> list[Hit]:
        if not terms or limit < 1 or (within is not None and not within):
            return []
        query, occur = self._tantivy.Query, self._tantivy.Occur
        clauses = []
        for term, weight in terms.items():
            one = query.term_query(self._schema, field, term, "freq")
            clauses.append((occur.Should, one if weight == 1 else query.boost_query(one, weight)))
        asked = query.boolean_query(clauses)
        if within is not None:
            chosen = query.const_score_query(query.term_set_query(self._schema, "document", list(within)), 0.0)
            asked = query.boolean_query([(occur.Must, asked), (occur.Must, chosen)])
        hits = self._searcher.search(asked, limit, count=False).hits
        ids = self._searcher.fast_field_values("id", [address for _, address in hits])
        found = [(int(number), float(score)) for (score, _), number in zip(hits, ids, strict=True) if number]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))


class KeywordIndex:
    """The index of one corpus. Reading is safe from any thread; writing needs the lock of `tools.corpus.writing`."""

    def __init__(self, folder: Path, identity: int) -> None:
        """Open the index in a corpus folder; where there is none, it is empty.

        Args:
            folder: The corpus folder.
            identity: That of the store.

        Raises:
            ValueError: Its files are broken.
        """
        self._folder = folder
        self.path = folder / f"keyword-{ANALYZER}-{identity:x}"
        self._lock = Lock()
        self._index, self._stem = self._open()
        self._snapshot = Snapshot(self._index, self._stem)

    def _open(self) -> "tuple[tantivy.Index, tantivy.TextAnalyzer]":
        import tantivy  # noqa: PLC0415  # heavy

        build = tantivy.SchemaBuilder()
        build.add_unsigned_field("id", fast=True)
        build.add_unsigned_field("document", indexed=True)
        build.add_unsigned_field("generation", fast=True)
        build.add_text_field("mark", tokenizer_name="raw", index_option="basic")
        for field in _FIELDS:
            build.add_text_field(field, tokenizer_name=field, index_option="freq")
        self.path.mkdir(parents=True, exist_ok=True)
        index = tantivy.Index(build.build(), str(self.path))
        index.config_reader("manual")
        blanks = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
        stem = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(tantivy.Filter.stemmer("english"))
        analyzer = stem.build()
        index.register_tokenizer("words", analyzer)
        index.register_tokenizer("grams", blanks.build())
        return index, analyzer

    def snapshot(self, generation: int) -> Snapshot:
        """The newest state of the index, looked for anew if it is older than a generation of the store."""
        with self._lock:
            if self._snapshot.generation < generation:
                self._index.reload()
                self._snapshot = Snapshot(self._index, self._stem)
            return self._snapshot

    def tidy(self) -> None:
        """Delete what an older analyzer, or another store, has left."""
        for other in self._folder.glob("keyword-*"):
            if other != self.path:
                shutil.rmtree(other, ignore_errors=True)

    def update(self) -> "Update":
        """Begin to write."""
        return Update(self._index, self.snapshot(1 << 62).generation)


class Update:
    """Brings the index up to the store, commit by commit; one at a time."""

    def __init__(self, index: "tantivy.Index", committed: int) -> None:
        import tantivy  # noqa: PLC0415  # heavy

        self._tantivy = tantivy
        self._schema = index.schema
        self._writer = index.writer(_WRITER_BYTES, 1)
        self.committed = committed
        """The generation that survives a kill."""
        self._added = committed
        self.pending = 0
        """Passages added and not yet committed."""

    def add(self, store: Store, until: int) -> None:
        """Take over what has changed in the store, up to a generation."""
        dead = store.died_since(self._added, until)
        if dead:  # by query: a deletion by term takes every number for a signed one, and finds none
            self._writer.delete_documents_by_query(self._tantivy.Query.term_set_query(self._schema, "document", dead))
        make = self._tantivy.Document
        for number, document, title, headings, text in store.born_since(self._added, until):
            above, below = indexed(title), indexed(f"{headings}\n{text}")
            entry = make()
            entry.add_unsigned("id", number)
            entry.add_unsigned("document", document)
            entry.add_text("words", f"{above.terms} {above.terms} {below.terms}")
            entry.add_text("grams", f"{above.grams} {above.grams} {below.grams}")
            self._writer.add_document(entry)
            self.pending += 1
        self._added = until

    def commit(self) -> int:
        """Make what was added durable, and visible to new snapshots. Returns its generation."""
        if self._added > self.committed:
            self._writer.delete_documents_by_query(self._tantivy.Query.term_query(self._schema, "mark", _MARK))
            mark = self._tantivy.Document()
            mark.add_text("mark", _MARK)
            mark.add_unsigned("generation", self._added)
            self._writer.add_document(mark)
            self._writer.commit()
            self.committed, self.pending = self._added, 0
        return self.committed

    def close(self) -> None:
        """Wait for segments to be merged, and let go of the files."""
        with suppress(ValueError):  # a writer that has failed
            self._writer.wait_merging_threads()
