"""The question lexicon: words and patterns by which questions are parsed, out of `text/data/question.toml`.

A new phrasing is a word in a row of that file. Patterns read lower-case, half-width text.
"""

import re
from functools import cache
from typing import Final, NamedTuple, cast

from weiwo.state.kinds import Language
from weiwo.state.query import Direction
from weiwo.text.data_files import data_pattern, data_rows, data_words, read_data, split_cell
from weiwo.text.relations import relations
from weiwo.text.terms import FUNCTION_WORDS

_FILE: Final = "question"


def question_pattern(name: str) -> re.Pattern[str]:
    """A pattern of both languages."""
    return data_pattern(_FILE, "patterns", name)


def patterns_by_language(name: str) -> dict[Language, re.Pattern[str]]:
    """A pattern that each language has its own of."""
    return {"en": data_pattern(_FILE, "patterns", "en", name), "zh": data_pattern(_FILE, "patterns", "zh", name)}


ASKS: Final = question_pattern("asks")
FRESH: Final = question_pattern("fresh")
FORM_ASIDE: Final = question_pattern("form_aside")
"""A form named beside the question."""
ITEM_BAD: Final = question_pattern("item_bad")
"""What no thing of a list is called."""
TITLE: Final = question_pattern("title")
QUESTION_PHRASE: Final = patterns_by_language("question_phrase")
EDGE_WORDS: Final = FUNCTION_WORDS | data_words(_FILE, "words", "edge")
ANSWER_TYPES: Final = tuple(
    (kind, re.compile(rf"\b(?:{en})\b"), re.compile(zh)) for kind, (en, zh) in read_data(_FILE)["answer_types"].items()
)
FORMS: Final = tuple((form, data_pattern(_FILE, "forms", form)) for form in read_data(_FILE)["forms"])


class Comparative(NamedTuple):
    """What a comparing word says: the relation it compares (empty for `earlier` or `more`) and which value wins."""

    relation: str
    direction: Direction


@cache
def comparatives(language: Language) -> dict[str, Comparative]:
    """Comparing words of a language; a word that names its own relation stands before one that does not."""
    table: dict[str, Comparative] = {}
    directions: tuple[Direction, Direction] = ("least", "greatest")
    for name, _, _, *cells in _compared():
        for cell, direction in zip(cells[2:] if language == "zh" else cells[:2], directions, strict=True):
            for word in split_cell(cell):
                table.setdefault(word, Comparative(name, direction))
    return table


def word_look_up(relation: str, language: Language) -> str:
    """The question for one value of a relation, `{}` for the thing; empty where the relation is unknown."""
    row = relations().get(relation)
    if row is None:
        return ""
    if own := next((row[2 if language == "zh" else 1] for row in _compared() if row[0] == relation), ""):
        return own
    noun, dated = row.noun[language], row.answer_type == "date"
    if language == "zh":
        asks = {"person": "是谁", "place": "在哪里", "quantity": "是多少", "number": "是多少"}.get(
            row.answer_type, "是什么"
        )
        return f"{{}}是什么时候{noun}的？" if dated else f"{{}}的{noun}{asks}？"
    if dated:
        return f"When was {{}} {row.says['en'][0]}?"
    return f"{'Who' if row.answer_type == 'person' else 'What'} is the {noun} of {{}}?"


def _compared() -> tuple[tuple[str, ...], ...]:
    return data_rows(_FILE, "compared", "rows")


def ways_to_compare(language: Language) -> list[tuple[str, str]]:
    """The ways to compare things: what each asks (`which whether how_much apart age same`), and its pattern."""
    return [(cast("str", way["kind"]), way["pattern"].replace("\n", "")) for way in read_data(_FILE)["ways"][language]]
