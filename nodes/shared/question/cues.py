"""Cues of compound questions: what takes more than one look-up, and whether one must come before another.

The patterns are `compound` in `text/data/question.toml`. They read a question in lower case with a single `N` for every
name, so that "The Lord of the Rings" is no chain of relations and "Bosnia and Herzegovina" no list.
"""

import re
from typing import Final

from weiwo.state.kinds import Language
from weiwo.text.data_files import data_pattern, data_text


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
