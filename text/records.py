"""Split rows of tables and delimited text into cells, below a header row."""

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from weiwo.text.data_files import data_words
from weiwo.text.patterns import lazy

_DELIMITED: Final = {".csv": ",;|", ".tsv": "\t", **dict.fromkeys((".xlsx", ".xlsb", ".xls", ".ods"), "|")}
"""Possible delimiters between cells, by file name ending. Rows of sheets are indexed with `|`."""
NAME_KEYS: Final = data_words("extraction", "records", "name_keys")
"""Keys such as "name". The value of such a key is the name of the thing that a record describes."""
_LONGEST: Final = 4_000
_KEYED: Final = lazy(
    r"\s{0,8}(?:[-*+•]\s{1,4})?\*{0,2}(?P<key>[^\s:：|*#>`][^:：|*`\n]{0,40}?)\s?(?:[:：]\*{1,2}|\*{0,2}[:：])(?!//)(?:\s{0,8}|(?<=：))"
    r"(?P<value>\S[^\n]{0,200}?)\s*"
)
_MOST_WORDS: Final = 5
_FIGURE: Final = lazy(r"[^\w(]{0,3}\d")
_PERIOD: Final = lazy(r"(?:[12]\d{3}|\d{1,2})(?:\s?[-–/年]\s?\d{0,4})?")
"""A year, a month or a range of them, which may be a column name as well as a value."""


def split_row(line: str, header: Sequence[str], source: str) -> list[str]:
    """Return the cells of a table row or a line of delimited text, or an empty list for prose.

    "| a | b |" → `["a", "b"]`.

    Args:
        line: The line.
        header: The cells of the header row. Empty for the first row.
        source: The name of the file. Outside files of delimited text (such as .csv), commas separate cells only if the
            header begins with "name" or the like.
    """
    line = line.strip().removesuffix("…").rstrip()
    if len(line) > _LONGEST:
        return []
    if line.startswith("|"):
        return [cell.strip() for cell in line.strip("|").split("|")]
    marks = next((marks for end, marks in _DELIMITED.items() if source.lower().endswith(end)), "")
    mark = max(marks or ",;\t", key=line.count)
    head = (header[0] if header else line.partition(mark)[0]).strip().lower()
    if mark not in line or not (marks or head in NAME_KEYS):
        return []
    cells: list[str] = []
    with suppress(csv.Error):
        cells = [cell.strip() for cell in next(csv.reader([line], delimiter=mark), [])]
    return cells if not header or len(cells) == len(header) else []


def read_header(first: Sequence[str], second: Sequence[str]) -> tuple[list[str], int]:
    """Read the column names of a table from the first two rows.

    Args:
        first: The cells of the first row.
        second: The cells of the second row. Empty if the table has only one row.

    Returns:
        The names, and the number of rows that they take. The names of two rows are joined ("2024 Q1") if names of the
        first row repeat, as merged cells do, and the second row tells them apart. An empty list and 0 for a table of
        two columns without column names, like "Area | 120 km" above "Population | 5": its first column holds the names.
    """
    if len(first) == 2 and len(second) == 2 and _FIGURE.match(first[1]) and not _PERIOD.fullmatch(first[1]):
        return [], 0
    if len(first) == len(second) > 2 and len(set(first)) < len(first):
        joined = [
            text if text == other or not other else f"{text} {other}".strip()
            for text, other in zip(first, second, strict=True)
        ]
        if len(set(joined)) == len(joined) and not any(map(_FIGURE.match, second)):
            return joined, 2
    return list(first), 1


def split_keyed(line: str) -> tuple[str, str] | None:
    """Split a line like `License: MIT`, `**Founded:** 2014` or 法定代表人：祁望舒 into key and value.

    Returns None for any other line.
    """
    found = _KEYED.fullmatch(line.rstrip("\n")) if len(line) <= _LONGEST else None
    if found is None or len(found["key"].split()) > _MOST_WORDS or re.search(r"[，。；,;.!?？！]\s?", found["key"]):
        return None
    return found["key"].strip(), found["value"].strip().strip("*").strip()


def is_record(line: str, source: str) -> bool:
    """Report whether a line is a row of a table or of delimited text, or a key with a value."""
    return bool(split_row(line, (), source)) or split_keyed(line) is not None
