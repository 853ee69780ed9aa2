"""The question lexicon: words and patterns for parsing questions, from `text/data/question.toml`.

A new phrasing is a word in a row of that file. Patterns read lower-case, half-width text. The cues of compound
questions read a single `N` for every name, so that "The Lord of the Rings" is not a chain of relations.
"""

import re
from typing import Final

from weiwo.state.kinds import Locale
from weiwo.text.data_files import data_pattern, data_words, read_data
from weiwo.text.terms import FUNCTION_WORDS

_FILE: Final = "question"


def question_pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of `question.toml` that reads both languages."""
    return data_pattern(_FILE, "patterns", name)


def patterns_by_language(name: str) -> dict[Locale, re.Pattern[str]]:
    """Return a pattern of `question.toml` for each language."""
    return {"en": data_pattern(_FILE, "patterns", "en", name), "zh": data_pattern(_FILE, "patterns", "zh", name)}


ASKS: Final = question_pattern("asks")
FRESH: Final = question_pattern("fresh")
FORM_ASIDE: Final = question_pattern("form_aside")
"""Form that is named beside the question, as "in two sentences"."""
ITEM_BAD: Final = question_pattern("item_bad")
"""Words that cannot be part of an item in a list of things."""
TITLE: Final = question_pattern("title")
QUESTION_PHRASE: Final = patterns_by_language("question_phrase")
EDGE_WORDS: Final = FUNCTION_WORDS | data_words(_FILE, "words", "edge")
ANSWER_TYPES: Final = tuple(
    (kind, re.compile(rf"\b(?:{en})\b"), re.compile(zh)) for kind, (en, zh) in read_data(_FILE)["answer_types"].items()
)
FORMS: Final = tuple((form, data_pattern(_FILE, "forms", form)) for form in read_data(_FILE)["forms"])


def _cue(name: str) -> re.Pattern[str]:
    return data_pattern("question", "compound", name)


_COMPOUND: Final[dict[Locale, re.Pattern[str]]] = {"en": _cue("compound_en"), "zh": _cue("compound_zh")}
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
"""Text that may follow a noun if the question asks for that noun itself."""


def is_compound(marked: str, language: Locale) -> bool:
    """Report whether a question compares, calculates, has several parts, or asks the same about several things.

    Args:
        marked: The question in lower case, with `N` for each name.
        language: Its language.
    """
    return _COMPOUND[language].search(marked) is not None


def is_chain(marked: str, language: Locale) -> bool:
    """Report whether a question needs the answer of one look-up for the next: "when was the founder of N born".

    Args:
        marked: The question in lower case, with `N` for each name.
        language: Its language.
    """
    body = marked.strip(" ?!.。")
    if language == "zh":
        steps = [*_OWNED.finditer(body), *_RELATIVE_ZH.finditer(body)]
        return bool(_WHEN.search(body)) or any(not _ANSWER_TAIL.fullmatch(step["tail"]) for step in steps)
    if _CONTACT.search(body) or any(found["asked"] is None for found in _RELATIVE.finditer(body)):
        return True
    if any(found["asked"] is None and not (found["aux"] and found["passive"]) for found in _REDUCED.finditer(body)):
        return True
    steps = [*_STEP_OF.finditer(body), *_STEP_BY.finditer(body)]
    return any(found["asked"] is None for found in steps) and not (len(steps) == 1 and not _ASKS.match(body))
