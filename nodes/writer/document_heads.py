"""Labelled lines at the head of a document, like the parties of a contract. All passages of the document share them."""

from collections.abc import Iterable
from typing import Final

from weiwo.state import Evidence
from weiwo.text.records import split_keyed

_MOST_LINES: Final = 8
_DEEPEST: Final = 1


def read_heads(passages: Iterable[Evidence]) -> dict[str, str]:
    """Return the values of the labelled lines in each document's head, by source.

    A head is a passage below at most one heading, in which every line is a label with its value.
    """
    heads: dict[str, str] = {}
    for passage in passages:
        lines = [line for line in passage.text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        pairs = [split_keyed(line) for line in lines[: _MOST_LINES + 1]]
        if 1 < len(pairs) <= _MOST_LINES and all(pairs) and len(passage.headings) <= _DEEPEST:
            heads.setdefault(passage.source, " ".join(pair[1] for pair in pairs if pair))
    return heads
