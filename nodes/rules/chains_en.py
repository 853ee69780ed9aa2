"""English questions as chains of look-ups: "Where was the author of Hamlet born?" has to find the author first.

A question is taken apart wherever a description stands for something that has to be found: a relational noun ("the
author of X", "X's author"), a relative clause ("the city where X was born"), or a participle after a noun ("the river
crossed by X"). What is left of the question is asked about the value found. Nouns that are not known to be relational
stay part of a name, so that "University of Cambridge" and "Emperor Wu of Han" are not taken apart.
"""

import re
from typing import Final

from nodes.rules import english
from nodes.rules.answer_types_en import type_of
from nodes.rules.clauses_en import clause_question, contact_question, reduced_question
from nodes.rules.forms import SLOT, Lookup, word_set
from nodes.rules.lexicon_en import (
    CLASSES,
    MEASURES,
    PEOPLE,
    PERSON_CLASSES,
    RELATIONAL,
    attribute_question,
)
from nodes.rules.nouns_en import GERUNDS, PREPOSITIONS, known_noun, name, name_start, opens_clause
from text.patterns import lazy

_DEEPEST: Final = 6


def read_lookup(question: str, depth: int = 0) -> Lookup:
    """Read a direct question into a chain of look-ups; one that cannot be taken apart becomes a single look-up.

    Args:
        question: The question, normalized, titles masked, in direct order.
        depth: How many questions it stands inside.

    Returns:
        The look-up of the question; its `subject` is the look-up it depends on, if any.
    """
    asked = question.strip(" ?.,")
    if depth < _DEEPEST and not _TWO_SENTENCES.search(asked):
        for read in (_by_identity, _by_subject, _by_tail):
            if found := read(asked, depth):
                return found
    return Lookup(question=_sentence(asked), ret=type_of(asked))


_IDENTITY: Final = lazy(
    r"(?:(?:who|what|which(?: [\w-]+)?)(?: exactly)?(?: (?:is|was|are|were)|'s) |what's |who's |name |list "
    r"|give |state )"
    r"(?P<np>.+)",
    re.IGNORECASE,
)
_NP_ONLY: Final = lazy(r"(?P<np>(?:the .+|.+'s? .+))", re.IGNORECASE)


def _by_identity(asked: str, depth: int) -> Lookup | None:
    match = _IDENTITY.fullmatch(asked) or _NP_ONLY.fullmatch(asked)
    if not match:
        return None
    np = re.sub(r"^the (?:full |exact )?name of (?=the )", "", match["np"], flags=re.IGNORECASE)
    return None if _LATE.search(np) else describe(np, depth)


_LATE: Final = lazy(r" (?:known|famous|best known|named|called|awarded)(?: for| after| as)?$")


def _by_subject(asked: str, depth: int) -> Lookup | None:
    frame = english.parse_question(asked)
    if frame is None:
        return None
    wh, aux, _ = frame
    split = _split(frame)
    if split is None:
        return None
    subject, predicate = split
    if not predicate and (aux not in english.BE or re.match(r"(?:who|what|which)\b", wh, re.IGNORECASE)):
        return None
    inner = describe(subject, depth + 1)
    if inner is None or inner.ret == "number":  # nothing can be asked about a number
        return None
    text = f"{wh} {aux} {SLOT} {predicate}".strip()
    return Lookup(question=_sentence(text), ret=type_of(text), subject=inner)


def _split(frame: tuple[str, str, str]) -> tuple[str, str] | None:
    """Subject and predicate of a question; "how long is X" has no predicate of its own."""
    wh, aux, rest = frame
    degree = re.match(r"how (?!many|much)[a-z]+$", wh, re.IGNORECASE) and aux in english.BE
    return (rest, "") if degree else english.split_predicate(rest, aux)


def _by_tail(asked: str, depth: int) -> Lookup | None:
    """A description that reaches to the end of the question: "Who wrote [the book that the film X is based on]?"."""
    if not _ASKING.match(asked):
        return None
    frame = english.parse_question(asked)
    split = _split(frame) if frame else None
    taken = len(asked) - len(frame[2]) if frame and split and split[1] else -1
    for match in re.finditer(r"(?<= )(?:the |an? (?=\w+ (?:who|that|which|where)\b))", asked):
        if match.start() == taken:
            continue
        before, np = asked[: match.start()].rstrip(), asked[match.start() :]
        if inner := describe(np, depth + 1):
            return _around(before, inner)
    tokens = asked.split()
    for at, token in enumerate(tokens[:-1]):
        if token.endswith(("'s", "s'")):
            start = name_start(tokens, at)
            if start > 0 and (inner := describe(" ".join(tokens[start:]), depth + 1)):
                return _around(" ".join(tokens[:start]), inner)
            break
    return None


_ASKING: Final = lazy(
    r"(?:(?:in|on|at|to|from|by|for|of|under|with|during|through) )?(?:who|what|when|where|which|why|how|whose|whom)\b"
    r"|(?:is|are|was|were|do|does|did|has|have|had|can|name|list|give|find|show|tell)\b",
    re.IGNORECASE,
)
_TWO_SENTENCES: Final = lazy(r"[a-z]{3}[.?!;] ")

_EMPTY: Final = lazy(
    r"(?:(?:who|what|which|when|where|why|how)(?: \w+)? (?:do|does|did)|(?:who|what)(?: (?:is|was|are|were))?|name|list"
    r"|(?:(?:in|on|at) )?(?:what|which) \w+ (?:do|does|did|was|were))",
    re.IGNORECASE,
)


def _around(before: str, inner: Lookup) -> Lookup | None:
    """The question around a description, unless nothing would be left of it to ask."""
    frame = english.parse_question(f"{before} {SLOT}")
    if not before or inner.ret == "number" or _EMPTY.fullmatch(before) or (frame is None and " " not in before):
        return None
    if frame and frame[1] in {"do", "does", "did"} and english.split_predicate(frame[2], frame[1]) is None:
        return None
    text = f"{before} {SLOT}"
    return Lookup(question=_sentence(text), ret=type_of(text), subject=inner)


def describe(np: str, depth: int = 0) -> Lookup | None:
    """Read a noun phrase that describes what it means; None where it is a name, or cannot be read with certainty."""
    np = np.strip(" ,")
    if depth >= _DEEPEST or len(np.split()) < 2:
        return None
    tokens = np.split()
    if tokens[0].lower() in {"both", "each", "either"}:
        return None
    start = 1 if tokens[0].lower() in {"the", "a", "an"} else 0
    if _COMPOUND.fullmatch(" ".join(tokens[start : start + 3])) and tokens[start + 3 : start + 4] == ["of"]:
        return _relation(tokens, start, start + 3, depth)
    for at in range(start, min(len(tokens), start + 7)):
        if found := _at(tokens, start, at, depth):
            return found
    for at in range(start + 7, min(len(tokens) - 1, start + 14)):
        if tokens[at].endswith(("'s", "s'")):
            return _possessive(tokens, start, at, depth)
    question = contact_question(tokens, start)
    return read_lookup(question, depth + 1) if question else None


_COMPOUND: Final = lazy(
    r"(?:place|date|year|city|town|country|day|state) of (?:birth|death|citizenship|origin|foundation)|cause of death"
    r"|head of (?:state|government)"
)


def _at(tokens: list[str], start: int, at: int, depth: int) -> Lookup | None:
    """The description whose link to the rest stands at a position, if one does."""
    word = tokens[at].lower().rstrip(",")
    if word.endswith(("'s", "s'")) and at + 1 < len(tokens):
        return _possessive(tokens, start, at, depth)
    if at == start:
        return None
    if word in {"of", "for", "in", "on"} and not opens_clause(tokens, at):
        return _relation(tokens, start, at, depth)
    if opens_clause(tokens, at):
        question = clause_question(tokens, start, at)
        return read_lookup(question, depth + 1) if question else None
    if tokens[at - 1].lower() in CLASSES and word in english.PARTICIPLES | GERUNDS:
        question = reduced_question(tokens, start, at)
        return read_lookup(question, depth + 1) if question else None
    return None


def _relation(tokens: list[str], start: int, at: int, depth: int) -> Lookup | None:
    """The N of X."""
    preposition, owner = tokens[at].lower(), " ".join(tokens[at + 1 :])
    inner = describe(owner, depth + 1)
    subject: str | Lookup | None = inner or name(owner)
    noun = known_noun(tokens, start, at)
    if noun is None and inner and preposition in {"of", "in"} and at - start <= 4:
        loose = " ".join(tokens[start:at])
        plain = (
            start == 1 and loose.islower() and not english.verb_groups(loose) and not set(tokens[:at]) & PREPOSITIONS
        )
        noun = (loose, loose) if plain else None
    if noun is None or subject is None:
        return None
    text, head = noun
    leading = any(word.endswith("est") or word in {"first", "main", "only", "last"} for word in text.split()[:-1])
    if head in CLASSES and head not in RELATIONAL and not leading and not inner:
        return None
    if preposition != "of" and not (leading or inner or head in RELATIONAL | MEASURES):
        return None
    if preposition in {"for", "on"} and not (inner or leading):
        return None
    if preposition == "of" and text == head and (asked := attribute_question(text)):
        return Lookup(question=asked[0], ret=type_of(asked[0]), subject=subject, relation=asked[1])
    wh = "Who" if head in PEOPLE or head in PERSON_CLASSES else "What"
    plural = head not in RELATIONAL | CLASSES | MEASURES and head.endswith("s")
    question = f"{wh} {'are' if plural else 'is'} the {text} {preposition} {SLOT}?"
    return Lookup(question=question, ret=type_of(question), subject=subject, relation=text)


def _possessive(tokens: list[str], start: int, at: int, depth: int) -> Lookup | None:
    """X's N, and X's N's M."""
    nouns = tokens[at + 1 :]
    following = next((i for i, word in enumerate(nouns) if word.endswith(("'s", "s'"))), None)
    this = nouns if following is None else [*nouns[:following], nouns[following].removesuffix("'s").removesuffix("'")]
    noun = known_noun(this, 0, len(this)) or _birth_noun(this)
    if noun is None:
        return None
    text, head = noun
    owner_tokens = tokens[(0 if start and tokens[0].lower() == "the" else start) : at + 1]
    owner = " ".join(owner_tokens)
    owner = owner.removesuffix("'s") if owner.endswith("'s") else owner.removesuffix("'")
    subject = describe(owner, depth + 1) or name(owner)
    if subject is None or (isinstance(subject, str) and set(owner.lower().split()) & _OUTSIDE_NAMES):
        return None
    asked = attribute_question(text)
    if asked:
        found = Lookup(question=asked[0], ret=type_of(asked[0]), subject=subject, relation=asked[1])
    else:
        wh = "Who" if head in PEOPLE else "What"
        question = f"{wh} is the {text} of {SLOT}?"
        found = Lookup(question=question, ret=type_of(question), subject=subject, relation=text)
    if following is None:
        return found
    rest = _possessive(["{}'s", *nouns[following + 1 :]], 0, 0, depth + 1)
    return _rebased(rest, found) if rest else None


_OUTSIDE_NAMES: Final = word_set("on by with to from into about at")


def _birth_noun(words: list[str]) -> tuple[str, str] | None:
    text = " ".join(words).lower()
    if text in {"city of birth", "town of birth", "country of birth", "country of citizenship", "country of origin"}:
        return text, text
    if text in {"birth country", "birth city", "home country", "native country", "home town"}:
        return text, text
    return None


def _rebased(outer: Lookup, inner: Lookup) -> Lookup:
    """The outer chain with its innermost placeholder subject replaced by another chain."""
    if isinstance(outer.subject, Lookup):
        return outer.about(_rebased(outer.subject, inner))
    return outer.about(inner)


def _sentence(text: str) -> str:
    return english.capitalized(english.decapitalized(" ".join(text.split()).strip(" ?.,"))) + "?"
