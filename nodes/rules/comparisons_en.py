"""English comparisons: which of them, whether one beats the other, and by how much."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from nodes.rules import english
from nodes.rules.answer_types_en import type_of
from nodes.rules.compared_en import Compared, read_compared
from nodes.rules.forms import Kind, Lookup, Shape
from nodes.rules.lexicon_en import CLASSES, PEOPLE, attribute_question
from nodes.rules.operands_en import operand, operands, subjects_of
from text.patterns import lazy

_LISTED: Final = lazy(
    r"(?:(?:which|who|what)(?: one)? (?:of|among|between)|of|among|between|out of|from among) (?P<rest>.+)",
    re.IGNORECASE,
)


_NOT_NOUNS: Final = english.AUX | {"came", "of"}


def which(text: str) -> Shape | None:
    """Who/which PREDICATE, A or B."""
    words = text.split()
    if not words or words[0].lower() not in {"who", "which", "what"}:
        return None
    of_them = re.match(
        r"\w+ (?:one|of (?:the|these|those) (?:two|three|four|following)(?: [a-z]+)?) ", text, re.IGNORECASE
    )
    for size in (0, 1, 2):
        noun = " ".join(words[1 : 1 + size]).lower()
        if set(noun.split()) & _NOT_NOUNS:
            break
        rest = text[of_them.end() :] if of_them else " ".join(words[1 + size :])
        people = words[0].lower() == "who" or noun in _PEOPLE_NOUNS
        if found := _which_of(rest, noun, people=people):
            return found
    return None


def _which_of(rest: str, noun: str, *, people: bool) -> Shape | None:
    for predicate, things in _divisions(rest):
        marked = re.match(r"(?:of|among|between|out of)\b", things.strip(), re.IGNORECASE)
        found = operands(things) or (operands(things, joined_by="and") if marked else None)
        compared = read_compared(predicate, f"{noun} {things}", people=people) if found else None
        if found and compared:
            return _comparison(compared, found)
    return None


_PEOPLE_NOUNS: Final = frozenset(f" {' '.join(PEOPLE)} person man woman scientist physicist one ".split()) - {"one"}


def _divisions(text: str) -> Iterator[tuple[str, str]]:
    """Ways to divide a predicate from a list behind it: at a comma or colon first, then at any blank."""
    for match in re.finditer(r"\s*[,:;-]\s+", text):
        yield text[: match.start()], text[match.end() :]
    for match in re.finditer(r" +", text):
        yield text[: match.start()], text[match.end() :]


def of_listed(text: str) -> Shape | None:
    """Which of A, B and C PREDICATE; Of A and B, which PREDICATE; A or B: which PREDICATE."""
    match = _LISTED.fullmatch(text)
    body = match["rest"] if match else text
    asked = re.match(r"(?P<wh>who|which|what)\b", text, re.IGNORECASE)
    inner = re.fullmatch(
        r"(?P<list>.+?)[,:;?-]*\s+(?P<wh>who|which|what)(?P<noun>(?: one| of (?:them|the two|these))?(?: "
        r"(?!is\b|was\b|are\b|were\b|has\b|have\b|had\b)[a-z]+?)??) "
        r"(?P<pred>(?:is|was|are|were|has|have|had|came|died|lived|won|opened|[a-z]+ed)\b.*)",
        body,
        re.IGNORECASE,
    )
    if inner and (match or not asked):
        found = operands(inner["list"], joined_by="and") or operands(inner["list"])
        people = inner["wh"].lower() == "who" or (inner["noun"] or "").strip().lower() in _PEOPLE_NOUNS
        compared = read_compared(inner["pred"], f"{inner['noun']} {inner['list']}", people=people) if found else None
        return _comparison(compared, found) if compared and found else None
    if not (match and asked):
        return None
    people = asked["wh"].lower() == "who"
    for cut in re.finditer(r" +", body):
        things, predicate = body[: cut.start()], body[cut.end() :]
        compared = read_compared(predicate, things, people=people)
        if compared and (found := operands(things, joined_by="and") or operands(things)):
            return _comparison(compared, found)
    return None


def _comparison(compared: Compared, things: list[str | Lookup], *, difference: bool = False, unit: str = "") -> Shape:
    lookups = tuple(compared.about(thing) for thing in things)
    kind: Kind = "difference" if difference else ("comparison" if len(things) == 2 else "superlative")
    return Shape(
        kind,
        "en",
        lookups,
        subjects_of(lookups),
        compared.relation,
        compared.direction,
        difference=difference,
        unit=unit,
        than=compared.than,
        most=compared.most,
    )


_THAN: Final = lazy(
    r"(?P<be>is|was|are|were) (?P<a>.+?) (?P<comparative>(?:more |less )?[a-z]+) than (?P<b>.+)", re.IGNORECASE
)
_HAVE_THAN: Final = lazy(
    r"(?P<aux>does|do|did) (?P<a>.+?) (?:have|has) (?P<degree>(?:an? )?(?:more|fewer|less|[a-z]+er)) "
    r"(?P<noun>[a-z][\w -]*?) than (?P<b>.+)",
    re.IGNORECASE,
)
_BEFORE: Final = lazy(
    r"(?P<aux>was|were|is|did) (?P<a>.+?) (?P<verb>[a-z]+) (?P<order>before|after|earlier than|later than) (?P<b>.+)",
    re.IGNORECASE,
)


def whether(text: str) -> Shape | None:
    """Is A taller than B; Was A born before B."""
    compared: Compared | None = None
    a = b = ""
    if match := _THAN.fullmatch(text):
        a, b = match["a"], match["b"]
        for people in (True, False):
            compared = compared or read_compared(
                f"{match['be']} {match['comparative']}", f"{a} {b}", people=people and not _is_thing(a)
            )
    elif match := _HAVE_THAN.fullmatch(text):
        a, b = match["a"], match["b"]
        degree = re.sub(r"^an? ", "", match["degree"])
        compared = read_compared(
            f"{'had' if match['aux'].lower() == 'did' else 'has'} {degree} {match['noun']}", f"{a} {b}"
        )
    elif match := _BEFORE.fullmatch(text):
        a, b = match["a"], re.sub(r" (?:was|were|is|did)(?: so)?$", "", match["b"])
        order = "earlier" if match["order"].lower() in {"before", "earlier than"} else "later"
        verb = match["verb"].lower()
        passive = match["aux"].lower() != "did"
        clause = f"was {verb} {order}" if passive else f"{english.PAST.get(verb, '')} {order}"
        compared = read_compared(clause, f"{a} {b}")
    if compared is None:
        return None
    left, right = operand(a), operand(b)
    return None if left is None or right is None else replace(_comparison(compared, [left, right]), asks="whether")


def _is_thing(text: str) -> bool:
    return bool(
        set(text.lower().split()) & (CLASSES - {"president", "author", "artist", "player", "king", "queen", "emperor"})
    )


_MUCH_THAN: Final = lazy(
    r"(?:by )?how (?:many (?P<unit>[a-z]+(?: [a-z]+)?)|much) (?P<be>is|was|are|were) (?P<a>.+?) "
    r"(?P<comparative>(?:more |less )?[a-z]+) than (?P<b>.+)",
    re.IGNORECASE,
)
_MUCH_FIRST: Final = lazy(
    r"(?:by )?how (?:many (?P<unit>[a-z]+)|much) (?P<comparative>(?:more |less )?[a-z]+) (?P<be>is|was|are"
    r"|were) (?P<a>.+?) than (?P<b>.+)",
    re.IGNORECASE,
)
_MORE_THAN: Final = lazy(
    r"how (?:many|much) (?P<degree>more|fewer|less) (?P<noun>[a-z][a-z -]*?) (?P<aux>does|do|did|has|have) "
    r"(?P<a>.+?) (?P<verb>have|[a-z]+) than (?P<b>.+)",
    re.IGNORECASE,
)
_GAP: Final = lazy(
    r"(?:what(?:'s| is| was) )?(?:the )?(?:(?P<noun>[a-z]+(?: [a-z]+)?) )?(?:difference|gap)(?: in "
    r"(?P<in>(?:the )?[a-z]+(?: [a-z]+)?))? "
    r"(?:between|of) (?P<rest>.+)",
    re.IGNORECASE,
)
_APART: Final = lazy(
    r"how (?:far|many (?P<unit>[a-z]+)) apart(?: in (?P<noun>[a-z]+))? (?:is|was|are|were) "
    r"(?P<rest>.+?)(?P<tail> (?:in age|born|founded|built|published|released))?",
    re.IGNORECASE,
)
_DIFFERENT: Final = {"age": ("born", "was older than"), "birth": ("born", "was born earlier than")}


def how_much(text: str) -> Shape | None:
    """How much taller is A than B; the difference in height between A and B."""
    for pattern in (_MUCH_FIRST, _MUCH_THAN):
        if match := pattern.fullmatch(text):
            return _by_how_much(match)
    if match := _MORE_THAN.fullmatch(text):
        verb = "has" if match["verb"].lower() == "have" else english.PAST.get(match["verb"].lower(), "")
        compared = read_compared(f"{verb} {match['degree']} {match['noun']}")
        pair = operands(f"{match['a']} or {match['b']}")
        return replace(_comparison(compared, pair, difference=True), asks="how_much") if compared and pair else None
    if match := _APART.fullmatch(text):
        pair = operands(match["rest"], joined_by="and")
        tail = (match["tail"] or "").strip()
        verb = tail if tail in english.PARTICIPLES else "born"
        compared = read_compared(f"was {verb} earlier", match["rest"])
        unit = (match["unit"] or "").lower()
        return (
            replace(_comparison(compared, pair, difference=True, unit=unit), asks="how_much")
            if compared and pair
            else None
        )
    return _gap(text)


def _by_how_much(match: re.Match[str]) -> Shape | None:
    unit = (match["unit"] or "").lower()
    a, b = match["a"], re.sub(r" (?:is|was)$", "", match["b"])
    age = unit in {"years", "days", "months"}
    people = age and not _is_thing(a)
    compared = read_compared(f"{match['be']} {match['comparative']}", f"{a} {b}", people=people or not _is_thing(a))
    left, right = operand(a), operand(b)
    if compared is None or left is None or right is None:
        return None
    return replace(_comparison(compared, [left, right], difference=True, unit=unit), asks="how_much")


def _gap(text: str) -> Shape | None:
    match = _GAP.fullmatch(text)
    if match is None:
        return None
    noun = re.sub(r"^(?:the|total|exact) ", "", (match["in"] or match["noun"] or "").lower())
    pair = operands(match["rest"], joined_by="and")
    if pair is None or len(pair) != 2:
        return None
    if all(isinstance(item, Lookup) and item.ret in {"number", "date"} for item in pair):
        lookups = tuple(item for item in pair if isinstance(item, Lookup))
        if lookups[0].ret == lookups[1].ret:
            return Shape(
                "difference",
                "en",
                lookups,
                subjects_of(lookups),
                lookups[0].relation or None,
                difference=True,
                asks="how_much",
            )
        return None
    if isinstance(pair[0], Lookup) and pair[0].ret in {"number", "date"} and isinstance(pair[1], str):
        lookups = (pair[0], pair[0].about(pair[1]))
        return Shape(
            "difference", "en", lookups, subjects_of(lookups), pair[0].relation, difference=True, asks="how_much"
        )
    if noun in _DIFFERENT:
        compared = read_compared("was older" if noun == "age" else "was born earlier", people=True)
    else:
        asked = attribute_question(noun) if noun else None
        compared = Compared(asked[0], type_of(asked[0]), asked[1], "greater", "", "") if asked else None
    return replace(_comparison(compared, pair, difference=True), asks="how_much") if compared else None
