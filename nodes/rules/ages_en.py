"""English questions about life spans, and about ages at a date."""

import re
from typing import Final

from nodes.rules import english
from nodes.rules.compared_en import read_compared
from nodes.rules.forms import LIFESPAN, Lookup, Shape
from nodes.rules.lexicon_en import beginning_of, date_question
from nodes.rules.operands_en import operand, subjects_of
from text.dates import find_dates
from text.patterns import lazy

_LIVED: Final = lazy(
    r"how (?:long|many years) did (?P<lived>.+?) live(?: for)?(?: in (?:total|all))?"
    r"|how (?:long|many years) (?:was|is) the life of (?P<life>.+)"
    r"|how long was (?P<whose>.+?)(?:'s|s') (?:life|lifetime)"
    r"|(?:what (?:was|is) )?(?:the )?(?:lifespan|life span|length of (?:the )?life) of (?P<span>.+)"
    r"|(?:what (?:was|is) )?(?P<spans>.+?)(?:'s|s') (?:lifespan|life span)",
    re.IGNORECASE,
)
_REACHED: Final = lazy(
    r"how old did (?P<got>.+?) (?:get|become|grow|live(?: to be)?|get to be|turn)"
    r"|how old did (?P<die>.+?) die|(?:to|until|till|up to) (?:what|which) age did (?P<until>.+?) live"
    r"|(?:what|which) age did (?P<what>.+?) (?:live (?:to|until)|reach|get to|die(?: at)?|attain)"
    r"|(?:what (?:was|is) )?(?P<whose>.+?)(?:'s|s') age (?:at|of|on) (?:(?:his|her|the time of (?:his |her )?) ?)?death"
    r"|(?:what (?:was|is) )?(?:the )?age (?:at (?:the time of )?death of|of death of|at which) (?P<of>.+?)(?: died)?",
    re.IGNORECASE,
)


def life_span(text: str) -> Shape | None:
    """How long did X live; how old did X get: the birth and the death."""
    for pattern, told in ((_LIVED, "〈a〉 lived for 〈n〉 years"), (_REACHED, "〈a〉 died at the age of 〈n〉")):
        match = pattern.fullmatch(text)
        who = _somebody(next((part for part in match.groups() if part), "")) if match else None
        if who is not None:
            task = "How long did 〈a〉 live?" if pattern is _LIVED else "At what age did 〈a〉 die?"
            return _between_birth_and_death(who, told, task)
    return None


def _between_birth_and_death(who: str | Lookup, told: str, task: str) -> Shape:
    start = Lookup(date_question("born"), "date", who, "born")
    end = Lookup(date_question("died"), "date", who, "died")
    return Shape(
        "age_at",
        "en",
        (start, end),
        subjects_of((start,)),
        "age",
        difference=True,
        unit="years",
        asks="how_much",
        told=told,
        task=task,
    )


def _somebody(text: str) -> str | Lookup | None:
    """Whose life is meant: a person described or named, no kind of animal; None where that is not certain."""
    who = operand(text)
    if isinstance(who, str) and who == who.lower() and (who.endswith("s") or who.startswith(("the ", "a ", "an "))):
        return None
    return who


_EVER: Final = r"(?P<degree>longer|shorter|longest|shortest)"
_DID_LIVE: Final = lazy(rf"did (?P<a>.+?) live (?:for )?(?:a )?{_EVER} (?:life )?than (?P<b>.+)", re.IGNORECASE)
_HOW_MUCH_LONGER: Final = lazy(
    r"(?:by )?how (?:many years|much) (?P<degree>longer|shorter) did (?P<a>.+?) live than (?P<b>.+)"
    r"|(?:by )?how (?:many (?:more )?years|much) did (?P<a2>.+?) live (?P<degree2>longer|shorter)? ?than (?P<b2>.+)",
    re.IGNORECASE,
)


def compared_lives(text: str) -> Shape | None:
    """Did X live longer than Y; how many years longer did X live than Y."""
    if match := _DID_LIVE.fullmatch(text):
        return _two_lives(match["a"], match["b"], match["degree"], much=False)
    if match := _HOW_MUCH_LONGER.fullmatch(text):
        degree = match["degree"] or match["degree2"] or "longer"
        return _two_lives(match["a"] or match["a2"], match["b"] or match["b2"], degree, much=True)
    return None


def _two_lives(a: str, b: str, degree: str, *, much: bool) -> Shape | None:
    left, right = _somebody(a), _somebody(re.sub(r" (?:did|lived)$", "", b))
    compared = read_compared(f"lived {degree.lower()}")
    if left is None or right is None or compared is None:
        return None
    lookups = (compared.about(left), compared.about(right))
    return Shape(
        "difference" if much else "comparison",
        "en",
        lookups,
        subjects_of(lookups),
        LIFESPAN,
        compared.direction,
        difference=much,
        asks="how_much" if much else "whether",
        than=compared.than,
        most=compared.most,
    )


_AGE_OF: Final = lazy(
    r"(?:how old (?:was|were|is|would) |(?:what|which) age was |what (?:was|is) the age of )(?P<rest>.+)", re.IGNORECASE
)
_AGE_WHOSE: Final = lazy(r"what (?:was|is) (?P<who>.+?)(?:'s|s') age (?P<rest>.+)", re.IGNORECASE)
_DATE_FIRST: Final = lazy(
    r"(?P<when>(?:in|on|by|at) .{2,40}?),? (?:how old (?:was|were) |what age was )(?P<who>.+)", re.IGNORECASE
)
_BEFORE_DATE: Final = lazy(r"(?P<who>.*?)(?: be| have been)?,? ?(?P<on>(?:in|on|by|as of|during)(?: the year)?) $")


def age_on(text: str) -> Shape | None:
    """How old was X in 1900; on 15 March 44 BC, how old was X."""
    if first := _DATE_FIRST.fullmatch(text):
        body = f"{first['who']} {english.decapitalized(first['when'])}"
    elif whose := _AGE_WHOSE.fullmatch(text):
        body = f"{whose['who']} {whose['rest']}"
    elif match := _AGE_OF.fullmatch(text):
        body = match["rest"]
    else:
        return None
    spans = find_dates(body)
    span = spans[-1] if spans else None
    if span is None or span.end != len(body) or span.until is not None or span.approximate:
        return None
    before = _BEFORE_DATE.fullmatch(body[: span.start].lower())
    who = operand(body[: len(before["who"])]) if before else None
    if before is None or who is None:
        return None
    relation = "born" if isinstance(who, Lookup) else (beginning_of(who) or "born")
    start = Lookup(date_question(relation), "date", who, relation)
    when = f"{before['on']} {body[span.start : span.end]}"
    would = re.match(r"how old would ", text, re.IGNORECASE)
    return Shape(
        "age_at",
        "en",
        (start,),
        subjects_of((start,)),
        "age",
        difference=True,
        unit="years",
        asks="how_much",
        date=span.date.iso(),
        told=f"〈a〉 {'would have been' if would else 'was'} 〈n〉 years old {when}",
        task=f"How old was 〈a〉 {when}?",
    )
