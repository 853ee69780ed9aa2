"""Language fit: whether an embedding model knows the languages of a corpus.

A model that does not makes search worse: it puts all texts of an unknown language close together, in a meaningless
order. all-MiniLM-L6-v2, an English model, lowered recall@5 on Chinese news from .459 to .266. So a model is tested with
pairs of sentences that say the same in different words, where the nearest sentence must be the partner. That model
found 24 of 24 in English and 10 of 24 in Chinese. Character n-grams, which know no language, found 2 and 17.

A model that fails in both languages is trusted nevertheless, since the test then tells nothing about languages.
"""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from weiwo.state.kinds import Locale
from weiwo.text.data_files import data_rows
from weiwo.tools.corpus.index.store import STORE, Store

if TYPE_CHECKING:
    from weiwo.state.settings import Settings
    from weiwo.tools.corpus.index.embedding_models import Embedder

_KNOWN: Final = 75
"""Percentage of found pairs from which a model counts as knowing a language."""
_FEW: Final = 0.1
"""Share of passages in an unknown language from which the user is warned."""
_MANY: Final = 0.5
"""Share of passages in an unknown language from which the model is not used for the corpus."""

_NAMES: Final[dict[Locale, str]] = {"en": "English", "zh": "Chinese"}
_PAIRS: Final[dict[Locale, tuple[tuple[str, ...], ...]]] = {
    language: data_rows("language_pairs", language) for language in _NAMES
}


class LanguageFit(NamedTuple):
    """The fit of an embedding model to the languages of a corpus."""

    model: str  # name of the model
    found: Mapping[Locale, int]  # percentage of test pairs that the model finds, by language
    passages: Mapping[str, int]  # number of passages of the corpus, by language code

    @property
    def foreign(self) -> tuple[Locale, ...]:
        """Return the tested languages (English, Chinese) that the model does not know.

        Empty if the model fails in both, since the test then says nothing about languages.
        """
        unknown = tuple(language for language, percent in self.found.items() if percent < _KNOWN)
        return unknown if len(unknown) < len(self.found) else ()

    @property
    def share(self) -> float:
        """Return the share of passages in languages unknown to the model."""
        return sum(self.passages.get(locale, 0) for locale in self.foreign) / max(1, sum(self.passages.values()))

    @property
    def is_trusted(self) -> bool:
        """Report whether the model is used for the corpus: less than half of the passages are in unknown languages."""
        return self.share < _MANY

    @property
    def warning(self) -> str:
        """Return the one-line warning for the user. Empty if few passages are in unknown languages."""
        if self.share < _FEW:
            return ""
        unknown = " or ".join(_NAMES[locale] for locale in self.foreign)
        part = "the documents" if self.share > 1 - _FEW else f"{self.share:.0%} of the passages"
        instead = (
            "such passages are hardly found by meaning"
            if self.is_trusted
            else "n-grams are searched instead of vectors"
        )
        return (
            f"embeddings {self.model}: the model does not support {unknown}, the language of {part}; "
            f"{instead}; set WEIWO_EMBEDDINGS to a multilingual model"
        )


def measure_languages(model: "Embedder") -> dict[Locale, int]:
    """Return the percentage of test pairs found by a model, by language.

    A pair is tested in both directions: the partner must be the nearest of all sentences on the other side.

    Raises:
        EmbeddingError: The model failed.
    """
    texts = [text for pairs in _PAIRS.values() for side in zip(*pairs, strict=True) for text in side]
    vectors = model.embed_texts(texts)
    found: dict[Locale, int] = {}
    start = 0
    for language, pairs in _PAIRS.items():
        count = len(pairs)
        likeness = vectors[start : start + count] @ vectors[start + count : start + 2 * count].T
        hits = sum(int(likeness.argmax(axis)[index] == index) for axis in (0, 1) for index in range(count))
        found[language] = round(100 * hits / (2 * count))
        start += 2 * count
    return found


def assess_fit(store: Store, model: "Embedder") -> LanguageFit:
    """Return the fit of a model to a corpus. Needs the writer's lock.

    The test results are recorded in the corpus, so that a model is tested only once.

    Raises:
        EmbeddingError: The model failed.
    """
    known = read_fit(store, model.name)
    if known is not None:
        return known
    found = measure_languages(model)
    with store.write_transaction() as connection:
        # Drop the results of another model.
        connection.execute("DELETE FROM meta WHERE name LIKE 'knows %'")
        connection.executemany(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)",
            [(f"knows {language} {model.name}", percent) for language, percent in found.items()],
        )
        return LanguageFit(model.name, found, _count_languages(connection))


def read_fit(store: Store, model: str | None = None) -> LanguageFit | None:
    """Return the recorded fit of a model to a corpus, or None if no test is recorded.

    Without a name, it is the fit of the model that was tested last.
    """
    with store.read_transaction() as connection:
        found: dict[Locale, int] = {}
        for name, percent in connection.execute("SELECT name, value FROM meta WHERE name LIKE 'knows %'"):
            _, language, other = name.split(" ", 2)
            if model in {None, other}:
                model = other
                found[language] = percent
        return LanguageFit(str(model), found, _count_languages(connection)) if found else None


def drop_unfit_model(folder: Path, settings: "Settings") -> "Settings":
    """Return the settings, without the embedding model if it is known not to fit the languages of the corpus."""
    if settings.embeddings is None:
        return settings
    with closing(Store(folder / STORE)) as store:
        known = read_fit(store, settings.embeddings)
    return settings if known is None or known.is_trusted else replace(settings, embeddings=None)


def _count_languages(connection: sqlite3.Connection) -> dict[str, int]:
    rows = connection.execute("SELECT language, sum(count) FROM documents WHERE died IS NULL GROUP BY language")
    return dict(rows.fetchall())
