"""Data files: word lists, tables and patterns in TOML, out of `text/data`.

A pattern may span several lines, whose line ends are removed. The words of a word list are separated by white space.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from weiwo.text.patterns import lazy

_FOLDER: Final = Path(__file__).parent / "data"


@cache
def read_data(name: str) -> Mapping[str, Any]:
    """Return the parsed content of a data file, cached.

    Args:
        name: The file's name without its ending.
    """
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def data_text(name: str, *keys: str) -> str:
    """Return a text from a data file. `keys` are the names of the nested tables and of the entry.

    Raises:
        KeyError: The file has no such entry.
    """
    value: Any = read_data(name)
    for key in keys:
        value = value[key]
    return str(value)


def data_pattern(name: str, *keys: str) -> re.Pattern[str]:
    """Return a pattern from a data file, compiled on first use."""
    return lazy(data_text(name, *keys).replace("\n", ""))


def data_words(name: str, *keys: str) -> frozenset[str]:
    """Return the words of an entry of a data file, split at white space. Arguments as for `data_text`."""
    return frozenset(data_text(name, *keys).split())


def data_characters(name: str, *keys: str) -> str:
    """Return the characters of an entry of a data file, with its white space removed."""
    return "".join(data_text(name, *keys).split())


@cache
def data_rows(name: str, *keys: str) -> tuple[tuple[str, ...], ...]:
    """Return a table from a data file: a tuple of cells for each line, which are separated by `|`.

    Empty lines and lines that begin with `#` are left out.
    """
    lines = (line.strip() for line in data_text(name, *keys).splitlines())
    rows = (line.split("|") for line in lines if line and not line.startswith("#"))
    return tuple(tuple(cell.strip() for cell in row) for row in rows)


def data_synonyms(name: str, *keys: str, folded: bool = True) -> dict[str, str]:
    """Return a dictionary from word to meaning, from a table of rows `meaning | words`.

    The row "1e6 | million mio" gives `{"million": "1e6", "mio": "1e6"}`.

    Args:
        name: Name of the data file, as for `data_text`.
        keys: Path to the table.
        folded: Whether the words are casefolded.
    """
    rows = data_rows(name, *keys)
    return {word.casefold() if folded else word: meaning for meaning, words in rows for word in words.split()}


def split_cell(cell: str) -> tuple[str, ...]:
    """Split a cell of `data_rows` at commas: "a b, c" → `("a b", "c")`."""
    return tuple(word.strip() for word in cell.split(",") if word.strip())
