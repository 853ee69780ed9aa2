"""Whether passages speak of the very subject that a question names, or of a stranger."""

import re
from collections.abc import Iterator, Sequence

from weiwo.state import Evidence
from weiwo.text.language import HAN, detect_language, fold
from weiwo.text.names import names
from weiwo.text.patterns import lazy

_COMMON = lazy(
    r"the|of|and|for|in|on|at|to|an?|de|la|le|du|von|van|der|den|di|da|emperor|empress|king|queen|president|prince|"
    r"princess|sir|saint|st|lord|lady|pope|prime|minister|professor|doctor|dr|mrs?|ms"
)
"""Words of names that many have in common."""


def find_unmentioned_name(question: str, passages: Sequence[Evidence]) -> str | None:
    """The name that a question asks about, if no passage has any of its names; None if one has, or none is named.

    Passages in another script write names otherwise, and are not judged.
    """
    named = [name.text for name in names(question)]
    language = detect_language(question)
    if not named or not passages or any(detect_language(passage.text) != language for passage in passages):
        return None
    said = fold(" ".join(f"{passage.title} {passage.source} {passage.text}" for passage in passages))
    words = set(re.findall(f"[^\\W_{HAN}]+", said))
    for name in named:
        parts = list(_parts(name))
        if not parts or any(part in said if re.match(f"[{HAN}]", part) else part in words for part in parts):
            return None
    return named[0]


def _parts(name: str) -> Iterator[str]:
    """What of a name would tell that somebody speaks of its bearer."""
    for word in re.findall(f"[{HAN}]+|[^\\W_{HAN}]+", fold(name)):
        if re.match(f"[{HAN}]", word):
            yield word[:2] if len(word) > 1 else word
        elif not _COMMON.fullmatch(word) and (len(word) > 1 or word.isdigit()):
            yield word
