"""Antonyms and co-hyponyms: words that exclude each other, out of `text/data/contrasts.toml`."""

from functools import cache

from weiwo.text.data_files import data_text
from weiwo.text.terms import stem


def _entries(name: str) -> list[str]:
    rows = data_text("contrasts", name)
    return [entry for line in rows.strip().splitlines() for entry in line.split(";")]


@cache
def opposites() -> dict[str, tuple[tuple[int, int], ...]]:
    """The sides of each word: its axes with 1 for one side and -1 for the other. English words by stem."""
    table: dict[str, list[tuple[int, int]]] = {}
    for axis, row in enumerate(_entries("opposites")):
        for side, words in zip((1, -1), row.split("|"), strict=True):
            for word in words.split():
                key = stem(word) if word.isascii() else word
                if (axis, side) not in table.setdefault(key, []):
                    table[key].append((axis, side))
    return {key: tuple(sides) for key, sides in table.items() if len({axis for axis, _ in sides}) == len(sides)}


@cache
def classes() -> dict[str, tuple[tuple[int, int], ...]]:
    """The classes of each word: number of the class, and number of the member in it. English words by stem."""
    table: dict[str, list[tuple[int, int]]] = {}
    for group, row in enumerate(_entries("classes")):
        for member, words in enumerate(row.split("|")):
            for word in words.strip().split("="):
                table.setdefault(stem(word) if word.isascii() else word, []).append((group, member))
    return {key: tuple(found) for key, found in table.items()}
