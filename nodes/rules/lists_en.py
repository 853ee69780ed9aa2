"""English questions that ask the same of several things: lists, every item of a list, what holds for all."""

import re
from dataclasses import replace
from typing import Final

from nodes.rules import english
from nodes.rules.answer_types_en import type_of
from nodes.rules.chains_en import read_lookup
from nodes.rules.forms import SLOT, Lookup, Shape, word_set
from nodes.rules.lexicon_en import CLASSES, PEOPLE, PERSON_CLASSES, RELATIONAL, attribute_question
from nodes.rules.operands_en import operand, operands, subjects_of
from text.patterns import lazy

_LIST_NOUN: Final = lazy(
    r"(?:(?:list|give(?: me)?|name|find|show(?: me)?|what(?:'s| is| are| was| were)|who (?:is|are|was|were)"
    r"|compare) )?(?:me )?(?:the )?"
    r"(?P<noun>[a-z][a-z -]{2,40}?) (?:of|for) (?P<rest>.+)",
    re.IGNORECASE,
)
_LIST_QUESTION: Final = lazy(r"(?P<wh>.+?) (?P<aux>was|were|is|are|did|do|does) (?P<rest>.+)", re.IGNORECASE)
_LIST_OBJECT: Final = lazy(r"(?P<front>who [a-z]+) (?P<rest>.+)", re.IGNORECASE)
_TOGETHER: Final = word_set("married separated united connected related joined merged together divorced allied")


def listed(text: str) -> Shape | None:
    """The birth years of A, B and C; When were A, B and C founded."""
    match = _LIST_NOUN.fullmatch(text)
    if match and (attributes := _attributes(match["noun"], match["rest"])):
        return attributes
    if match:
        noun = match["noun"].lower()
        things = operands(re.sub(r",? respectively$", "", match["rest"]), joined_by="and")
        plural = noun.endswith("s") and not noun.endswith("ss")
        single = re.sub(r"ies$", "y", noun) if noun.endswith("ies") else noun.removesuffix("s")
        asked = attribute_question(noun) or (attribute_question(single) if plural else None)
        if asked is None and (single if plural else noun) in RELATIONAL:
            head = single if plural else noun
            asked = (f"{'Who' if head in PEOPLE else 'What'} is the {head} of {SLOT}?", head)
        if things and asked and (plural or len(things) > 2):
            lookups = tuple(Lookup(asked[0], type_of(asked[0]), thing, asked[1]) for thing in things)
            return Shape("list", "en", lookups, subjects_of(lookups), asked[1])
    frame = english.parse_question(text)
    if frame:
        return _listed_question(*frame)
    match = _LIST_OBJECT.fullmatch(text)
    if match and match["front"].split()[1].lower() in english.BASE_OF_PAST:
        things = operands(match["rest"], joined_by="and")
        if things and (len(things) > 2 or all(isinstance(t, str) and ord(t[0]) >= 0xE000 for t in things)):
            question = english.capitalized(f"{match['front'].lower()} {SLOT}?")
            lookups = tuple(Lookup(question, type_of(question), thing) for thing in things)
            return Shape("list", "en", lookups, subjects_of(lookups))
    return None


def _attributes(nouns: str, owner: str) -> Shape | None:
    """The height and weight of X; the birth and death dates of X."""
    parts = [re.sub(r"^the ", "", part.strip()) for part in re.split(r",? and |, ", nouns.lower())]
    subject = operand(owner)
    if len(parts) < 2 or subject is None:
        return None
    shared = parts[-1].split()[-1] if " " in parts[-1] else ""
    lookups = []
    for part in parts:
        asked = attribute_question(part) or (attribute_question(f"{part} {shared}") if shared else None)
        if asked is None and part in RELATIONAL:
            asked = (f"{'Who' if part in PEOPLE else 'What'} is the {part} of {SLOT}?", part)
        if asked is None:
            return None
        lookups.append(Lookup(asked[0], type_of(asked[0]), subject, asked[1]))
    return Shape("list", "en", tuple(lookups), subjects_of(tuple(lookups)))


def _listed_question(wh: str, aux: str, rest: str) -> Shape | None:
    split = english.split_predicate(re.sub(r",? respectively$", "", rest), aux)
    if split is None or wh.lower().startswith(("who", "what is", "which is")):
        return None
    subject, predicate = split
    things = operands(subject, joined_by="and")
    if (
        not things
        or (predicate.split()[:1] and predicate.split()[0] in _TOGETHER)
        or re.search(r"\b(?:both|same|each other|in common)\b", rest)
    ):
        return None
    plural = aux in {"were", "are", "do"}
    if not plural and len(things) == 2 and not (aux == "did" and predicate.split()[:1] in (["die"], ["live"])):
        return None
    single = {"were": "was", "are": "is", "do": "does"}.get(aux, aux)
    wh = re.sub(
        r"\b(years|dates|cities|countries|days)\b",
        lambda m: {"cities": "city", "countries": "country"}.get(m[0], m[0][:-1]),
        wh,
    )
    question = english.capitalized(f"{english.decapitalized(wh)} {single} {SLOT} {predicate}".strip()) + "?"
    lookups = tuple(Lookup(question, type_of(question), thing) for thing in things)
    return Shape("list", "en", lookups, subjects_of(lookups))


_EACH_OF: Final = lazy(
    r"(?:(?:list|give(?: me)?|find|what(?:'s| is| are| was| were)|who (?:is|are|was|were)) )?(?:the "
    r")?(?P<noun>[a-z][a-z ]{2,40}?) "
    r"(?:of|for) (?P<all>(?:each|every|all)(?: one)?(?: of)?(?: the)? |the )(?P<items>[a-z0-9].+)",
    re.IGNORECASE,
)
_EACH_SUBJECT: Final = lazy(r"(?P<all>(?:each|every|all)(?: one)?(?: of)?(?: the)? )(?P<items>.+)", re.IGNORECASE)
_FOR_EACH: Final = lazy(r"for (?:each|every)(?: of the)? (?P<items>.+?), (?P<question>.+)", re.IGNORECASE)


def each(text: str) -> Shape | None:
    """The same asked of every item of a list that has to be found first."""
    match = _EACH_OF.fullmatch(text)
    if match:
        noun = match["noun"].lower()
        single = re.sub(r"ies$", "y", noun) if noun.endswith("ies") else noun.removesuffix("s")
        marked = not match["all"].lower().startswith("the")
        asked = attribute_question(noun) or attribute_question(single)
        if asked is None and single in RELATIONAL:
            asked = (f"{'Who' if single in PEOPLE else 'What'} is the {single} of {SLOT}?", single)
        items = _list_lookup(match["items"], marked=marked) if asked and (marked or noun != single) else None
        if asked and items:
            return _every(items, Lookup(asked[0], type_of(asked[0]), items, asked[1]))
    frame = english.parse_question(text)
    split = english.split_predicate(frame[2], frame[1]) if frame else None
    if (
        frame
        and split
        and (found := _EACH_SUBJECT.fullmatch(split[0]))
        and (items := _list_lookup(found["items"], marked=True))
    ):
        aux = {"were": "was", "are": "is", "do": "does"}.get(frame[1], frame[1])
        question = english.capitalized(f"{english.decapitalized(frame[0])} {aux} {SLOT} {split[1]}".strip()) + "?"
        return _every(items, Lookup(question, type_of(question), items))
    return None


def _every(items: Lookup, asked: Lookup) -> Shape:
    return Shape("each", "en", (items, asked), (), asked.relation or None)


_COUNTED: Final = word_set("two three four five six seven eight nine ten")


def _list_lookup(items: str, *, marked: bool) -> Lookup | None:
    """The list that a plural noun phrase describes: "presidents who …", "members of the Beatles"."""
    head = re.match(
        r"(?P<front>(?:[a-z0-9-]+ ){0,3}?)(?P<noun>[a-z]+)(?= (?:who|that|which|of|in|on|from|where|whose)\b| "
        r"[a-z]+ed\b|$)",
        items,
    )
    if head is None or (not marked and len(items.split()) < 3):
        return None
    noun = head["noun"]
    single = {"countries": "country", "cities": "city", "people": "person", "wives": "wife", "children": "child"}.get(
        noun, re.sub(r"ies$", "y", noun) if noun.endswith("ies") else noun.removesuffix("s")
    )
    plural = noun != single
    known = single in CLASSES | RELATIONAL | {"member", "planet", "pick", "winner", "child", "moon", "state"}
    if not known or not (plural or marked):
        return None
    if not plural:
        items = items.replace(noun, _plural(noun), 1)
    wh = "Who" if single in PEOPLE | PERSON_CLASSES | {"member", "child"} else "What"
    found = read_lookup(f"{wh.lower()} are the {items}")
    if found.ret != "list[text]" and found.subject == "":
        found = replace(found, question=f"{wh} are the {items}?")
    return replace(found, ret="list[text]")


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


_SECOND: Final = lazy(
    r"(?P<one>.+?)[,;? ]+(?:and|also)[, ]+(?P<two>(?:(?:in|on|at|to|from|by) )?(?:when|where|who|what|how|which"
    r"|why)\b.+)",
    re.IGNORECASE,
)
_WHEN_WHERE: Final = lazy(r"(?P<a>when|where|how) and (?P<b>when|where|how|why|by whom) (?P<rest>.+)", re.IGNORECASE)
_HE: Final = lazy(r"\b(?:he|she|it|they|him|them)\b", re.IGNORECASE)
_HIS: Final = lazy(r"\b(?:his|her|its|their)\b", re.IGNORECASE)
_THAT: Final = lazy(
    rf"\b(?:this|that|the) "
    rf"(?:{'|'.join(sorted(CLASSES | {'person', 'author', 'director', 'artist'}, key=len, reverse=True))})\b|\bthere$",
    re.IGNORECASE,
)


def two_questions(text: str) -> Shape | None:
    """When was X born, and where did he die; Who wrote X and when was he born."""
    if match := _WHEN_WHERE.fullmatch(text):
        lookups = tuple(read_lookup(f"{match[part]} {match['rest']}") for part in ("a", "b"))
        return Shape("list", "en", lookups, subjects_of(lookups))
    match = _SECOND.fullmatch(text)
    if match is None or _SECOND.fullmatch(match["two"]):
        return None
    one = read_lookup(match["one"])
    two = english.direct(match["two"])
    finds = one.ret == "text" and re.match(
        r"(?:who|what|which|(?:in|on) (?:which|what))\b", match["one"], re.IGNORECASE
    )
    slotted = two
    for pattern, by in ((_HIS, f"{SLOT}'s"), (_HE, SLOT), (_THAT, SLOT)):
        slotted = pattern.sub(by, slotted, count=1) if SLOT not in slotted else slotted
    if slotted == two:
        lookups = (one, read_lookup(two))
        return Shape("list", "en", lookups, subjects_of(lookups)) if english.parse_question(two) else None
    subject: str | Lookup | None = one if finds else (one.subject or _asked_about(match["one"]))
    if not subject:
        return None
    question = english.capitalized(slotted) + "?"
    second = Lookup(question, type_of(question), subject)
    if finds:
        return Shape("chain", "en", (second,), subjects_of((one,)))
    return Shape("list", "en", (one, second), subjects_of((second,)))


def _asked_about(question: str) -> str | Lookup | None:
    frame = english.parse_question(question)
    split = english.split_predicate(frame[2], frame[1]) if frame else None
    return operand(split[0]) if split else None
