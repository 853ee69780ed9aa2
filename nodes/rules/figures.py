"""The figures of calculations in sentences: ages, ratios, sums."""

import re
from typing import Final

from nodes.rules.english import capitalized
from nodes.rules.forms import Shape
from nodes.rules.wordings import filled
from state import JsonValue, Language, Outcome
from text.numbers import format_number

OLDEST: Final = 105
"""Completed years that somebody may have lived; a greater age is one that would have been reached."""

_AT_THE_TIME: Final[dict[Language, str]] = {"en": "〈a〉 was 〈n〉 years old at the time", "zh": "〈a〉当时〈n〉岁"}


def age(shape: Shape, name: str, result: Outcome, language: Language) -> str | None:
    """How old somebody was, as the question asks it.

    Args:
        shape: The question; its `told` is the wording, if it is one about an age.
        name: Who it was.
        result: The completed years between the beginning and the event, with what `date_difference` says of them.
        language: The language to tell it in.
    """
    value = result.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    told = shape.told if shape.kind == "age_at" and shape.told else _AT_THE_TIME[language]
    person = not shape.lookups or shape.lookups[0].relation in {"born", ""}
    if result.detail.get("earlier") == "end":
        return _not_yet(told, name, result.value, language, person=person)
    roughly = result.detail.get("exact", True) is False
    figure = format_number(value, language)
    if language == "zh":
        figure = f"大约{figure}" if roughly else figure
        text = f"{filled(told, [name], language).replace('〈n〉', figure)}。"
        return f"如果在世，{text}" if person and shape.date and value > OLDEST else text
    text = filled(told, [name], language).replace("〈n〉", f"about {figure}" if roughly else figure)
    text = re.sub(r"(?<![\d.,])1 years\b", "1 year", text)
    if person and shape.date and value > OLDEST:
        text = re.sub(r" was (?=(?:about )?[\d,]+ years old)", " would have been ", text, count=1)
    return f"{capitalized(text)}."


def _not_yet(told: str, name: str, years: JsonValue, language: Language, *, person: bool) -> str | None:
    """That somebody was born only later, told by the years that were to pass."""
    if not isinstance(years, int | float) or not years:
        return None
    figure = format_number(years, language)
    if language == "zh":
        when = told.partition("，")[0] if "，〈a〉" in told else "当时"
        return f"{when}距{name}{'出生' if person else '出现'}还有大约{figure}年。"
    _, found, when = told.partition(" years old ")
    if not found:
        return None
    away = "year" if years == 1 else "years"
    return (
        f"{capitalized(when)}, the {'birth' if person else 'beginning'} of {name} was still about {figure} {away} away."
    )


def figured(shape: Shape, names: list[str], amount: str, *, rounded: bool, language: Language) -> str | None:
    """A ratio, percentage, sum or average, as the question asks it.

    Args:
        shape: The question.
        names: What it is about.
        amount: The figure, written out.
        rounded: Whether it had to be rounded.
        language: The language to tell it in.
    """
    if not shape.told or len(names) < 2:
        return None
    about = {"en": "about ", "zh": "约"}[language] if rounded else ""
    text = filled(shape.told, names, language).replace("〈n〉", about + amount)
    text = text.replace("是约", "约为")
    return f"{text}。" if language == "zh" else f"{capitalized(text)}."
