"""Relation lexicon: attributes asked for in questions, and the words stating each attribute.

The table is `text/data/relations.toml`. A new phrasing is a word in one of its rows, never a branch.
"""

from functools import cache
from typing import NamedTuple

from weiwo.text.data_files import data_rows, split_cell
from weiwo.text.terms import FUNCTION_WORDS, stem


class LexiconEntry(NamedTuple):
    """A relation of the lexicon.

    Attributes:
        name: The name, as in `QueryFrame.relation`.
        answer_type: Type of the value if the question word does not say it (`state.query.AnswerType`).
        dimension: Dimension of a quantity (`length area people mass duration money speed temperature count`), or empty.
        asks: Words by which questions ask for the relation, by language.
        says: Words by which a clause states the relation, by language.
        noun: The noun, by language.
    """

    name: str
    answer_type: str
    dimension: str
    asks: dict[str, tuple[str, ...]]
    says: dict[str, tuple[str, ...]]
    noun: dict[str, str]


@cache
def relations() -> dict[str, LexiconEntry]:
    """Return the relations of the lexicon by name."""
    table = {}
    for name, kind, dimension, asks_en, asks_zh, says_en, says_zh, noun_en, noun_zh in data_rows("relations", "rows"):
        asks = {"en": split_cell(asks_en), "zh": split_cell(asks_zh)}
        says = {"en": split_cell(says_en), "zh": split_cell(says_zh)}
        table[name] = LexiconEntry(name, kind, dimension, asks, says, {"en": noun_en, "zh": noun_zh})
    return table


@cache
def quantity_words() -> dict[str, frozenset[str]]:
    """Return the measured relations that each word names: "tall" → {"height"}. English words are keyed by stem.

    Only relations with a dimension have entries. Money is left out, because a price and a fee are two different sums.
    """
    table: dict[str, set[str]] = {}
    for row in relations().values():
        measured = row.dimension not in {"", "money"}
        words = (*row.asks["en"], *row.says["en"], *row.asks["zh"], *row.says["zh"]) if measured else ()
        for word in words:
            if " " not in word:
                table.setdefault(stem(word) if word.isascii() else word, set()).add(row.name)
    return {word: frozenset(names) for word, names in table.items()}


@cache
def relation_words() -> dict[str, frozenset[str]]:
    """Return the relations that each word states: "found" → {"founder", "founding"}. English words are keyed by stem.

    A word of more than two relations is left out, and so are the words for a price, because a price and a fee are two
    different sums.
    """
    table: dict[str, set[str]] = {}
    for row in relations().values():
        for word in (*row.says["en"], *row.says["zh"]) if row.name != "price" else ():
            if " " not in word and word not in FUNCTION_WORDS:
                table.setdefault(stem(word) if word.isascii() else word, set()).add(row.name)
    return {word: frozenset(names) for word, names in table.items() if len(names) <= 2}  # a founder founded
