"""English questions about ratios, percentages, sums and averages of measured things."""

import re
from typing import Final

from nodes.rules.forms import Kind, Lookup, Shape
from nodes.rules.lexicon_en import MEASURES, adjective_of, attribute_question, measure_of
from nodes.rules.operands_en import operand, operands, subjects_of
from text.patterns import lazy

_TIMES: Final = r"how many times (?:as |more )?"
_RATIO: Final = (
    lazy(rf"{_TIMES}(?P<adjective>[a-z]+) (?:as|than) (?P<b>.+?) (?:is|was|are) (?P<a>.+)", re.IGNORECASE),
    lazy(rf"{_TIMES}(?P<adjective>[a-z]+) (?:is|was|are) (?P<a>.+?) (?:as|than) (?P<b>.+)", re.IGNORECASE),
    lazy(
        r"how many times (?:is|was|are) (?P<a>.+?) (?:as |more )?(?P<adjective>[a-z]+) (?:as|than) (?P<b>.+)",
        re.IGNORECASE,
    ),
    lazy(r"how many times (?P<b>the .+?) (?:is|was) (?P<a>.+)", re.IGNORECASE),
    lazy(r"(?:what (?:is|was) )?(?:the )?ratio (?:of|between) (?P<a>.+?) (?:to|and) (?P<b>.+)", re.IGNORECASE),
    lazy(
        r"(?:what (?:is|was) )?(?:the )?(?P<noun>[a-z]+(?: [a-z]+)?) ratio (?:of|between) (?P<a>.+?) "
        r"(?:to|and) (?P<b>.+)",
        re.IGNORECASE,
    ),
)
_PERCENT: Final = (
    lazy(r"what (?:percentage|per ?cent|share) of (?P<b>.+?) (?:is|was) (?P<a>.+)", re.IGNORECASE),
    lazy(r"(?:the )?(?P<a>.+?) (?:is|was) (?:what|which) (?:percentage|per ?cent|share) of (?P<b>.+)", re.IGNORECASE),
)
_OF: Final = lazy(r"(?:the )?(?:total |full )?(?P<noun>[a-z]+(?: [a-z]+)?) of (?P<what>.+)", re.IGNORECASE)
_OWNED: Final = lazy(r"(?P<what>.+?)(?:'s|(?<=s)') ?(?P<noun>[a-z]+(?: [a-z]+)?)?", re.IGNORECASE)
_THAT: Final = lazy(r"that of (?P<what>.+)", re.IGNORECASE)
_UNMEASURED: Final = frozenset({"age", "number", "lifespan", "life expectancy", "latitude"})
_OF_PARTS: Final = frozenset({"population", "gdp", "budget", "revenue", "enrollment", "cost", "price", "attendance"})
"""Measures of which a part may be named plainly: "What percentage of the population of France is Catholic?"."""


def _measure(noun: str | None) -> str:
    """The measure a noun names, "" where it names none that can be divided or added."""
    single = (noun or "").lower()
    for form in (single, single.removesuffix("s"), re.sub(r"ies$", "y", single), re.sub(r"sses$", "ss", single)):
        if form in MEASURES and form not in _UNMEASURED:
            return form
    return ""


def _side(text: str) -> tuple[str, str]:
    """What one side of a ratio is about, and the measure it names, if any."""
    if that := _THAT.fullmatch(text):
        return that["what"], "that"
    if (of := _OF.fullmatch(text)) and (noun := _measure(of["noun"])):
        return of["what"], noun
    owned = _OWNED.fullmatch(text)
    if owned and (owned["noun"] is None or _measure(owned["noun"])):
        return owned["what"], _measure(owned["noun"]) or "that"
    return text, ""


def ratio(text: str) -> Shape | None:
    """How many times as tall as B is A; what percentage of the height of B is A."""
    for pattern in _RATIO:
        if (match := pattern.fullmatch(text)) and (found := _of_two(match, "ratio")):
            return found
    for pattern in _PERCENT:
        if (match := pattern.fullmatch(text)) and (found := _of_two(match, "percentage")):
            return found
    return None


def _of_two(match: re.Match[str], kind: Kind) -> Shape | None:
    parts = match.groupdict()
    (a, first), (b, second) = _side(parts["a"]), _side(parts["b"])
    if kind == "percentage" and not first and (second in _OF_PARTS or not re.match(r"the |[A-Z\ue000-\uf8ff]", a)):
        return None
    named = {noun for noun in (first, second, _measure(parts.get("noun"))) if noun not in {"", "that"}}
    adjective = _adjective(parts.get("adjective") or "")
    if len(named) > 1 or (not named and adjective is None):
        return None
    noun = next(iter(named), "")
    asked = attribute_question(noun) if noun else adjective
    left, right = operand(a), operand(b)
    if asked is None or left is None or right is None or a.lower() == b.lower():
        return None
    question, relation = asked[0], asked[1]
    lookups = tuple(Lookup(question, "number", thing, relation) for thing in (left, right))
    word = adjective[2] if adjective and not noun else ""
    if kind == "ratio":
        told = (
            f"〈a〉 is 〈n〉 times as {word} as 〈b〉" if word else f"The {noun} of 〈a〉 is 〈n〉 times that of 〈b〉"
        )
        task = (
            f"How many times as {word} as 〈b〉 is 〈a〉?"
            if word
            else f"How many times the {noun} of 〈b〉 is that of 〈a〉?"
        )
    else:
        told = f"The {noun} of 〈a〉 is 〈n〉% of that of 〈b〉"
        task = f"What percentage of the {noun} of 〈b〉 is that of 〈a〉?"
    return Shape(kind, "en", lookups, subjects_of(lookups), relation, asks="how_much", told=told, task=task)


def _adjective(word: str) -> tuple[str, str, str] | None:
    """Question, relation and plain form of an adjective that measures upwards; None for any other."""
    known = adjective_of(word)
    plain = known[0] if known else word.lower()
    measured = measure_of(plain)
    if measured is None or measured[2] == "less":
        return None
    return measured[0], measured[1], plain


_SUM: Final = "combined|total|joint|summed|aggregate|cumulative"
_TOTAL: Final = lazy(
    rf"(?:what(?:'s| is| was| are| were| would be) |calculate |compute |give me )?(?:the )?"
    rf"(?P<how>{_SUM}|average|mean) (?P<noun>[a-z]+(?: [a-z]+)?) (?:of|for) (?P<rest>.+)",
    re.IGNORECASE,
)
_SUM_OF: Final = lazy(
    r"(?:what(?:'s| is| was| would be) |calculate |compute |give me )?(?:the )?(?P<how>sum|total|average|mean) of "
    r"(?:the )?(?P<noun>[a-z]+(?: [a-z]+)?) of (?P<rest>.+)",
    re.IGNORECASE,
)
_TOGETHER: Final = lazy(
    r"how (?P<adjective>[a-z]+) (?:are|is|were|would) (?P<rest>.+?)(?: be)? (?P<how>combined|together|in total"
    r"|put together|altogether|on average)",
    re.IGNORECASE,
)
_ONE_COUNTRY: Final = lazy(
    r"(?:trinidad and tobago|bosnia and herzegovina|antigua and barbuda|(?:saint|st\.?) kitts and nevis"
    r"|(?:saint|st\.?) vincent and the grenadines|são tomé and príncipe|sao tome and principe|turks and caicos.*"
    r"|(?:the )?heard and mcdonald.*|wallis and futuna|newfoundland and labrador|tyne and wear)",
    re.IGNORECASE,
)


def total(text: str) -> Shape | None:
    """The combined height of A, B and C; the average height of A and B."""
    match = _SUM_OF.fullmatch(text) or _TOTAL.fullmatch(text) or _TOGETHER.fullmatch(text)
    if match is None:
        return None
    parts = match.groupdict()
    adjective = _adjective(parts.get("adjective") or "")
    noun = _measure(parts.get("noun")) or (adjective[1] if adjective else "")
    rest = re.sub(r"^(?:both|each of) ", "", match["rest"], flags=re.IGNORECASE)
    things = None if _ONE_COUNTRY.fullmatch(rest) else operands(rest, joined_by="and")
    asked = attribute_question(noun) if noun else None
    if not things or not asked or any(isinstance(thing, str) and _plain(thing, text) for thing in things):
        return None
    question = adjective[0] if adjective else asked[0]
    lookups = tuple(Lookup(question, "number", thing, asked[1]) for thing in things)
    kind: Kind = "average" if match["how"].lower() in {"average", "mean", "on average"} else "sum"
    which = "average" if kind == "average" else "combined"
    return Shape(
        kind,
        "en",
        lookups,
        subjects_of(lookups),
        asked[1],
        asks="how_much",
        told=f"The {which} {noun} of 〈l〉 is 〈n〉",
        task=f"What is the {which} {noun} of 〈l〉?",
    )


def _plain(thing: str, text: str) -> bool:
    """Whether a thing is a kind of things ("men and women"), not a name; nothing is said where all is lower case."""
    return thing == thing.lower() and (text.lower() != text or thing.endswith("s")) and not thing.isdigit()
