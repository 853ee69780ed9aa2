"""What in a question is an identifier: something to be found exactly as it stands, or not at all."""

import re
from typing import Final

from weiwo.text.analyzer import terms
from weiwo.text.patterns import lazy

_CANDIDATE: Final = lazy(r"(?<![\w])[A-Za-z0-9_][\w.:/@+#-]*\w", re.ASCII)
_LETTERS_AND_DIGITS: Final = lazy(r"(?=.*[A-Za-z])(?=.*\d)")
_SNAKE: Final = lazy(r"[A-Za-z0-9]_+[A-Za-z0-9]")
_CAMEL: Final = lazy(r"^[a-z]+[A-Z][a-zA-Z]*[a-z]|[a-z][A-Z][a-z]+[A-Z]")
_COUNTED: Final = lazy(
    r"\d[\d.,]*(?:st|nd|rd|th|s|d|k|m|km|cm|mm|kg|g|mg|gb|mb|kb|tb|hz|ghz|mhz|am|pm|bc|ad|ce|bce|x|v|w|kw|mw|ml|ft|in"
    r"|mph|h|min)",
    re.IGNORECASE,
)
_COMPOUND: Final = lazy(r"\d[\d.,]*(?:-[A-Za-z]{2,})+|[A-Za-z]+-\d{2,4}|[A-Za-z]{4,}-\d+")
"""Such as 19-year-old, mid-1990 or Covid-19."""


def identifiers(question: str) -> tuple[str, ...]:
    """The identifiers in a question, as terms of `weiwo.text.analyzer`, in order.

    A ticket (`INC-49217`), a version (`v1.2.3`), a name in code (`user_id`, `getUserName`), an error code (`E404`).
    Ordinals, decades, measures and words such as "19-year-old" are none.
    """
    found = (terms(word)[:1] for word in _CANDIDATE.findall(question) if _is_identifier(word))
    return tuple(dict.fromkeys(whole for first in found for whole in first))


def _is_identifier(word: str) -> bool:
    if _SNAKE.search(word) or _CAMEL.search(word):
        return True
    if not _LETTERS_AND_DIGITS.match(word) or _COUNTED.fullmatch(word):
        return False
    return not _COMPOUND.fullmatch(word) or word.partition("-")[0].isupper()
