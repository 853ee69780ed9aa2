"""Detection of interstitials, which sites show instead of a page: told by their words, and by how few there are."""

import re
from typing import Final

from weiwo.state import FailureKind
from weiwo.text.data_files import read_data
from weiwo.text.language import word_count
from weiwo.text.patterns import lazy

_SHORT_WORDS: Final = 150
"""A page with more words than this is an article, even if it speaks of captchas or cookies."""
_LONG_WORDS: Final = 500
"""A page with more is one even if its title is that of a challenge."""

_MISSING: Final = "a page that says it is not there"


def _read_patterns(table: str) -> dict[str, re.Pattern[str]]:
    patterns = read_data("interstitials")[table]
    return {what: lazy(text.replace("\n", ""), re.IGNORECASE) for what, text in patterns.items()}


_WORDS: Final = _read_patterns("words")
_TITLES: Final = _read_patterns("titles")
"""Titles that are wholly this are no article's."""


def detect_interstitial(title: str, text: str) -> tuple[FailureKind, str] | None:
    """What is shown instead of an article, and the kind of failure that is; None for an article."""
    words = word_count(text)
    found = ""
    if words <= _SHORT_WORDS:
        found = next((what for what, pattern in _WORDS.items() if pattern.search(f"{title}\n{text}")), "")
    if not found and words <= _LONG_WORDS:
        found = next((what for what, pattern in _TITLES.items() if pattern.fullmatch(title.strip())), "")
    return ("not_found" if found == _MISSING else "blocked", found) if found else None
