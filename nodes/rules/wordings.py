"""What a calculation is for, as a question: "By how much do the heights of A and B differ?"."""

import re
from typing import Final

from nodes.rules.forms import LIFESPAN, SLOT, Lookup, Shape
from nodes.rules.lexicon_en import MEASURES
from state import Language
from text.patterns import lazy

_EVENTS_EN: Final = {
    "born": "birth",
    "died": "death",
    "founded": "founding",
    "established": "founding",
    "formed": "formation",
    "published": "publication",
    "released": "release",
    "completed": "completion",
    "built": "construction",
    "opened": "opening",
    "launched": "launch",
    "invented": "invention",
    "discovered": "discovery",
    "premiered": "premiere",
    "premiere": "premiere",
    "unified": "unification",
    "start": "start",
    "end": "end",
    "fall": "fall",
    "crowned": "coronation",
    "assassinated": "assassination",
    "first climbed": "first ascent",
}
_SIZES: Final = MEASURES | {LIFESPAN, "thickness", "height", "size"}
_DEGREES_ZH: Final = {
    "有多高": "高度",
    "有多长": "长度",
    "有多重": "重量",
    "有多深": "深度",
    "有多宽": "宽度",
    "有多快": "速度",
    "有多远": "距离",
    "享年多少岁": "寿命",
}
_PEOPLE: Final = lazy(
    r"(?:was|is|were|are) (?:older|younger|born)|died|lived longer|had a shorter life|won|has won|wrote"
)


def filled(template: str, names: list[str], language: Language) -> str:
    """A template with its names: 〈a〉 and 〈b〉 the first and second, 〈l〉 all of them."""
    text = template.replace("〈l〉", listed(names, language))
    return text.replace("〈a〉", names[0] if names else "").replace("〈b〉", names[1] if len(names) > 1 else "")


def listed(names: list[str], language: Language) -> str:
    """Names in a row: "A, B and C"; A、B和C."""
    comma, word = ("、", "和") if language == "zh" else (", ", " and ")
    return word.join([comma.join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def plural(noun: str) -> str:
    """The plural of a noun: "births", "densities"."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def event_en(lookup: Lookup) -> str:
    """The noun of what a look-up dates: "birth", "" where it has none."""
    return _EVENTS_EN.get(lookup.relation, "")


def noun_zh(lookup: Lookup) -> str:
    """The noun of what a look-up asks: 出生, 高度; "" where it has none."""
    asked = lookup.question.replace(SLOT, "").rstrip("？")
    if asked in _DEGREES_ZH:
        return _DEGREES_ZH[asked]
    match = re.fullmatch(
        r"是(?:哪一年|什么时候)(?P<verb>.{1,4})的|的(?P<noun>.{1,8})是(?:多少|什么)|有多少(?P<many>.{1,6})", asked
    )
    if match is None:
        return ""
    return match["verb"] or match["noun"] or f"{match['many']}数量"


def computed(shape: Shape, language: Language) -> str:
    """What the calculation that ends a plan is for, as a question.

    Args:
        shape: The shape of the question that was planned.
        language: The language to ask in.
    """
    names = [subject or "?" for subject in shape.subjects]
    if shape.task and names:
        return filled(shape.task, names, language)
    return _computed_zh(shape, names) if language == "zh" else _computed_en(shape, names)


def _computed_zh(shape: Shape, names: list[str]) -> str:
    joined = listed(names, "zh") or "两者"
    if shape.kind == "age_at":
        return f"{joined}当时多少岁？"
    if shape.kind == "same":
        return f"{joined}的{shape.attribute or '值'}是否相同？"
    if shape.kind == "difference":
        nouns = [noun_zh(lookup) for lookup in shape.lookups]
        amount = f"多少{shape.unit}" if shape.unit else "多少"
        if not shape.unit and {lookup.ret for lookup in shape.lookups} == {"date"}:
            amount = "多少年"
        if len(set(nouns)) == 1 and nouns[0]:
            return f"{joined}的{nouns[0]}相差{amount}？"
        if len(names) == len(nouns) == 2 and all(nouns):
            return f"{names[0]}的{nouns[0]}和{names[1]}的{nouns[1]}相差{amount}？"
        return f"{joined}相差{amount}？"
    return f"{joined}中{shape.most.replace('〈a〉', '')}的是哪个？" if shape.most else f"{joined}相比，结果如何？"


def _computed_en(shape: Shape, names: list[str]) -> str:
    joined = listed(names, "en") or "them"
    if shape.kind == "age_at":
        return f"How old was {joined} at the time?"
    if shape.kind == "same":
        return f"Do {joined} have the same {shape.attribute or 'value'}?"
    if shape.kind == "difference":
        return _difference_en(shape, names, joined)
    if shape.than and len(names) == 2:
        who = "Who" if shape.attribute in {"born", "died", LIFESPAN} and _PEOPLE.match(shape.than) else "Which"
        return f"{who} {shape.than.removesuffix(' than')}, {names[0]} or {names[1]}?"
    return f"Which of {joined} {shape.most}?" if shape.most else f"How do {joined} compare?"


def _difference_en(shape: Shape, names: list[str], joined: str) -> str:
    if {lookup.ret for lookup in shape.lookups} == {"date"}:
        unit = shape.unit if shape.unit in {"days", "months"} else "years"
        events = [event_en(lookup) for lookup in shape.lookups]
        if len(set(events)) == 1 and events[0]:
            return f"How many {unit} lie between the {plural(events[0])} of {joined}?"
        if len(names) == len(events) == 2 and all(events):
            return f"How many {unit} lie between the {events[0]} of {names[0]} and the {events[1]} of {names[1]}?"
        return (
            f"How many {unit} lie between the two dates?"
            if len(names) < 2
            else (f"How many {unit} lie between the dates of {joined}?")
        )
    noun = shape.attribute or ""
    if noun in _SIZES:
        return f"By how much do the {plural(noun)} of {joined} differ?"
    if noun and re.fullmatch(r"[\w' -]{2,40}", noun):
        return f"By how much do {joined} differ in {noun}?"
    return f"What is the difference between {joined}?"
