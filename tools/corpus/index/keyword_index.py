"""Keyword index: words and character n-grams of a corpus in tantivy, ranked by BM25.

It can be rebuilt from the store at any time. A commit records the generation of the store that it represents, so that
the part missing after a kill is known exactly. Texts arrive analyzed (`analyzer`, `ngrams`) and stemmed (`stemmers`).
tantivy only splits them at blanks. The index stores no text.

The cost of a search is bounded by the postings it reads, whatever the size of the corpus. Passages are found by the
rarest words of a question, and its common words only add to their scores. A word in half of all passages hardly
distinguishes them, and skipping through its postings takes tantivy longer than all others together.

A passage's title counts twice, the name of its file once, in one field with its headings, context and words. Separate
fields with weights did no better on MuSiQue and HotpotQA.
"""

import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from weiwo.state.cached_property import cached_property
from weiwo.state.kinds import Language
from weiwo.text.file_names import name_words
from weiwo.text.ngrams import NOTHING_INDEXED, Indexer
from weiwo.tools.corpus.index.stemmers import STEMMERS, stem_terms
from weiwo.tools.corpus.index.store import Store
from weiwo.tools.private_files import close_files, make_private_folder

if TYPE_CHECKING:
    import tantivy

ANALYZER: Final = 3
"""Version of the text analysis. An index of another version is built anew."""

_WRITER_BYTES: Final = 64_000_000
_MOST_COMMON: Final = 12
"""Maximum number of common words of a question that add to scores. A longer question has enough rare words."""
_MOST_COUNTS: Final = 20_000
_FIELDS: Final = ("words", "grams")
_MARK: Final = "generation"

_KeywordHit = tuple[int, float]
"""Number of a passage, and its BM25 score."""


@dataclass(frozen=True, slots=True)
class _SearchBounds:
    """Limits on the postings (pairs of a term and a passage) read by a search."""

    enough: int = 5_000  # postings of the rarest words after which common words no longer find passages
    plenty: int = 50_000  # postings up to which common words find passages even then
    grams: int = 250_000  # postings after which no further n-gram is searched; 100,000 short passages rarely have more


class KeywordSnapshot:
    """Immutable snapshot of the index at a generation of the store, unaffected by later writes."""

    def __init__(self, index: "tantivy.Index") -> None:
        import tantivy

        self._tantivy = tantivy
        self._schema = index.schema
        self._searcher = index.searcher()
        self.bounds = _SearchBounds()  # limits of each search
        self._counts: dict[tuple[str, str], int] = {}
        mark = tantivy.Query.term_query(self._schema, "mark", _MARK)
        hits = self._searcher.search(mark, 1, count=False).hits
        (found,) = self._searcher.fast_field_values("generation", [hits[0][1]]) if hits else (0,)
        self.generation = int(found or 0)

    @property
    def size(self) -> int:
        """Return the approximate number of passages."""
        return int(self._searcher.num_docs)

    @cached_property
    def _languages(self) -> tuple[Language, ...]:
        """Return the languages with stemmed entries in the index."""
        return ("en", *(stemmer for stemmer in STEMMERS if self._count("language", stemmer)))

    def _list_stems(self, term: str) -> dict[str, None]:
        """Return the stems of a term in each language of the index, as keys of a dictionary without duplicates."""
        return dict.fromkeys(stem for language in self._languages for stem in stem_terms(term, language))

    def frequency(self, term: str) -> int:
        """Return the number of passages with a term of `weiwo.text.analyzer`.

        A term with different stems in different languages counts by its most frequent stem.
        """
        return max((self._count("words", stem) for stem in self._list_stems(term)), default=0)

    def _count(self, field: str, term: str) -> int:
        """Return the number of passages with a term, cached.

        The router and each search ask for the same terms.
        """
        count = self._counts.get((field, term))
        if count is None:
            if len(self._counts) >= _MOST_COUNTS:
                self._counts.clear()
            count = self._counts[field, term] = int(self._searcher.doc_freq(field, term))
        return count

    def search_words(
        self,
        terms: Iterable[str],
        limit: int,
        within: Sequence[int] | None = None,
        weights: dict[str, float] | None = None,
    ) -> list[_KeywordHit]:
        """Search for passages sharing a term with a question.

        Args:
            terms: The question, as given by `weiwo.text.analyzer.query_terms`.
            limit: Maximum number of hits.
            within: Numbers of the documents to search, if not all.
            weights: Weight of terms that count more or less than others, which have weight 1.

        Returns:
            Passage numbers with BM25 scores, best first. Equal scores are ordered by passage number.
        """
        given = weights or {}
        stems: dict[str, float] = {}
        for term in terms:
            for stem in self._list_stems(term):
                stems[stem] = max(stems.get(stem, 0.0), given.get(term, 1.0))
        counted = self._sort_by_frequency("words", stems)
        wanted, entries = 0, 0
        for count, _ in counted:
            if within is None and entries >= self.bounds.enough and entries + count > self.bounds.plenty:
                break
            wanted, entries = wanted + 1, entries + count
        if not wanted:
            return []
        weighed = [(stem, stems[stem]) for _, stem in counted]
        asked = self._any("words", weighed[:wanted])
        occur = self._tantivy.Occur
        # Nested, because tantivy would read the postings of sibling clauses to the end.
        for common in weighed[wanted:][:_MOST_COMMON]:
            asked = self._tantivy.Query.boolean_query(
                [(occur.Must, asked), (occur.Should, self._one("words", *common))]
            )
        return self._search(asked, limit, within)

    def search_grams(
        self, grams: Iterable[str], most: int, limit: int, within: Sequence[int] | None = None
    ) -> list[_KeywordHit]:
        """Search for passages sharing a character n-gram with a question. Returns hits as `search_words` does.

        Only the `most` rarest of the n-grams are searched.
        """
        chosen: list[tuple[str, float]] = []
        entries = 0
        for count, gram in self._sort_by_frequency("grams", grams)[:most]:
            if entries < self.bounds.grams:
                chosen.append((gram, 1.0))
            entries += count
        return self._search(self._any("grams", chosen), limit, within) if chosen else []

    def _sort_by_frequency(self, field: str, terms: Iterable[str]) -> list[tuple[int, str]]:
        """Return the terms that occur in the index, rarest first, as pairs of passage count and term."""
        return sorted((count, term) for term in terms if (count := self._count(field, term)))

    def _any(self, field: str, terms: Iterable[tuple[str, float]]) -> "tantivy.Query":
        should = self._tantivy.Occur.Should
        return self._tantivy.Query.boolean_query([(should, self._one(field, *term)) for term in terms])

    def _one(self, field: str, term: str, weight: float) -> "tantivy.Query":
        query = self._tantivy.Query
        term_query = query.term_query(self._schema, field, term, "freq")
        return term_query if weight == 1 else query.boost_query(term_query, weight)

    def _search(self, asked: "tantivy.Query", limit: int, within: Sequence[int] | None) -> list[_KeywordHit]:
        if limit < 1 or (within is not None and not within):
            return []
        if within is not None:
            query, must = self._tantivy.Query, self._tantivy.Occur.Must
            chosen = query.const_score_query(query.term_set_query(self._schema, "document", list(within)), 0.0)
            asked = query.boolean_query([(must, asked), (must, chosen)])
        hits = self._searcher.search(asked, limit, count=False).hits
        ids = self._searcher.fast_field_values("id", [address for _, address in hits])
        found = [(int(number), float(score)) for (score, _), number in zip(hits, ids, strict=True) if number]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))


class KeywordIndex:
    """The keyword index of a corpus.

    Reading is safe from any thread. Writing needs the lock of `writer`.
    """

    def __init__(self, folder: Path, identity: int) -> None:
        """Open the index in a corpus folder. A missing index is empty.

        Raises:
            ValueError, OSError: The files of the index are broken or cannot be opened.
        """
        self._folder = folder
        self.path = folder / f"keyword-{ANALYZER}-{identity:x}"
        self._lock = Lock()
        self._index = self._open()
        self._snapshot = KeywordSnapshot(self._index)

    def _open(self) -> "tantivy.Index":
        import tantivy

        build = tantivy.SchemaBuilder()
        build.add_unsigned_field("id", fast=True)
        build.add_unsigned_field("document", indexed=True)
        build.add_unsigned_field("generation", fast=True)
        for field in ("mark", "language"):
            build.add_text_field(field, tokenizer_name="raw", index_option="basic")
        for field in _FIELDS:
            build.add_text_field(field, tokenizer_name=field, index_option="freq")
        make_private_folder(self.path)
        index = tantivy.Index(build.build(), str(self.path))
        index.config_reader("manual")
        blanks = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        for field in _FIELDS:
            index.register_tokenizer(field, blanks)
        return index

    def snapshot(self, generation: int) -> KeywordSnapshot:
        """Return a snapshot of the index, reloaded from disk if older than `generation`.

        It may still be older, since the index lags behind the store.
        """
        with self._lock:
            if self._snapshot.generation < generation:
                self._index.reload()
                self._snapshot = KeywordSnapshot(self._index)
            return self._snapshot

    def delete_stale(self) -> None:
        """Delete index files left by older analyzers or other stores."""
        for other in self._folder.glob("keyword-*"):
            if other != self.path:
                shutil.rmtree(other, ignore_errors=True)

    def begin_update(self) -> "_KeywordUpdate":
        """Open the index for writing, starting from the last commit."""
        return _KeywordUpdate(self.path, self._index, self.snapshot(1 << 62).generation)


class _KeywordUpdate:
    """Open writer that brings the index up to the store, commit by commit. Only one may be open at a time."""

    def __init__(self, folder: Path, index: "tantivy.Index", committed: int) -> None:
        import tantivy

        self._tantivy = tantivy
        self._schema = index.schema
        self._indexers: dict[Language, Indexer] = {}
        self._folder = folder
        self._writer = index.writer(_WRITER_BYTES, 1)
        # Files of a killed commit have the names that this commit will use.
        self._writer.garbage_collect_files()
        self.committed = committed
        """Generation of the last commit, which survives a kill."""
        self._added = committed
        self.pending = 0
        """Passages added and not yet committed."""

    def add_changes(self, store: Store, until: int) -> None:
        """Add the changes of the store, up to a generation."""
        dead = store.read_died(self._added, until)
        if dead:
            # Delete by query: tantivy's deletion by term treats unsigned numbers as signed and matches nothing.
            self._writer.delete_documents_by_query(self._tantivy.Query.term_set_query(self._schema, "document", dead))
        make = self._tantivy.Document
        last, above = 0, NOTHING_INDEXED
        for number, document, language, name, title, context, text in store.read_born(self._added, until):
            # All languages without a stemmer share an indexer.
            own = language if language in STEMMERS else "en"
            if own not in self._indexers:
                self._indexers[own] = Indexer(partial(stem_terms, language=own))
            indexed = self._indexers[own]
            # The passages of a document are adjacent, so the last document is enough to compare.
            if document != last:
                last, above = document, indexed(f"{title} {title} {name_words(name, title)}")
            below = indexed(f"{context}\n{text}" if context else text)
            entry = make()
            entry.add_unsigned("id", number)
            entry.add_unsigned("document", document)
            if language in STEMMERS:
                entry.add_text("language", language)
            entry.add_text("words", f"{above.terms} {below.terms}")
            entry.add_text("grams", f"{above.grams} {below.grams}")
            self._writer.add_document(entry)
            self.pending += 1
        self._added = until

    def commit(self) -> int:
        """Commit the added changes, so that new snapshots see them, and return the committed generation."""
        if self._added > self.committed:
            self._writer.delete_documents_by_query(self._tantivy.Query.term_query(self._schema, "mark", _MARK))
            mark = self._tantivy.Document()
            mark.add_text("mark", _MARK)
            mark.add_unsigned("generation", self._added)
            self._writer.add_document(mark)
            self._writer.commit()
            # tantivy creates its files with the umask's permissions.
            close_files(self._folder)
            self.committed, self.pending = self._added, 0
        return self.committed

    def close(self) -> None:
        """Wait until segments are merged, and close the writer without a commit."""
        # A writer that has failed raises ValueError.
        with suppress(ValueError):
            self._writer.wait_merging_threads()
        close_files(self._folder)
