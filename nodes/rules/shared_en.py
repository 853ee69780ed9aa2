"""English questions whether something holds for all: "Were A and B both X?", "Are A and B from the same country?"."""

import re
from typing import Final

from nodes.rules import english
from nodes.rules.answer_types_en import type_of
from nodes.rules.forms import SLOT, Lookup, Shape, word_set
from nodes.rules.lexicon_en import attribute_question
from nodes.rules.operands_en import operands, subjects_of
from text.patterns import lazy

_BOTH: Final = lazy(r"(?P<aux>are|were|is|was|do|did|does|have|has) (?P<rest>.+)", re.IGNORECASE)
_SAME: Final = lazy(
    r"(?P<before>.*?)\b(?:the |a )?(?:same|common) (?P<noun>[a-z]+(?: [a-z]+)?)(?P<after> .*)?", re.IGNORECASE
)
_SHARE: Final = word_set("have share has")


def both(text: str) -> Shape | None:
    """Were A and B both X; Are A and B from the same country."""
    match = _BOTH.fullmatch(text)
    if match is None:
        return None
    aux = {"are": "is", "were": "was", "do": "does", "have": "has"}.get(match["aux"].lower(), match["aux"].lower())
    rest = match["rest"]
    marked = re.search(r"\bboth\b", rest, re.IGNORECASE)
    same = _SAME.search(rest)
    if not (marked or same):
        return None
    for things, predicate in _before_predicate(rest, marked=marked is not None):
        if not predicate:
            continue
        found = operands(things, joined_by="and")
        if not found:
            continue
        if same:
            return _same(aux, predicate, found)
        question = f"{english.capitalized(aux)} {SLOT} {_singular(predicate)}?"
        lookups = tuple(Lookup(question, "boolean", thing) for thing in found)
        return Shape("both", "en", lookups, subjects_of(lookups), predicate)
    return None


def _before_predicate(rest: str, *, marked: bool) -> list[tuple[str, str]]:
    """Where the list of subjects ends: at "both", else before the first word of a known predicate."""
    if marked:
        at = re.search(r" both\b ?", rest, re.IGNORECASE)
        if at and not re.match(r"both\b", rest, re.IGNORECASE):
            return [(rest[: at.start()], rest[at.end() :])]
    words = rest.split()
    starts = (
        english.PARTICIPLES | set(english.PAST) | _SHARE | word_set("from in of on at a an members born citizens part")
    )
    found = [
        (" ".join(words[:i]), " ".join(words[i:]))
        for i in range(3, len(words))
        if words[i].lower().rstrip(",") in starts and words[i - 1].lower() not in {"and", "of", "the"}
        and re.search(r"\band\b", " ".join(words[:i]).removeprefix("both "))
    ]  # fmt: skip
    if marked and not found:
        last = re.search(r"\band (?:the )?(?P<last>(?:[A-Z\ue000-\uf8ff][\w'.-]* ?)+)(?P<predicate>[a-z].*)", rest)
        if last:
            found = [(rest[: last.start("predicate")].strip(), last["predicate"])]
    return found


def _singular(predicate: str) -> str:
    """Turn "film directors" into "a film director"; anything that is no plural noun stays."""
    words = predicate.split()
    at = next((i for i, word in enumerate(words) if word in {"of", "in", "from", "by", "who", "that"}), len(words))
    head = words[at - 1] if at else ""
    first = words[0].lower()
    if first in english.PARTICIPLES | set(english.PAST) | {"from", "in", "of", "on", "at", "a", "an", "the"}:
        return predicate
    if not head.endswith("s") or head.endswith(("ss", "us", "is")) or not head[0].islower():
        return predicate
    single = re.sub(r"ies$", "y", head) if head.endswith("ies") else head.removesuffix("s")
    phrase = " ".join([*words[: at - 1], single, *words[at:]])
    return f"{'an' if phrase[0].lower() in 'aeiou' else 'a'} {phrase}"


def _same(aux: str, predicate: str, things: list[str | Lookup]) -> Shape | None:
    match = _SAME.fullmatch(predicate)
    if match is None:
        return None
    before, noun = match["before"].strip().lower(), match["noun"].lower()
    asked = attribute_question(noun)
    if before in {"have", "share", "of", "have the", ""} or (before == "has"):
        question = asked[0] if asked else f"What is the {noun} of {SLOT}?"
    elif before in {"from", "in", "on", "at", "part of"}:
        preposition = "from" if before == "from" else before
        last = before in {"from", "part of"}
        front = "What" if last else f"{english.capitalized(preposition)} what"
        question = f"{front} {noun} {aux} {SLOT} {preposition if last else ''}".rstrip() + "?"
    else:
        words = before.split()
        preposition = words[-1] if words[-1] in {"in", "on", "at", "by", "to", "of", "for", "from", "with"} else ""
        verb = " ".join(words[:-1] if preposition else words)
        front = f"{english.capitalized(preposition)} what {noun}" if preposition else f"What {noun}"
        verb = _singular(verb) if verb.split()[0] not in english.PARTICIPLES | set(english.PAST) else verb
        question = f"{front} {aux} {SLOT} {verb}?"
    lookups = tuple(Lookup(question, type_of(question), thing, noun) for thing in things)
    return Shape("same", "en", lookups, subjects_of(lookups), noun)
