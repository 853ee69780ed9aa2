"""Typesetting normalization: restore typeset Chinese and Japanese text, line for line.

Producers of PDFs write radicals for the characters that look like them, separate the characters of a title by blanks,
and set columns with one character per line. Search, names, checks and quotes all use the stored text, so it is
corrected on input. The number of its lines stays the same.
"""

import unicodedata
from typing import Final

from weiwo.text.data_files import data_characters
from weiwo.text.patterns import HAN_RANGES, lazy

_TABLE: Final[dict[int, str]] = {
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in range(0x2F00, 0x2FD6)},
    **dict(zip(map(ord, data_characters("radicals", "supplement")), data_characters("radicals", "meant"), strict=True)),
}
"""Table for `str.translate` from radicals to the characters that look like them and are meant."""
_RADICAL: Final = lazy("[\u2e80-\u2fd5]")
_CJK: Final = rf"{HAN_RANGES}\u3041-\u30fa\u30fc"
_PARTED: Final = lazy(rf"(?<![{_CJK}])[{_CJK}](?:[ \u3000][{_CJK}]){{3,}}(?![{_CJK}])")
_COLUMN: Final = lazy(rf"(?m)^[ \t\u3000]*[{_CJK}][ \t\u3000]*(?:\n[ \t\u3000]*[{_CJK}][ \t\u3000]*){{3,}}$")
_BLANKS: Final = lazy(r"\s+")


def normalize_typeset(text: str) -> str:
    """Repair text as PDFs typeset it: "标 题 文 字" → "标题文字".

    Radicals are replaced by the characters that they look like, and at least four characters set apart by blanks, or
    one below the other in a column, are joined. The line made of a column is followed by empty lines, so that the
    number of lines stays the same.
    """
    if text.isascii():
        return text
    if _RADICAL.search(text):
        text = text.translate(_TABLE)
    text = _PARTED.sub(lambda found: _BLANKS.sub("", found.group()), text)
    return _COLUMN.sub(lambda found: _BLANKS.sub("", found.group()) + "\n" * found.group().count("\n"), text)


_RAISED: Final = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_FIGURES: Final = lazy(r"[0-9+\-−]{1,6}")
_MARK: Final = lazy(r"[A-Za-z*†‡§]{1,2}")
_ORDINAL: Final = frozenset({"st", "nd", "rd", "th", "er", "re", "e", "o", "a", "ème", "tm"})


def raise_figures(text: str) -> str:
    """Return the text of a superscript as plain text: "6" → "⁶", so that 10⁶ is not taken for 106.

    A letter or a sign that marks a note gets a `^` in front ("*" → "^*"). Any other text, such as the ending of an
    ordinal ("th"), stays unchanged.
    """
    plain = text.strip()
    if _FIGURES.fullmatch(plain):
        return plain.translate(_RAISED)
    return f"^{plain}" if _MARK.fullmatch(plain) and plain.lower() not in _ORDINAL else text
