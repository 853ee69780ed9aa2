"""The type of the answer an English question asks for, by its question words."""

import re
from itertools import pairwise
from typing import Final

from nodes.rules import english
from nodes.rules.forms import word_set
from nodes.rules.lexicon_en import MEASURES
from state import ValueType
from text.patterns import lazy

_NUMBER_WH: Final = lazy(
    r"^(?:by |for |about )?how (?:many|much|tall|long|high|deep|wide|large|big|heavy|fast|far|old|hot|cold"
    r"|thick|dense|populous)\b",
    re.IGNORECASE,
)
_DATE_WH: Final = lazy(
    r"^(?:when\b|(?:(?:in|on|during|from|by|until|since) )?(?:what|which) (?:year|date|day|month)\b)", re.IGNORECASE
)
_MEASURE_WH: Final = lazy(
    r"^what (?:is|was|are|were) (?:the )?(?:(?:total|average|current|estimated|approximate|usual) )?"
    rf"(?:{'|'.join(sorted(MEASURES, key=len, reverse=True))})\b",
    re.IGNORECASE,
)
_DATE_NOUN: Final = lazy(
    r"^what (?:is|was) (?:the )?(?:birth ?date|birthday|birth year|date|year|founding (?:date|year)|release "
    r"(?:date|year)"
    r"|death date)\b",
    re.IGNORECASE,
)
_DURATION: Final = lazy(r"^how long (?:did|does|has|had)\b", re.IGNORECASE)
_BOOLEAN: Final = lazy(r"^(?:is|are|was|were|do|does|did|has|have|had|can)\b", re.IGNORECASE)
_RECURRING: Final = lazy(r"^when (?:do|does|can|must|should|may)\b", re.IGNORECASE)
"""In the present, "when" asks for a rule such as "within 30 days" or "on Mondays", not for a date."""
_PLURAL_YEARS: Final = lazy(r"^(?:in |on )?(?:what|which) (?:years|dates|days)\b", re.IGNORECASE)
_MANY: Final = lazy(
    r"^(?:(?:what|which) (?:two|three|four|five|six|seven|eight|nine|ten|\d+) \w+"
    r"|(?:what|which) (?:[\w-]+ ){0,3}(?:(?!\w*(?:ss|us|is|series|species|news|gas|lens)\b)[\w-]+s|people|children|men"
    r"|women) (?:are|were|has|have|had|do|does|did|can|will|would)\b"
    r"|(?:list|name|enumerate|give(?: me)?) (?:all )?(?:of )?(?:the )?(?:[\w-]+ ){0,3}[\w-]+s\b)",
    re.IGNORECASE,
)
_WHAT_ARE: Final = lazy(r"^(?:what|who) (?:are|were) (?:all )?(?:of )?the (?P<what>[\w -]{2,60})", re.IGNORECASE)
_WHICH_NOUNS: Final = lazy(r"^(?:what|which) (?P<words>(?:[\w-]+ ){2,5})", re.IGNORECASE)
_NO_PLURAL: Final = lazy(r"(?:ss|us|is|series|species|news|gas|lens)$", re.IGNORECASE)
_NO_OBJECT: Final = word_set(
    "the a an in on of at by to from with for through into its his her their and or is was has does did about as"
)


def type_of(question: str) -> ValueType:
    """The type of a question's answer, by its question words."""
    if _PLURAL_YEARS.match(question):
        return "list[date]"
    if _RECURRING.match(question):
        return "text"
    if _DATE_WH.match(question) or _DATE_NOUN.match(question):
        return "date"
    if _NUMBER_WH.match(question) or _MEASURE_WH.match(question) or _DURATION.match(question):
        return "number"
    if _BOOLEAN.match(question):
        return "boolean"
    return "list[text]" if _asks_for_many(question) else "text"


def _asks_for_many(question: str) -> bool:
    if _MANY.match(question):
        return True
    if found := _WHAT_ARE.match(question):
        return bool(re.search(r"\b\w{2,}(?:s|people|children|men|women)\b", found["what"]))
    if found := _WHICH_NOUNS.match(question):
        listed = found["words"].split()
        for noun, verb in pairwise(listed):
            if noun.endswith("s") and not _NO_PLURAL.search(noun) and noun not in {*english.THIRD, *english.AUX}:
                return verb.islower() and verb not in _NO_OBJECT and not verb.endswith("s")
    return False
