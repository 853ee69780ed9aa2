"""Normalized text of a table cell, before it is parsed as a value."""

import unicodedata
from typing import Final

LONGEST_VALUE: Final = 60
"""Maximum characters of a cell that may be a number or a date. A longer cell is prose."""
_SAME: Final = str.maketrans(
    "．，：－−‒–＋％（）／　\u00a0\u2007\u2009\u202f\u066b\u066c’‘＇＄￡", ".,:----+%()/     .,'''$£"
)


def normalize_cell(text: str) -> str:
    """Return a cell's text with ASCII digits, plain marks and single blanks: "１，２００ €" → "1,200 €".

    Digits of any script become ASCII, wide and typographic marks become plain marks. Superscripts stay, because 15² is
    not 152.
    """
    if text.isascii():
        return " ".join(text.split())
    plain = text.translate(_SAME)
    if not plain.isascii():
        plain = "".join(str(unicodedata.decimal(c)) if unicodedata.category(c) == "Nd" else c for c in plain)
    return " ".join(plain.split())
