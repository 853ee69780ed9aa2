"""Rows of tables and of delimited text: the cells of a line, below the header it stands under."""

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from weiwo.text.data_files import data_words
from weiwo.text.patterns import lazy

_DELIMITED: Final = {".csv": ",;|", ".tsv": "\t", **dict.fromkeys((".xlsx", ".xlsb", ".xls", ".ods"), "|")}
"""What parts the cells of a row, by the ending of its file; rows of sheets are indexed with `|`."""
NAME_KEYS: Final = data_words("extraction", "records", "name_keys")
"""Keys whose value names what a record is of."""
_LONGEST: Final = 4_000
_KEYED: Final = lazy(
    r"\s{0,8}(?:[-*+•]\s{1,4})?\*{0,2}(?P<key>[^\s:：|*#>`][^:：|*`\n]{0,40}?)\s?(?:[:：]\*{1,2}|\*{0,2}[:：])(?!//)(?:\s{0,8}|(?<=：))"
    r"(?P<value>\S[^\n]{0,200}?)\s*"
)
_MOST_WORDS: Final = 5


def split_row(line: str, header: Sequence[str], source: str) -> list[str]:
    """The cells of a table row, or of a line of delimited text; none for prose.

    Args:
        line: The line.
        header: The cells of the row that heads it; empty where it is the first.
        source: The name of its file: elsewhere than in a file of delimited text, commas part cells only below a header
            that begins with "name" or the like.
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


def split_keyed(line: str) -> tuple[str, str] | None:
    """Key and value of a line such as `License: MIT`, `**Founded:** 2014` or 法定代表人：祁望舒; None of any other."""
    found = _KEYED.fullmatch(line.rstrip("\n")) if len(line) <= _LONGEST else None
    if found is None or len(found["key"].split()) > _MOST_WORDS or re.search(r"[，。；,;.!?？！]\s?", found["key"]):
        return None
    return found["key"].strip(), found["value"].strip().strip("*").strip()


def is_record(line: str, source: str) -> bool:
    """Whether a line is a row of a table or of delimited text, or a key with its value."""
    return bool(split_row(line, (), source)) or split_keyed(line) is not None
