"""English noun phrases: which words can be a name, which noun heads a description, where a possessor begins."""

from typing import Final

from nodes.rules import english
from nodes.rules.forms import word_set
from nodes.rules.lexicon_en import ADJECTIVES, CLASSES, MEASURES, RELATIONAL, attribute_question


def known_noun(tokens: list[str], start: int, end: int) -> tuple[str, str] | None:
    """The noun phrase between two positions and its head, if a known noun with known adjectives; None otherwise."""
    phrase = tokens[start:end]
    if not phrase or any(word != word.lower() for word in phrase[-1:] if not word.isupper() or len(word) > 4):
        return None
    text = " ".join(word if word.isupper() else word.lower() for word in phrase)
    for size in (3, 2, 1):
        head = " ".join(phrase[-size:]).lower()
        known = RELATIONAL | CLASSES | MEASURES
        if len(phrase) >= size and (head in known or attribute_question(head)):
            rest = [word.lower() for word in phrase[:-size]]
            if all(
                word in ADJECTIVES or word.endswith(("est", "ish", "an", "al", "ing")) or word in known for word in rest
            ):
                return text, head
    return None


def name_start(tokens: list[str], at: int) -> int:
    """Where a possessor that ends at a token begins: left as far as a function word, "of" inside a name excepted."""
    start = at
    while start > 0:
        before = tokens[start - 1].lower().rstrip(",")
        if before == "of" and start > 1 and tokens[start - 2].lower() not in RELATIONAL | CLASSES | MEASURES:
            start -= 1
        elif before in _LEFT_EDGE or before in english.BASE_OF_PAST or tokens[start - 1].endswith(","):
            break
        start -= 1
    return start


_LEFT_EDGE: Final = word_set(
    "of in on at by for from to with is are was were do does did has have had who "
    "what when where which that and or "
    "than as about into shares borders near between after before during through under over"
)


def name(text: str) -> str | None:
    """The text, if it can be a name: no clause, no list, nothing left over from the question around it."""
    tokens = text.strip(" ,").split()
    lowered = [token.rstrip(",") for token in tokens]
    if not tokens or len(tokens) > 14 or (len(tokens) > 1 and lowered[-1] in _DANGLING):
        return None
    if any(token in _NOT_IN_NAMES for token in lowered[1:]) or lowered[0] in _NOT_IN_NAMES - {"a", "an"}:
        return None
    if any(token in english.BASE_OF_PAST for token in lowered) and text != text.lower():
        return None
    return " ".join(tokens)


_DANGLING: Final = word_set("of in on at by from to with for the and or is was")
_NOT_IN_NAMES: Final = english.AUX | word_set(
    "a an who whom whose which that where when why how if because "
    "whether what he she they his her their its born as before "
    "after during since until while between"
)


GERUNDS: Final = word_set("containing holding bordering surrounding hosting housing publishing starring")
PREPOSITIONS: Final = word_set("in on from to at by for under of during through with near along")
RELATIVE_WORDS: Final = word_set("where that which who whom whose when")


def opens_clause(tokens: list[str], at: int) -> bool:
    """Whether a relative clause begins at a position: "where X …", "in which X …"."""
    word = tokens[at].lower()
    after = tokens[at + 1].lower() if at + 1 < len(tokens) else ""
    return (word in RELATIVE_WORDS and bool(after)) or (word in PREPOSITIONS and after in {"which", "whom"})
