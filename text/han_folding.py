"""Traditional Chinese characters and the simplified ones that stand for them.

From TSCharacters of OpenCC (https://github.com/BYVoid/OpenCC, Apache License 2.0): the first choice for each character
of the Basic Multilingual Plane. A single character cannot know its word, so this is a folding for search, where both
sides are folded alike, and no conversion for readers.
"""

from typing import Final

from weiwo.text.data_files import data_text


def _characters(name: str) -> str:
    return data_text("han_folding", name).replace("\n", "")


SIMPLIFIED: Final[dict[int, str]] = {
    ord(traditional): simplified
    for traditional, simplified in zip(_characters("traditional"), _characters("simplified"), strict=True)
}
"""For `str.translate`."""
