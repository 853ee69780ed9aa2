"""English questions about the time between two events, and about ages at an event."""

import re
from typing import Final

from nodes.rules import english
from nodes.rules.chains_en import read_lookup
from nodes.rules.forms import SLOT, Lookup, Shape
from nodes.rules.lexicon_en import DATE_ATTRIBUTES, beginning_of, date_question
from nodes.rules.operands_en import operand, subjects_of
from text.patterns import lazy

_AGE: Final = lazy(
    r"(?:how old (?:was|were|is)|(?:at )?(?:what|which) age (?:was|did)|what was the age of) (?P<who>.+?)"
    r"(?: (?P<verb>die|marry|become .+|win .+|publish .+))?,? ?(?:(?:when|the (?:day|year|time)(?: that)?|as) "
    r"(?P<clause>.+)"
    r"|(?P<preposition>at the time of|upon|at|on|during) (?P<noun>.+))?",
    re.IGNORECASE,
)
_CLAUSE_FIRST: Final = lazy(r"when (?P<clause>.+?), how old (?:was|were) (?P<who>.+)", re.IGNORECASE)
_PRONOUN: Final = lazy(r"\b(?:he|she|it|they)\b", re.IGNORECASE)
_POSSESSIVE: Final = lazy(r"\b(?:his|her|its|their)\b", re.IGNORECASE)
_ANAPHOR: Final = lazy(
    r"\b(?:the|this|that) (?:film|movie|book|novel|play|album|song|poem|painting|opera|building|tower|bridge"
    r"|company|work|series)\b",
    re.IGNORECASE,
)


def age_at(text: str) -> Shape | None:
    """How old was X when …: the birth and the event."""
    match = _CLAUSE_FIRST.fullmatch(text) or _AGE.fullmatch(text)
    if match is None:
        return None
    parts = match.groupdict()
    who = operand(re.sub(r"^the (?=\W)", "", parts["who"]))
    if who is None:
        return None
    if parts.get("noun"):
        event, when = _noun_event(parts["noun"], who), f"{parts['preposition']} {parts['noun']}"
    else:
        clause = parts.get("clause") or (f"he {_past(parts['verb'])}" if parts.get("verb") else "")
        event, when = _clause_event(clause, who) if clause else None, f"when {clause}"
    if event is None:
        return None
    relation = "born" if isinstance(who, Lookup) else (beginning_of(who) or "born")
    start = Lookup(date_question(relation), "date", who, relation)
    told, task = f"〈a〉 was 〈n〉 years old {when}", f"How old was 〈a〉 {when}?"
    if parts.get("verb"):
        told, task = f"〈a〉 {_past(parts['verb'])} at the age of 〈n〉", f"At what age did 〈a〉 {parts['verb']}?"
    return Shape(
        "age_at",
        "en",
        (start, event),
        subjects_of((start,)),
        "age",
        difference=True,
        unit="years",
        asks="how_much",
        told=told,
        task=task,
    )


def _past(verb: str) -> str:
    base, _, rest = verb.partition(" ")
    return f"{english.PAST.get(base.lower(), base)} {rest}".strip()


def _clause_event(clause: str, who: str | Lookup) -> Lookup | None:
    """When the event of a clause took place; its pronouns mean the person asked about."""
    if re.fullmatch(r"(?:he|she|they) died", clause, re.IGNORECASE):
        return Lookup(f"When did {SLOT} die?", "date", who, "died")
    if _ANAPHOR.search(clause):
        innermost = _innermost(who)
        if not innermost:
            return None
        clause = _ANAPHOR.sub(lambda _: innermost, clause, count=1)
    turned = english.invert(clause)
    if turned is None or (_PRONOUN.match(clause) and _UNDATED.search(turned)):
        return None
    question = f"when {turned}"
    if _PRONOUN.search(question) or _POSSESSIVE.search(question):
        question = _POSSESSIVE.sub(f"{SLOT}'s", _PRONOUN.sub(SLOT, question))
        if isinstance(who, str) or question.count(SLOT) == 1:
            return Lookup(english.capitalized(question) + "?", "date", who)
        return None
    return read_lookup(question)


_UNDATED: Final = lazy(
    r"^did (?:he|she|it|they) (?:see|have|get|say|know|think|tell|do|go|make|live|stay|want)\b", re.IGNORECASE
)
"""What happens too often, or goes on too long, to be dated by its words alone."""


def _innermost(who: str | Lookup) -> str:
    while isinstance(who, Lookup):
        who = who.subject
    return who


def _noun_event(noun: str, who: str | Lookup) -> Lookup | None:
    own = re.fullmatch(
        r"(?:(?:the time of )?(?:his|her|its|their) )(?P<event>[a-z ]+)|(?P<death>death)", noun, re.IGNORECASE
    )
    if own and (relation := DATE_ATTRIBUTES.get((own["event"] or own["death"]).lower())):
        return Lookup(date_question(relation), "date", who, relation)
    return event(noun)


_NOUN_EVENT: Final = lazy(r"(?:the )?(?P<noun>[a-z][a-z ]+?) of (?P<what>.+)", re.IGNORECASE)
_OWNED: Final = lazy(r"(?P<what>.+?)'s? (?P<noun>[a-z][a-z ]+)", re.IGNORECASE)


def event(text: str) -> Lookup | None:
    """When an event took place: "the birth of X", "X's death", "X was founded"."""
    text = text.strip(" ,")
    for pattern in (_NOUN_EVENT, _OWNED):
        match = pattern.fullmatch(text)
        relation = DATE_ATTRIBUTES.get(match["noun"].lower()) if match else None
        if match and relation:
            what = operand(match["what"])
            return None if what is None else Lookup(date_question(relation), "date", what, relation)
    match = re.fullmatch(r"(?:when )?(?P<clause>.+ .+)", text, re.IGNORECASE)
    turned = english.invert(match["clause"]) if match else None
    if turned is None or _PRONOUN.search(turned):
        return None
    return _as_asked(read_lookup(f"when {turned}"))


_ASKED_OF: Final = lazy(r"When was (?P<what>.+) (?P<verb>[a-z]+)\?|When did (?P<who>.+) (?P<base>die)\?")


def _as_asked(lookup: Lookup) -> Lookup:
    """The same look-up with its subject told from what is asked, where that is plain."""
    match = _ASKED_OF.fullmatch(lookup.question) if lookup.subject == "" else None
    if match is None:
        return lookup
    what = match["what"] or match["who"]
    relation = match["verb"] or "died"
    return Lookup(date_question(relation), "date", what, relation)


_BETWEEN: Final = lazy(
    r"how (?:many (?P<unit>years|days|months|centuries|decades)|much time|long)(?: (?:passed|elapsed|went by"
    r"|lie|lies|lay|are there|were there"
    r"|was there|was it|is it|separated?|are|were|is))? ?(?P<how>between|from|separate) (?P<rest>.+)",
    re.IGNORECASE,
)
_GAP: Final = lazy(
    r"what (?:is|was) the (?:number of (?P<unit>years|days|months)|(?:time|gap|interval|time span|period)(?: "
    r"in (?P<in>years|days|months))?)"
    r" between (?P<rest>.+)",
    re.IGNORECASE,
)
_BEFORE: Final = lazy(
    r"(?:by )?how (?:many (?P<unit>years|days|months|centuries|decades)|long|much (?:earlier|later|time)) (?:later )?"
    r"(?P<order>before|after|earlier than|later than) (?P<one>.+?)[ ,]+(?P<aux>was|were|did|is) (?P<other>.+)",
    re.IGNORECASE,
)
_OTHER_FIRST: Final = lazy(
    r"how (?:many (?P<unit>years|days|months)|long) (?P<aux>was|were|did) (?P<other>.+?) (?:before|after) (?P<one>.+)",
    re.IGNORECASE,
)


def interval(text: str) -> Shape | None:
    """How many years before the birth of X was Y born; how long between … and …."""
    for pattern in (_BETWEEN, _GAP):
        match = pattern.fullmatch(text)
        if match:
            return _between(match)
    for pattern in (_BEFORE, _OTHER_FIRST):
        match = pattern.fullmatch(text)
        if match:
            for cut in _auxiliaries(match):
                one, other = event(cut[0]), event(cut[1])
                if one is None and other is not None and other.relation and (plain := operand(cut[0])):
                    one = other.about(plain)
                if one and other and one.ret == other.ret == "date":
                    return _interval((one, other), match["unit"])
    return None


def _auxiliaries(match: re.Match[str]) -> list[tuple[str, str]]:
    """Readings of "after X was founded was Y founded": which auxiliary opens the main clause."""
    rest = f"{match['one']} {match['aux']} {match['other']}"
    if match.re is _OTHER_FIRST:
        clause = _uninverted(match["aux"], match["other"])
        return [(match["one"], clause)] if clause else []
    cuts = list(re.finditer(r" (?P<aux>was|were|did|is) ", rest, re.IGNORECASE))
    readings = []
    for found in reversed(cuts):
        clause = _uninverted(found["aux"], rest[found.end() :])
        if clause:
            readings.append((rest[: found.start()].rstrip(","), clause))
    return readings


def _uninverted(aux: str, rest: str) -> str | None:
    """Turn "was Y born" into "Y was born" and "did Y die" into "Y died"."""
    split = english.split_predicate(rest, aux.lower())
    if split is None or not split[1]:
        return None
    subject, predicate = split
    if aux.lower() != "did":
        return f"{subject} {aux} {predicate}"
    base, _, more = predicate.partition(" ")
    return f"{subject} {english.PAST[base]} {more}".strip() if base in english.PAST else None


def _between(match: re.Match[str]) -> Shape | None:
    unit = match.groupdict().get("unit") or match.groupdict().get("in")
    for joined in re.finditer(r" (?:and|to|until) ", match["rest"]):
        left, right = match["rest"][: joined.start()], match["rest"][joined.end() :]
        one, other = event(left), event(right)
        if one and not other and (plain := operand(re.sub(r"^(?:that|those) of ", "", right))):
            other = one.about(plain)
        if (
            one is None
            and other is None
            and (shared := re.fullmatch(r"(?:the )?(?P<noun>[a-z]+s) of (?P<what>.+)", left))
        ):
            relation = DATE_ATTRIBUTES.get(shared["noun"].removesuffix("s"))
            first, second = operand(shared["what"]), operand(right)
            if relation and first and second:
                question = date_question(relation)
                one, other = Lookup(question, "date", first, relation), Lookup(question, "date", second, relation)
        if one and other and one.ret == other.ret == "date":
            return _interval((one, other), unit)
    shared = re.fullmatch(r"(?:the )?(?P<noun>[a-z]+s) of (?P<a>.+) and (?P<b>.+)", match["rest"])
    relation = DATE_ATTRIBUTES.get(shared["noun"].removesuffix("s")) if shared else None
    if shared and relation and (first := operand(shared["a"])) and (second := operand(shared["b"])):
        question = date_question(relation)
        return _interval((Lookup(question, "date", first, relation), Lookup(question, "date", second, relation)), unit)
    return None


def _interval(lookups: tuple[Lookup, Lookup], unit: str | None) -> Shape:
    relation = lookups[0].relation if lookups[0].relation == lookups[1].relation else None
    than = "was born earlier than" if relation == "born" else ""
    return Shape(
        "difference",
        "en",
        lookups,
        subjects_of(lookups),
        relation,
        difference=True,
        unit=(unit or "").lower(),
        asks="how_much",
        than=than,
    )
