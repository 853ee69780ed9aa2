"""Query translation by rule: a query in the other of the two languages, names as passages pair them.

A name is only written otherwise where some text says so ("屠呦呦（Tu Youyou）"): transliterating by rule would invent
people. What is in Latin letters stands in Chinese text too, so an English name may be searched for as it is.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from weiwo.state import Evidence, Language
from weiwo.state.query import QueryFrame
from weiwo.text.language import HAN
from weiwo.text.relations import relations

LONGEST: Final = 200
"""Characters of a query."""

MOST_READ: Final = 4_000
"""Characters of each passage in which pairs of names are looked for."""

_LATIN_NAME: Final = r"[A-Z][A-Za-zÀ-ɏ.'’-]*(?: (?:(?:of|the|de|la|von|van|al|and) )*[A-Z0-9][A-Za-z0-9À-ɏ.'’-]*){0,5}"
_CALLED: Final = r"(?:英文名称?|英语|英文|英|拉丁语|Chinese|中文|simplified Chinese)?[:： ]*"


def translate_query(frame: QueryFrame, passages: Sequence[Evidence], *, paired: bool = False) -> str | None:
    """A question as a query in the other language.

    Args:
        frame: The task, its references filled.
        passages: What was found so far: names that they give in both languages are written in the other one.
        paired: Whether only such names will do: over documents at hand, a name as it is was looked for already.

    Returns:
        The query; None where it would name nothing: relation words alone find anything.
    """
    other: Language = "zh" if frame.language == "en" else "en"
    named = [name for subject in frame.subjects[:2] if (name := _renamed(subject, frame.language, passages))]
    words = [relations()[frame.relation].noun[other]] if frame.relation in relations() else []
    kept = all(name in frame.subjects for name in named)
    if not named or (kept and (paired or not words)):
        return None
    figures = re.findall(r"(?<![\w.])\d{3,4}(?![\w.])", frame.question)
    return " ".join(dict.fromkeys([*named, *words, *figures]))[:LONGEST].strip()


def _renamed(subject: str, language: Language, passages: Sequence[Evidence]) -> str | None:
    """A subject as the other language writes it: as a passage says, else as it is if it is in Latin letters."""
    latin = not re.search(f"[{HAN}]", subject)
    if latin and language == "zh":
        return subject
    for passage in passages:
        if other := _paired(subject, f"{passage.title}\n{passage.text[:MOST_READ]}", latin=latin):
            return other
    return subject if latin and re.search("[A-Z0-9]", subject) else None


def _paired(subject: str, text: str, *, latin: bool) -> str | None:
    """The name in the other script that stands in brackets beside a name, or before it with the name in brackets."""
    after, before = _patterns(latin)
    for place in re.finditer(re.escape(subject), text):
        if found := after.match(text, place.end()):
            return found["name"]
    if subject not in text:
        return None
    return next((one["name"] for one in before.finditer(text) if text.startswith(subject, one.end())), None)


@cache
def _patterns(latin: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:  # noqa: FBT001 - a key of the cache
    """What stands between a name and its other form: after the name, and before it. Compiling them takes a while."""
    quoted = "[“”\"《》'‘’ ]*"
    other = f"[{HAN}·]{{2,20}}" if latin else _LATIN_NAME
    called = f"{quoted}[(（]{_CALLED}{quoted}"
    return re.compile(f"{called}(?P<name>{other})"), re.compile(f"(?P<name>{other}){called}")
