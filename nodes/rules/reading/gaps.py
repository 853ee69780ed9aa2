"""Phrases in the gap that an English question leaves: "What did X replace?" seeks what follows "replaced".

The value is the smallest whole phrase: "an expired TLS certificate", not "TLS".
"""

import re
from collections.abc import Iterator
from typing import Final

from nodes.rules import english
from nodes.rules.reading.likeness import Word, said
from nodes.rules.words import stem
from text.dates import find_dates
from text.language import fold
from text.patterns import lazy

Span = tuple[int, int]

_TOKEN: Final = lazy(r"[^\W_]+(?:[._'’&/-][^\W_]+)*")
_PREPOSITIONS: Final = (
    "in on at for by from with to after before until during under since into onto within without over via against "
    "through per"
)
_STOP: Final = lazy(
    rf"(?i)[;:()—]|,(?!\d)|[.!?](?=\s|$|[\"”'])|\s(?:{'|'.join(_PREPOSITIONS.split())}|because|when|while|where|which|who|"
    r"that|if|unless|so|but|than|is|was|were|are|be|has|have|had|will|must|may|can|should|once|as|instead|"
    r"and (?:then|it|they|he|she|we|is|was|are|were|has|"
    r"will|must|may|can|should)|[a-z]+ed by)\b"
)
_SKIP: Final = lazy(
    r"(?i)[\s\"“]*(?:(?:to|with|by|in|at|on|from|for|as|of|using|into|through|via|be|been|being|is|are|was|were|called|"
    r"named|exactly|only|now|currently|always|usually)\s+)*(?:the\s+)?[\"“]?"
)
_LINK: Final = lazy(
    r"(?i)(?:\s+(?:of|for|in|on|at|to|from|behind)\s[^,;.]{1,80}?)?\s+(?:is|are|was|were|will be|must be|"
    r"remains|became)\s+"
    r"(?:(?:now|currently|set to|always|still|set at|limited to|called|named)\s+)*(?:the\s+)?"
    r"|\s+of\s+(?=[\d$€£])|\s*[:=]\s*"
)
_AUXILIARY: Final = lazy(
    r"(?i)(?:\s+|^)(?:is|was|are|were|be|been|being|has|have|had|will|would|must|may|can|should|shall|could|also|then|"
    r"now|usually|always|first|only|to|not|who|which|that|normally|automatically)$"
)
_PRONOUN: Final = lazy(r"(?i)(?:it|they|he|she|we|you|this|that|these|those|there|one|all|i|its|their)\b")
_PLACE: Final = lazy(r"(?i)[^,;.]{0,30}?\b(?:in|at|on|near|inside|behind|outside|under)\s+(?:the\s+)?(?=[\w\"“])")
_NO_PLACE: Final = lazy(
    r"(?i)\b(?:years?|months?|days?|time|order|accordance|addition|turn|case|fact|part|person)\b|^\d+$"
)
_BY: Final = lazy(r"(?i)[^,;.]{0,80}?\bby\s+(?:the\s+)?")
_LONGEST: Final = 110


def phrases(question: str, sort: str, words: tuple[Word, ...], clause: str) -> Iterator[tuple[Span, float]]:
    """Phrases of a clause that fill the gap of a question, each with how well.

    Args:
        question: The question.
        sort: What it seeks: person, place or phrase.
        words: Its words.
        clause: A clause that says most of them.
    """
    attribute, verb, wants_object = _frame(question)
    if sort == "place":
        yield from _places(clause, verb or stem(fold(attribute.split()[-1])) if attribute or verb else "", words)
        return
    if attribute:
        yield from _of_attribute(clause, attribute, words)
        verb = stem(fold(attribute.split()[-1])) if sort == "person" else ""  # the lead: "is led by X"
    if verb:
        for found in _occurrences(clause, verb):
            yield from _around(clause, found, words, sort, wants_object=wants_object)


def _places(clause: str, said_by: str, words: tuple[Word, ...]) -> Iterator[tuple[Span, float]]:
    """What follows "in" or "at" behind the verb, or behind the thing that is somewhere."""
    for _, end in _occurrences(clause, said_by):
        place = _PLACE.match(clause, end)
        span = _phrase(clause, place.end()) if place else None
        if span and _telling(clause, span, words):
            text = clause[slice(*span)]
            if not _NO_PLACE.search(text) and not find_dates(text):
                yield span, 0.9


def _frame(question: str) -> tuple[str, str, bool]:
    """The noun asked for, or the verb and whether its object is sought."""
    text = re.sub(r"(?i)^(?:in|on|at|to|by|for|from|with|of) (?=wh)", "", question.strip().rstrip("?？. "))
    text = re.sub(r"(?i)\b(?:should|must|may|shall|might)\b", "can", text)
    frame = english.parse_question(text)
    if frame:
        wh, aux, rest = frame
        if aux not in english.BE:
            tokens = rest.split()
            known = english.split_predicate(rest, aux)
            verb = (
                known[1].split()[0]
                if known and known[1]
                else next(
                    (t for t in reversed(tokens[1:]) if fold(t) not in set(_PREPOSITIONS.split()) and t.islower()), ""
                )
            )
            if verb == "be":
                verb = next(iter(known[1].split()[1:]), "") if known else ""
                return "", stem(fold(verb)), fold(wh.split()[0]) != "who"
            return "", stem(fold(verb)), True
        known = english.split_predicate(rest, aux)
        tail = rest.split()[-1]
        if known and known[1]:
            return "", stem(fold(known[1].split()[0])), True
        if re.search(r"(?i)(?:ed|en)$", tail) and fold(wh) in {"how", "where", "what", "who"} and " " in rest:
            return "", stem(fold(tail)), True
        head = re.split(r"(?i)\s(?:of|for|in|on|at|to|from|behind|between|per|during|after)\s", rest)[0]
        head = re.sub(r"(?i)^(?:the|a|an|its|their|your|our|his|her|name of the)\s+", "", head)
        head = re.sub(r"^.*['’]s?\s", "", head)
        return head, "", False
    asks = re.match(
        r"(?i)(?:who|what|which(?: [a-z-]+){1,3}?|what(?: [a-z-]+){1,2}?) (?P<verb>[a-z]+(?:s|ed|ay|ust|an)|[a-z]+)\b",
        text,
    )
    if asks:
        return "", stem(fold(asks["verb"])), False
    return "", "", False


def _of_attribute(clause: str, attribute: str, words: tuple[Word, ...]) -> Iterator[tuple[Span, float]]:
    for found in _occurrences(clause, stem(fold(attribute.rsplit(maxsplit=1)[-1]))):
        link = _LINK.match(clause, found[1])
        if link:
            span = _phrase(clause, link.end(), lenient=True)
            if span and _telling(clause, span, words):
                yield span, 1.0
        copula = re.search(
            r"(?i)\s(?:is|was|are|were)\s+(?:the|an?|our|its|their)\s(?:[\w-]+\s){0,3}$", clause[: found[0]]
        )
        if copula:
            span = _before(clause, copula.start())
            if span and _telling(clause, span, words):
                yield span, 0.95
        apposed = re.match(r",\s+(?=[A-Z])", clause[found[1] :])
        if apposed:
            span = _phrase(clause, found[1] + apposed.end())
            if span and _telling(clause, span, words):
                yield span, 0.85


def _around(
    clause: str, verb: Span, words: tuple[Word, ...], sort: str, *, wants_object: bool
) -> Iterator[tuple[Span, float]]:
    by = _BY.match(clause, verb[1])
    passive = by is not None and clause[verb[0] : verb[1]].lower().endswith(("ed", "en", "wn", "t", "d", "n", "ng"))
    if by and passive and (sort == "person" or not wants_object):
        span = _phrase(clause, by.end())
        if span and _telling(clause, span, words):
            yield span, 1.0
    if not wants_object or sort == "person":
        span = _before(clause, verb[0])
        if span and not passive and _telling(clause, span, words):
            yield span, 0.95
    if wants_object and sort != "person":
        skip = _SKIP.match(clause, verb[1])
        span = _phrase(clause, skip.end() if skip else verb[1], lenient=True)
        if span and _telling(clause, span, words) and not find_dates(clause[slice(*span)]):
            yield span, 0.95


def _occurrences(clause: str, wanted: str) -> list[Span]:
    word = Word(wanted)
    return [found.span() for found in _TOKEN.finditer(clause) if said(found.group()).has(word) > 0][:6]


def _phrase(clause: str, start: int, *, lenient: bool = False) -> Span | None:
    """The noun phrase that starts at a position; a lenient one may start with a preposition ("within three days")."""
    while start < len(clause) and clause[start] in " \"“'":
        start += 1
    stop = _STOP.search(clause, start + 1)
    end = stop.start() if stop else len(clause)
    if lenient and re.match(r"(?i)(?:within|after|before|until|over)\b", clause[start:]):
        stop = _STOP.search(clause, start + 8)
        end = stop.start() if stop else len(clause)
    text = clause[start:end].rstrip(" \"”'.")
    if not text or len(text) > _LONGEST or _PRONOUN.match(text) or not re.search(r"\w", text):
        return None
    return start, start + len(text)


def _before(clause: str, end: int) -> Span | None:
    """The noun phrase that ends at a position, as the doer of what follows."""
    left = clause[:end].rstrip()
    while (shorter := _AUXILIARY.sub("", left).rstrip()) != left:
        left = shorter
    start = max(
        (m.end() for m in re.finditer(r"(?i)[,;:]\s|\b(?:and|or|but|because|when|if|while|that) ", left)), default=0
    )
    text = left[start:]
    the = re.match(r"(?i)(?:the|-|\*)\s+", text)
    start += the.end() if the else 0
    text = left[start:]
    if (
        not text
        or len(text.split()) > 7
        or _PRONOUN.match(text)
        or re.search(r"(?i)\b(?:is|was|are|were|has|have|can|must)\b", text)
    ):
        return None
    return start, start + len(text)


def _telling(clause: str, span: Span, words: tuple[Word, ...]) -> bool:
    """Whether a phrase says more than the question did."""
    value = said(clause[slice(*span)])
    asked = {word.text for word in words}
    fresh = [
        s for s in _TOKEN.findall(value.text) if (stem(s) not in asked and s not in asked and len(s) > 1) or s.isdigit()
    ]
    return bool([s for s in fresh if s not in {"the", "an", "of"}])


def is_role(text: str) -> bool:
    """Whether a phrase may name a person by role: no figure, no date, short."""
    return len(text.split()) <= 6 and not re.search(r"\d", text) and not find_dates(text)
