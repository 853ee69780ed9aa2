"""Labelled lines at the beginning of a document, like the parties of a contract.

All passages of the document share them.
"""

from collections.abc import Iterable
from typing import Final

from weiwo.state import Evidence
from weiwo.text.records import split_keyed

_MOST_LINES: Final = 8
_DEEPEST: Final = 1


def read_heads(passages: Iterable[Evidence]) -> dict[str, str]:
    """Return, by source, the values of the labelled lines at the beginning of a document, joined by blanks.

    "Seller: Acme" and "Buyer: Bolt" give "Acme Bolt". Only a passage of two to eight lines that all have a label, below
    at most one heading, counts. Documents without such a passage are left out.
    """
    heads: dict[str, str] = {}
    for passage in passages:
        lines = [line for line in passage.text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        pairs = [split_keyed(line) for line in lines[: _MOST_LINES + 1]]
        if 1 < len(pairs) <= _MOST_LINES and all(pairs) and len(passage.headings) <= _DEEPEST:
            heads.setdefault(passage.source, " ".join(pair[1] for pair in pairs if pair))
    return heads
