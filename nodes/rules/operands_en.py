"""What an English question compares or lists: names and descriptions joined by "or", "and" and commas."""

import re
from typing import Final

from nodes.rules.chains_en import describe
from nodes.rules.forms import SLOT, Lookup
from nodes.rules.nouns_en import name
from text.patterns import lazy


def subjects_of(lookups: tuple[Lookup, ...]) -> tuple[str, ...]:
    """What look-ups are about, in words."""
    return tuple(subject for lookup in lookups if (subject := label(lookup)))


def operand(text: str) -> str | Lookup | None:
    """A single thing: a description that has to be looked up, or a name; None where it can be neither."""
    return describe(text) or name(text)


def label(lookup: Lookup) -> str:
    """What a look-up is about, in words: its subject, described where it is not named."""
    subject = lookup.subject
    if isinstance(subject, str):
        return subject
    whole = re.fullmatch(r"(?:Who|What) (?:is|was|are) (?P<np>the .+) \{\}\?", subject.question)
    return f"{whole['np']} {label(subject)}" if whole else subject.question.replace(SLOT, label(subject)).rstrip("?")


_EDGES: Final = lazy(
    r"^(?:either|both|between|among|of|the following|whether|out of|from|is it|was it)[ ,:]+", re.IGNORECASE
)
_OR: Final = lazy(r"\s*,?\s+(?:or|vs\.?|versus)\s+|\s*,\s*", re.IGNORECASE)
_AND: Final = lazy(r"\s*,?\s+(?:and|&|versus|vs\.?)\s+|\s*,\s*", re.IGNORECASE)


def operands(text: str, *, joined_by: str = "or") -> list[str | Lookup] | None:
    """The things a list names, each a name or a description; None where it is no list of at least two."""
    text = _EDGES.sub("", _EDGES.sub("", text.strip(" ,:;?.")))
    if not re.search(rf" (?:{joined_by}|vs\.?|versus|&) ", text, re.IGNORECASE):
        return None
    parts = [part.strip() for part in (_OR if joined_by == "or" else _AND).split(text) if part.strip()]
    if len(parts) < 2 or len(parts) > 12:
        return None
    found: list[str | Lookup] = []
    for part in _distributed(parts):
        plain = re.sub(r"^(?:is it |was it |that of |those of )", "", part, flags=re.IGNORECASE)
        thing = operand(plain)
        if thing is None:
            return None
        found.append(thing)
    return found


_SHARED: Final = {
    "universities": "University",
    "colleges": "College",
    "rivers": "River",
    "bridges": "Bridge",
    "towers": "Tower",
}


def _distributed(parts: list[str]) -> list[str]:
    """Give every name the noun that the last one carries for all: "Harvard and Yale universities"."""
    words = parts[-1].split()
    noun = _SHARED.get(words[-1].lower()) if len(words) > 1 else None
    return [f"{part} {noun}" for part in [*parts[:-1], " ".join(words[:-1])]] if noun else parts
