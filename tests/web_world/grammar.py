"""What the scripted model knows of language: how things are asked for, and in which words texts tell them.

It knows nothing of the web. A relation has a question, a description that stands for its value ("the author of X"),
words to search with, and patterns with a group `v` that texts may tell it in.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from tests.web_world.things import Language

_HAN: Final = r"[\u4e00-\u9fff]"
_PARTS: Final = {
    "<name>": r"[A-Z][\w’'-]+(?: (?:of |the )?[A-Z][\w’'-]+)*",
    "<day>": r"(?:\d{1,2} [A-Z][a-z]+ )?\d{3,4}",
    "<count>": r"\d[\d,.]*\d|\d",
    "<han>": _HAN,
}
"""What stands in the patterns of `tests/data/web_world/relations.jsonl` for a name, a date, a number, a character."""


@dataclass(frozen=True)
class Relation:
    """Something that can be asked of a thing."""

    key: str  # its name
    language: Language  # the language of its words
    ret: str  # the type of its value
    question: str  # the question, `{}` for the thing
    described: str  # what a question calls the value by, `{}` for the thing; empty if it does not
    words: str  # what to search with
    said: str  # the sentence that says it, without its stop: `{}` for the thing, then for the value
    told: tuple[str, ...]  # patterns of sentences that tell the value
    also: tuple[str, ...] = ()  # other questions that mean the same


@dataclass(frozen=True)
class LookUp:
    """A relation of a thing that is named, or has to be found first."""

    relation: Relation
    subject: "str | LookUp"


@dataclass(frozen=True)
class Asked:
    """A question, read."""

    lookups: tuple[LookUp, ...]  # what has to be looked up
    then: Literal["say", "longest", "first", "minus", "years"] = "say"  # what is done with the values


def _relation(row: dict[str, Any]) -> Relation:
    whole = (re.sub("|".join(_PARTS), lambda part: _PARTS[part[0]], pattern) for pattern in row.pop("told"))
    return Relation(**{"described": "", **row, "told": tuple(whole), "also": tuple(row.get("also", ()))})


_ROWS: Final = Path(__file__).parents[1] / "data" / "web_world" / "relations.jsonl"
RELATIONS: Final = [_relation(json.loads(row)) for row in _ROWS.read_text(encoding="utf-8").splitlines()]
_BY_KEY: Final = {(one.language, one.key): one for one in RELATIONS}


def relation(language: Language, key: str) -> Relation:
    """The relation of a name."""
    return _BY_KEY[language, key]


def read_question(question: str) -> Asked | None:
    """A question of the user, read; None where it is not understood."""
    for pattern, then, key in _COMPOUND:
        if found := re.fullmatch(pattern, question):
            language: Language = "zh" if re.search(_HAN, question) else "en"
            if then == "years":
                born, published = relation(language, "born"), relation(language, "published")
                return Asked((LookUp(born, found[1]), LookUp(published, found[2])), "years")
            names = [name for group in found.groups() for name in re.split(r", | and |、|和", group)]
            return Asked(tuple(LookUp(relation(language, key), name) for name in names), then)
    single = read_task(question)
    return None if single is None else Asked((single,))


_COMPOUND: Final[tuple[tuple[str, Literal["say", "longest", "first", "minus", "years"], str], ...]] = (
    (r"Which is longer, the (.+) or the (.+)\?", "longest", "length"),
    (r"(.+)和(.+)哪条更长？", "longest", "length"),
    (r"Who was born first, (.+) or (.+)\?", "first", "born"),
    (r"By how many kilometres is the (.+) longer than the (.+)\?", "minus", "length"),
    (r"(.+)比(.+)长多少公里？", "minus", "length"),
    (r"How many years after the birth of (.+) was (.+) published\?", "years", ""),
    (r"List the birth years of (.+, .+ and .+)\.", "say", "born"),
    (r"请列出(.+、.+和.+)的出生年份。", "say", "born"),
)


def read_task(question: str) -> LookUp | None:
    """One look-up, of a thing that is named or described; None where the question is not understood."""
    for one in RELATIONS:
        for wording in (one.question.replace("the {}", "{}"), *one.also):
            if found := re.fullmatch(re.escape(wording).replace(r"\{\}", "(.+)"), question.strip()):
                return LookUp(one, _thing(found[1]))
    return None


def _thing(text: str) -> str | LookUp:
    for one in RELATIONS:
        if one.described and (found := re.fullmatch(re.escape(one.described).replace(r"\{\}", "(.+)"), text)):
            return LookUp(one, _thing(found[1]))
    return text.removeprefix("the ")
