"""English words for a longer life, put in one way."""

import re
from typing import Final

from text.patterns import lazy

_OLDER: Final = lazy(
    r"(?:lived|got|grew|became|reached)(?: to)?(?: be)?(?: an?| the)? (?P<degree>older|oldest|greater|greatest|higher"
    r"|highest)(?: age)?|(?:had|has) (?:an?|the) (?P<life>longer|longest|shorter|shortest) (?:life|lifetime|lifespan)"
    r"|(?:was|were) (?:the )?(?P<died>older|oldest|younger|youngest) (?:when (?:they|he|she) died|at death)"
    r"|died (?:at an? |at the )?(?P<age>older|oldest|younger|youngest)(?: age)?",
    re.IGNORECASE,
)


def lived_longer(predicate: str) -> str:
    """Other words for a longer life put as "lived longer"; what speaks of none is returned as it is."""
    match = _OLDER.fullmatch(predicate)
    if match is None:
        return predicate
    word = next(part for part in match.groups() if part).lower()
    less = word.startswith(("short", "young"))
    return f"lived {'short' if less else 'long'}{'est' if word.endswith('est') else 'er'}"
