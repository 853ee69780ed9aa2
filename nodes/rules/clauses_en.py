"""English relative clauses as questions: "the city where X was born" asks "in which city was X born".

Clauses may be full ("the book that X wrote"), reduced ("the river crossed by X") or without a link ("the country X is
from"). A clause whose verbs do not add up is not read.
"""

import re
from typing import Final

from nodes.rules import english
from nodes.rules.forms import word_set
from nodes.rules.lexicon_en import CLASSES, PEOPLE, PERSON_CLASSES, RELATIONAL
from nodes.rules.nouns_en import GERUNDS, PREPOSITIONS, RELATIVE_WORDS, known_noun
from text.patterns import lazy

_RELATIVE: Final = lazy(
    r"(?P<op>(?:in|on|from|to|at|by|for|under|of|during|through|with|near|along) (?:which|whom)|where|that"
    r"|which|whose|who|whom)"
    r" (?P<clause>.+)"
)


def clause_question(tokens: list[str], start: int, at: int) -> str | None:
    """The N that …, the N where …, the N on which …."""
    noun = tokens[start:at]
    while noun and noun[-1].endswith(","):
        noun = [*noun[:-1], noun[-1].rstrip(",")]
    head = known_noun(noun, 0, len(noun))
    match = _RELATIVE.fullmatch(" ".join([tokens[at].lower(), *tokens[at + 1 :]]).rstrip(","))
    if head is None or match is None or (head[1] not in CLASSES and head[1] not in RELATIONAL):
        return None
    clause = match["clause"]
    openings = sum(word.rstrip(",") in RELATIVE_WORDS for word in clause.split())
    if english.verb_groups(clause) > 1 + openings:
        return None
    return _asked(head, match["op"], clause)


def _asked(head: tuple[str, str], op: str, clause: str) -> str | None:
    text, noun = head
    person = noun in PERSON_CLASSES or noun in PEOPLE
    which = "who" if text in {"person", "man", "woman", "people", "individual"} else f"which {text}"
    first = english.bare(clause.split(maxsplit=1)[0])
    verb_first = first in english.AUX or first in english.BASE_OF_PAST or first in english.THIRD
    if op in {"that", "which", "who"} and (verb_first or first in english.ADVERBS):
        return f"{which} {clause}"
    if op == "whose":
        return f"{which} is the one whose {clause}"
    turned = english.invert(clause)
    if turned is None and not re.search(r"\b[a-z]+(?:s|ed)\b", clause):
        return None
    if turned is None:
        return f"{'who' if person else 'what'} is the {text} {op} {clause}"
    if op in {"that", "which", "who", "whom"}:
        return f"{which} {turned}"
    preposition = op.split(maxsplit=1)[0] if " " in op else "in"
    return f"{preposition} which {text} {turned}"


def reduced_question(tokens: list[str], start: int, at: int) -> str | None:
    """The N crossed by X; the N containing X."""
    head = known_noun(tokens, start, at)
    if head is None or at + 1 >= len(tokens) or not tokens[at - 1].islower():
        return None
    text, rest = head[0], " ".join(tokens[at + 1 :])
    verb = tokens[at].lower()
    if verb in GERUNDS:
        third = verb.removesuffix("ing")
        known = next((t for t, base in english.THIRD.items() if base in {third, third + "e"}), third + "s")
        return f"which {text} {known} {rest}"
    if tokens[at + 1].lower() not in {"by", "in", "on", "at", "from", "for", "as", "between", "near", "with", "to"}:
        return None
    be = "is" if verb in _STATES else "was"
    return f"which {text} {be} {verb} {rest}"


_STATES: Final = word_set("crossed located situated based headquartered known named surrounded owned held used")


def contact_question(tokens: list[str], start: int) -> str | None:  # noqa: PLR0911 - one return for each doubt
    """The country X is from; the city X was born in; the team X played for."""
    if start == 0 or len(tokens) < start + 3 or tokens[start] not in CLASSES:
        return None
    clause = tokens[start + 1 :]
    if clause[0].lower() in PREPOSITIONS | {"of"} or not clause[0][0].isalnum():
        return None
    if clause[0].islower() and clause[0] not in {"the", "a", "an"} and any(not word.islower() for word in clause):
        return None
    at = english.finite_verb(clause)
    noun = tokens[start].lower()
    if at is None or clause[0] in english.PARTICIPLES or clause[at] in _STATES | {"based", "set"}:
        return None
    after = [word.lower() for word in clause[at + 1 :]]
    if after and after[0] not in PREPOSITIONS and not (clause[at] in english.AUX and after[0] in english.PARTICIPLES):
        return None
    turned = english.invert(" ".join(clause))
    if turned is None or english.verb_groups(" ".join(clause)) > 1 or clause[-1].endswith(","):
        return None
    if clause[-1].lower() in PREPOSITIONS or noun in {"year", "day", "date"}:
        return f"which {noun} {turned}"
    if (
        (clause[-1] in english.PARTICIPLES or clause[-1] in {"died", "born"})
        and clause[at] != "attended"
        and noun not in PERSON_CLASSES
    ):
        return f"in which {noun} {turned}"
    return f"which {noun} {turned}"
