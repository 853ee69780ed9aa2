"""Relations that questions ask for: how they are asked, and the words that carry them in a passage.

A relation is a set of synonyms in both languages, sorted by the part they play in a sentence: nouns ("its *author*
is X", "S的*作者*是X"), active verbs ("X *wrote* S"), passive verbs ("*written* by X", "由X*创作*"), and phrases a value
directly follows ("*son of* X"). The table itself is in `relation_table`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from nodes.rules.reading.relation_table import ROWS
from text.patterns import lazy

Kind = Literal["person", "place", "country", "state", "city", "group", "work", "date", "number", "thing", "reason"]
"""What sort of thing an answer is, where the question says."""


NOTHING: Final = lazy(r"(?!)")


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation.

    Attributes:
        name: Its name, for people.
        kind: What its value is where the question word doesn't say.
        asks: Finds it in a question.
        cues: Finds any word that carries it in a passage.
        nouns: Nouns that name its value: father, 首都.
        actives: Verbs whose subject is the value and whose object is what the question is about.
        passives: Participles before "by", Chinese verbs after 由.
        inverse: Phrases that the value directly follows.
        converse: Nouns for what the subject is to its value: "his nephew S" names the uncle by his pronoun.
        owners: Chinese phrases that the value stands right before: 汉文帝之子.
        life: 0 or 1 if the first or second date of a life span answers it.
        measure: Dimension of its number, such as "length" or "people".
        single: Whether a thing has only one value of it.
    """

    name: str
    kind: Kind
    asks: re.Pattern[str]
    cues: re.Pattern[str]
    nouns: re.Pattern[str]
    actives: re.Pattern[str]
    passives: re.Pattern[str]
    inverse: re.Pattern[str]
    converse: re.Pattern[str] = NOTHING
    owners: re.Pattern[str] = NOTHING
    life: int | None = None
    measure: str = ""
    single: bool = True


def pattern(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern that finds any of the words: whole words in Latin letters, anywhere in Chinese."""
    given = [word for word in words if word]
    if not given:
        return NOTHING
    latin = "|".join(word for word in given if word[0].isascii())
    # 发现者 before 发现: where words overlap, the longer is the one meant.
    han = "|".join(sorted((word for word in given if not word[0].isascii()), key=_least_and_most, reverse=True))
    parts = ([rf"\b(?:{latin})\b"] if latin else []) + ([f"(?:{han})"] if han else [])
    return lazy("|".join(parts), re.IGNORECASE)


def _least_and_most(word: str) -> tuple[int, int]:
    """How many characters a word of the table stands for, where "?" leaves one out."""
    optional = word.count("?")
    return len(word) - 2 * optional, len(word) - optional


def _relation(row: str) -> Relation:
    fields: dict[str, str] = {}
    name, *lines = (line.strip() for line in row.strip().splitlines())
    for line in lines:
        key, _, value = line.partition(":")
        fields[key.strip()] = value.strip()

    def words(key: str) -> list[str]:
        return [word.strip() for word in fields.get(key, "").split(", ") if word.strip()]

    title, kind = name.split()
    nouns, actives, passives, inverse = (words(key) for key in ("nouns", "actives", "passives", "inverse"))
    cues = [*words("cues"), *nouns, *actives, *passives, *inverse]
    return Relation(
        name=title,
        kind=kind,  # type: ignore[arg-type]  # a test checks the table's kinds
        asks=pattern([*words("asks"), *nouns, *actives, *passives]),
        cues=pattern(cues),
        nouns=pattern(nouns),
        actives=pattern(actives),
        passives=pattern(passives),
        inverse=pattern(inverse),
        converse=pattern(words("converse")),
        owners=pattern(words("owners")),
        life=int(fields["life"]) if "life" in fields else None,
        measure=fields.get("measure", ""),
        single="many" not in fields,
    )


RELATIONS: Final = tuple(_relation(row) for row in ROWS.strip().split("\n\n"))


def find_relation(
    question: str, *, wants: Kind | None, number: bool = False
) -> tuple[Relation, tuple[int, int]] | None:
    """The relation a question asks for, and where it says so.

    The table's order settles ties: what is more particular stands first. A question for a number prefers a measure.

    Args:
        question: The question.
        wants: What the question word asks for, if it says.
        number: Whether a number is asked for.
    """
    best: tuple[tuple[int, int], Relation, tuple[int, int]] | None = None
    for position, relation in enumerate(RELATIONS):
        if relation.measure and not number:
            continue
        hits = [hit for hit in relation.asks.finditer(question) if not _inside_title(question, hit.start())]
        if not hits:
            continue
        fits = relation.kind == wants or (number and bool(relation.measure))
        # "Where" and "which country" say little; the verb beside them says what is asked.
        key = (2 if relation.name in {"location", "country"} else 0 if fits else 1, position)
        if best is None or key < best[0]:
            best = (key, relation, hits[0].span())
    return None if best is None else (best[1], best[2])


def _inside_title(question: str, position: int) -> bool:
    before = question[:position]
    capital = position > 0 and question[position].isascii() and question[position].isupper()
    return capital or before.rfind("《") > before.rfind("》") or before.count('"') % 2 == 1
