"""English predicates that compare: "is taller", "was born first", "has more employees", "won the most medals"."""

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal

from nodes.rules import english
from nodes.rules.forms import LIFESPAN, SLOT, Lookup, word_set
from nodes.rules.lexicon_en import (
    DATE_ATTRIBUTES,
    adjective_of,
    age_direction,
    attribute_question,
    beginning_of,
    date_question,
    measure_of,
)
from nodes.rules.lives_en import lived_longer
from state import ValueType
from text.patterns import lazy

Direction = Literal["less", "greater"]


@dataclass(frozen=True)
class Compared:
    """A predicate that compares, read.

    Attributes:
        question: What to ask of each subject.
        ret: The type of the answer.
        relation: Canonical name of what is compared.
        direction: Which value wins.
        than: "is taller than".
        most: "is the tallest".
    """

    question: str
    ret: ValueType
    relation: str
    direction: Direction
    than: str
    most: str

    def about(self, subject: "str | Lookup") -> Lookup:
        """The look-up of one subject."""
        return Lookup(question=self.question, ret=self.ret, subject=subject, relation=self.relation)


_EARLY: Final = word_set("first earlier earliest sooner soonest before")
_ORDER: Final = r"(?P<order>first|earlier|earliest|sooner|last|later|latest|(?:more|most) recently|second|before|after)"
_ADJECTIVE: Final = lazy(
    r"(?P<be>is|was|are|were) (?:the )?(?:(?P<more>more|most|less|least) )?(?P<adjective>[a-z]+)(?: one)?"
    r"(?: (?P<noun>[a-z][a-z -]{1,30}?))?(?: (?:by|in|in terms of) (?P<measure>[a-z][a-z ]{2,24}))?",
    re.IGNORECASE,
)
_PASSIVE: Final = lazy(
    rf"(?P<be>is|was|were|are) (?:(?P<front>first|originally) )?(?P<verb>[a-z]+)(?: (?P<rest>(?:in|by|into|as"
    rf"|to|on) [\w ]{{1,30}}?))?"
    rf"(?: (?:the )?{_ORDER})?",
    re.IGNORECASE,
)
_ACTIVE: Final = lazy(rf"(?P<verb>[a-z]+)(?: (?P<object>[a-z][\w' -]{{1,40}}?))? (?:the )?{_ORDER}", re.IGNORECASE)
_HAVING: Final = lazy(
    r"(?P<verb>has|have|had|got|has got) (?:the |a )?(?P<degree>more|most|fewer|fewest|less|least|[a-z]+er|[a-z]+est) "
    r"(?P<noun>[a-z][\w' -]{1,40}?)",
    re.IGNORECASE,
)
_DOING: Final = lazy(
    r"(?:(?P<has>has|have|had) )?(?P<verb>[a-z]+) (?:the )?(?P<degree>more|most|fewer|fewest) "
    r"(?P<noun>[a-z][\w' -]{1,40}?)",
    re.IGNORECASE,
)
_LASTING: Final = lazy(
    r"(?P<verb>lived|lasted|reigned|ruled|served|weighs|costs|weighed|cost) (?:for )?(?:the )?"
    r"(?P<degree>longer|longest|shorter|shortest|more|most|less|least)",
    re.IGNORECASE,
)
_LESS: Final = word_set("fewer fewest less least shorter shortest smaller smallest lower lowest")


def read_compared(predicate: str, context: str = "", *, people: bool = False) -> Compared | None:
    """Read a predicate that compares.

    Args:
        predicate: Such as "was born first".
        context: Words that may say what kind of things are compared: the noun after "which", and the subjects.
        people: Whether the question asks "who".

    Returns:
        What to ask and who wins; None where the predicate does not compare, or not by anything known.
    """
    text = lived_longer(predicate.strip(" ,:").lower())
    for pattern, build in (
        (_LASTING, _lasting),
        (_ADJECTIVE, lambda match: _by_adjective(match, context, people=people)),
        (_HAVING, _having),
        (_DOING, _doing),
        (_PASSIVE, _passive),
        (_ACTIVE, lambda match: _active(match, context, people=people)),
    ):
        match = pattern.fullmatch(text)
        found = build(match) if match else None
        if found:
            return _cased(found, predicate)
    return None


def _cased(compared: Compared, predicate: str) -> Compared:
    """The names in a predicate as they were written: "won more Oscars"."""
    for word in predicate.strip(" ,:").split()[1:]:
        if word != word.lower() and not word.lower().endswith(("est", "er")):
            lowered = re.compile(rf"\b{re.escape(word.lower())}\b")
            texts = (compared.question, compared.than, compared.most)
            question, than, most = (lowered.sub(partial(_as_written, word), text) for text in texts)
            compared = replace(compared, question=question, than=than, most=most)
    return compared


def _as_written(word: str, _: re.Match[str]) -> str:
    return word


def _by_adjective(match: re.Match[str], context: str, *, people: bool) -> Compared | None:
    be, word, more, measure = match["be"], match["adjective"], match["more"], match["measure"]
    known = adjective_of(word) if not more else (word, "er" if more in {"more", "less"} else "est")
    if known is None or match["noun"] in {"or", "and"}:
        return None
    adjective, _ = known
    comparative, superlative = _degrees(adjective, more)
    noun = f" {match['noun']}" if match["noun"] else ""
    suffix = f" in {measure}" if measure else ""
    than, most = f"{be} {comparative}{suffix} than", f"{be} the {superlative}{noun}{suffix}"
    if direction := age_direction(adjective):
        relation = "born" if people else beginning_of(f"{context} {noun}") or ("born" if people else "founded")
        return Compared(date_question(relation), "date", relation, _direction(direction), than, most)
    measured = measure_of(adjective)
    if measured is None:
        return None
    question, relation, way = measured
    if measure:
        asked = attribute_question(measure)
        question, relation = asked or (f"What is the {measure} of {SLOT}?", measure)
    if more in {"less", "least"}:
        way = "less" if way == "greater" else "greater"
    return Compared(question, "number", relation, _direction(way), than, most)


def _degrees(adjective: str, more: str | None) -> tuple[str, str]:
    if more:
        pair = ("less", "least") if more in {"less", "least"} else ("more", "most")
        return f"{pair[0]} {adjective}", f"{pair[1]} {adjective}"
    stem = adjective[:-1] + "i" if adjective.endswith("y") else adjective.removesuffix("e")
    if adjective in {"big", "hot", "thin"}:
        stem += adjective[-1]
    return ("farther", "farthest") if adjective == "far" else (stem + "er", stem + "est")


def _direction(way: str) -> Direction:
    return "less" if way == "less" else "greater"


def _order(match: re.Match[str]) -> tuple[Direction, str, str] | None:
    word = match["order"] or match["front"] if "front" in match.re.groupindex else match["order"]
    if word is None or word in {"second", "originally"}:
        return None
    early = word in _EARLY
    return ("less" if early else "greater"), ("earlier" if early else "later"), ("first" if early else "last")


def _passive(match: re.Match[str]) -> Compared | None:
    order, verb = _order(match), match["verb"]
    if order is None or verb not in english.PARTICIPLES:
        return None
    way, comparative, superlative = order
    rest = f" {match['rest']}" if match["rest"] else ""
    be = "was" if match["be"] in {"was", "were"} else "is"
    first = "first " if match["front"] and match["order"] else ""
    return Compared(
        f"When was {SLOT} {first}{verb}{rest}?",
        "date",
        verb,
        way,
        f"{be} {first}{verb}{rest} {comparative} than",
        f"{be} {first}{verb}{rest} {superlative}",
    )


def _active(match: re.Match[str], context: str, *, people: bool) -> Compared | None:
    order, verb = _order(match), match["verb"]
    if order is None:
        return None
    way, comparative, superlative = order
    extra = f" {match['object']}" if match["object"] else ""
    if verb == "came" and not extra:
        relation = "born" if people else beginning_of(context)
        question = date_question(relation) if relation else f"When was {SLOT} created?"
        return Compared(question, "date", relation or "created", way, f"came {comparative} than", f"came {superlative}")
    if verb not in english.BASE_OF_PAST or verb in {"was", "were"}:
        return None
    base = english.BASE_OF_PAST[verb]
    relation = {"died": "died", "lived": "born"}.get(verb, verb)
    question = date_question("born") if verb == "lived" else f"When did {SLOT} {base}{extra}?"
    return Compared(
        question, "date", relation, way, f"{verb}{extra} {comparative} than", f"{verb}{extra} {superlative}"
    )


def _having(match: re.Match[str]) -> Compared | None:
    degree, noun = match["degree"], match["noun"]
    verb = "had" if match["verb"] == "had" else "has"
    way: Direction = "less" if degree in _LESS else "greater"
    if degree in {"more", "most", "fewer", "fewest", "less", "least"}:
        more, most = ("fewer", "fewest") if degree in {"fewer", "fewest"} else ("more", "most")
        if degree in {"less", "least"}:
            more, most = "less", "least"
        aux = "did" if verb == "had" else "does"
        if noun in {"people", "inhabitants", "residents"}:
            question = f"What is the population of {SLOT}?"
        else:
            question = f"How {'many' if noun.endswith('s') or noun in _MANY else 'much'} {noun} {aux} {SLOT} have?"
        return Compared(question, "number", noun, way, f"{verb} {more} {noun} than", f"{verb} the {most} {noun}")
    known = adjective_of(degree) or _loose(degree)
    if known is None:
        return None
    asked = attribute_question(noun)
    question, relation = asked or (f"What is the {noun} of {SLOT}?", noun)
    if noun in DATE_ATTRIBUTES:
        early = known[0] in {"early", "old"}
        return Compared(
            question, "date", relation, "less" if early else "greater", f"{verb} an {degree} {noun} "
                                                                        f"than", f"{verb} the {degree} {noun}"
        )  # fmt: skip
    comparative, superlative = _degrees(known[0], None)
    article = "an" if comparative[0] in "aeiou" else "a"
    return Compared(
        question, "number", relation, way, f"{verb} {article} {comparative} {noun} "
                                           f"than", f"{verb} the {superlative} {noun}"
    )  # fmt: skip


_MANY: Final = word_set("people children men women inhabitants")


def _loose(degree: str) -> tuple[str, str] | None:
    return (
        (degree.removesuffix("er").removesuffix("est"), "er")
        if degree in {"higher", "lower", "greater", "highest"}
        else None
    )


def _doing(match: re.Match[str]) -> Compared | None:
    verb, degree, noun = match["verb"], match["degree"], match["noun"]
    way: Direction = "less" if degree in _LESS else "greater"
    more, most = ("fewer", "fewest") if way == "less" else ("more", "most")
    has = match["has"]
    if has:
        if verb not in english.PARTICIPLES:
            return None
        question, front = f"How many {noun} {has} {SLOT} {verb}?", f"{has} {verb}"
    elif verb in english.BASE_OF_PAST:
        question, front = f"How many {noun} did {SLOT} {english.BASE_OF_PAST[verb]}?", verb
    elif verb in english.THIRD:
        question, front = f"How many {noun} does {SLOT} {english.THIRD[verb]}?", verb
    else:
        return None
    return Compared(question, "number", noun, way, f"{front} {more} {noun} than", f"{front} the {most} {noun}")


def _lasting(match: re.Match[str]) -> Compared | None:
    verb, degree = match["verb"], match["degree"]
    way: Direction = "less" if degree in _LESS else "greater"
    comparative = {"longest": "longer", "shortest": "shorter", "most": "more", "least": "less"}.get(degree, degree)
    superlative = {"longer": "longest", "shorter": "shortest", "more": "most", "less": "least"}.get(degree, degree)
    if verb in {"weighs", "weighed", "costs", "cost"}:
        aux = "does" if verb.endswith("s") else "did"
        base = "weigh" if verb.startswith("weigh") else "cost"
        question, relation = f"How much {aux} {SLOT} {base}?", "weight" if base == "weigh" else "price"
    else:
        question, relation = (
            f"How long did {SLOT} {english.BASE_OF_PAST.get(verb, verb.removesuffix('ed'))}?",
            LIFESPAN if verb == "lived" else "duration",
        )
    than, most = f"{verb} {comparative} than", f"{verb} the {superlative}"
    if relation == LIFESPAN and way == "less":
        than, most = "had a shorter life than", "had the shortest life"
    return Compared(question, "number", relation, way, than, most)
