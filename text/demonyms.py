"""Countries with their demonyms and names in both languages, so that "American", "United States" and 美国 are one.

The rows are `text/data/demonyms.toml`.
"""

import re
from typing import Final

from weiwo.text.data_files import data_text
from weiwo.text.patterns import lazy

_KEYS: Final = {
    alias.strip().casefold(): key.strip()
    for key, english, chinese in (row.split("|") for row in re.split(r"[;\n]", data_text("demonyms", "rows").strip()))
    for alias in (*english.split(","), *chinese.split(","))
}
_LONGEST_FIRST: Final = sorted(_KEYS, key=len, reverse=True)
_LATIN: Final = lazy(
    r"(?<![\w.])(?:"
    + "|".join(
        ("(?-i:" + a.upper() + ")" if len(a) < 5 and a.replace(".", "") in {"us", "uk", "usa"} else a)
        .replace(".", r"\.")
        .replace(" ", r"\s")
        for a in _LONGEST_FIRST
        if a.isascii() or a == "türkiye"
    )
    + r")(?![\w])",
    2,
)
_HAN: Final = lazy("|".join(alias for alias in _LONGEST_FIRST if alias > "\u3000"))


def find_countries(text: str) -> list[tuple[int, int, str]]:
    """The countries and continents a text names, by name or demonym.

    Args:
        text: Any text, not folded: demonyms are told from other words by their capital.

    Returns:
        Start, end and key of each mention, in order; none overlaps another.
    """
    found = [
        (m.start(), m.end(), _KEYS[" ".join(m[0].casefold().split())])
        for m in _LATIN.finditer(text)
        if m[0][0].isupper()
    ]
    return sorted([*found, *((m.start(), m.end(), _KEYS[m[0]]) for m in _HAN.finditer(text))])
