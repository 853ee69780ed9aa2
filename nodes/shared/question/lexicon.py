"""The question lexicon: words and patterns by which questions are parsed, out of `text/data/question.toml`.

A new phrasing is a word in a row of that file. Patterns read lower-case, half-width text. The cues of
compound questions read a single `N` for every name, so that "The Lord of the Rings" is no chain of relations.
"""

import re
from functools import cache
from typing import Final, NamedTuple, cast

from weiwo.state.kinds import Language
from weiwo.state.query import Direction
from weiwo.text.data_files import data_pattern, data_rows, data_text, data_words, read_data, split_cell
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


def _cue(name: str) -> re.Pattern[str]:
    return data_pattern("question", "compound", name)


_COMPOUND: Final[dict[Language, re.Pattern[str]]] = {"en": _cue("compound_en"), "zh": _cue("compound_zh")}
_ASKS: Final = _cue("asks")
_STEP_OF: Final = _cue("step_of")
_STEP_BY: Final = _cue("step_by")
_RELATIVE: Final = _cue("relative")
_REDUCED: Final = _cue("reduced")
_CONTACT: Final = _cue("contact")
_OWNED: Final = _cue("owned")
_RELATIVE_ZH: Final = _cue("relative_zh")
_WHEN: Final = _cue("when")
_ANSWER_TAIL: Final = _cue("answer_tail")
"""What may follow a noun that the question itself asks for."""
_PLACE: Final = data_text("question", "compound", "place")


def is_compound(marked: str, language: Language) -> bool:
    """Whether a question compares, calculates, has several parts, or asks the same of several things."""
    return _COMPOUND[language].search(marked) is not None


def is_chain(marked: str, language: Language) -> bool:
    """Whether answering takes a look-up whose question only an earlier look-up can complete."""
    return _chain_zh(marked.rstrip("?!.。 ")) if language == "zh" else _chain_en(marked.strip(" ?.!"))


def _chain_en(body: str) -> bool:
    if _CONTACT.search(body) or any(found["asked"] is None for found in _RELATIVE.finditer(body)):
        return True
    if any(found["asked"] is None and not (found["aux"] and found["passive"]) for found in _REDUCED.finditer(body)):
        return True
    steps = [*_STEP_OF.finditer(body), *_STEP_BY.finditer(body)]
    return any(found["asked"] is None for found in steps) and not (len(steps) == 1 and not _ASKS.match(body))


def _chain_zh(text: str) -> bool:
    if _WHEN.search(text):
        return True
    for found in _OWNED.finditer(text):
        place = re.fullmatch(_PLACE, found["relation"]) and re.match("(?:现在)?(?:位于|在|坐落)", found["tail"])
        if not place and not _ANSWER_TAIL.fullmatch(found["tail"]):
            return True
    return any(not _ANSWER_TAIL.fullmatch(found["tail"]) for found in _RELATIVE_ZH.finditer(text))
