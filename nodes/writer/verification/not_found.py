"""Not found: statements that say only that something stands in no source, and whether it does all the same."""

import re
from typing import Final

from weiwo.nodes.writer.verification.clauses import Clause, content_words, matched
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.particulars import Particulars, find_particulars
from weiwo.nodes.writer.verification.quantities import MONEY
from weiwo.text.patterns import lazy

_NOT_FOUND: Final = lazy(
    r"(?i)\b(?:could not|cannot|can't|couldn't|unable to|did not|didn't|does not|doesn't|do "
    r"not|don't) (?:be )?(?:find|found|determine[d]?|specify|indicate|"
    r"establish(?:ed)?|say|state|answer(?:ed)?|mention|give|contain|cover|name|tell)\b|\b(?:no|"
    r"none of the) (?:passages?|sources?|documents?|information|"
    r"evidence|answer|results?)\b|\bnot (?:found|mentioned|stated|given|answered|known from|"
    r"in the (?:passages|sources))\b"
    r"|没有?找到|未找到|未能找到|找不到|没有提到|没有提及|未提及|未提到|没有给出|没有回答|没有(?:说明|写明?|讲|交代|标明|列出)|未(?:说明|写明|讲|交代|标明|列出)|无法(?:确定|回答|判断|得知)|资料中没有|没有相关|没有资料|未查到|查不到"
)
_CLAUSE: Final = lazy(
    r"[;；]\s*|,\s*(?:but|and|while|though|although|however)\b|\s(?:but|while|whereas|although|though)\s|，"
)
_ASKED: Final = (
    (lazy(r"(?i)\bhow long\b|\bhow many (?:years|months|weeks|days|hours|minutes)\b|多[久长]|几[天年个]"), "s"),
    (lazy(r"(?i)\bhow much\b.*\bcosts?\b|\bprices?\b|多少钱"), "money"),
    (lazy(r"(?i)\bhow (?:much|many|old|far|high|big)\b|多[少大高远]"), "quantity"),
    (lazy(r"(?i)\bwhen\b|\bwhat (?:year|date|day)\b|何时|什么时候|哪[年天]"), "date"),
    (lazy(r"(?i)\bwho\b|谁"), "name"),
    (lazy(r"(?i)\bwhether\b|是否|能不能|可不可以|有没有|会不会|有无"), "any"),
)
"""What is asked for, and the kind of a value that answers it."""
_QUESTION: Final = lazy(
    r"(?i)\bhow (?:long|much|many|old|far|high|big)\b|\bwhat (?:year|date|day)\b|多[久少长大高远]|几[个天年]|何时|什么时候|哪[年天]|谁"
    r"|是否|能不能|可不可以|有没有|会不会|有无"
)
LEAST_SAID: Final = {"any": 0.75}
"""Share of the words asked with that the sentence has to have, by the kind asked for; half of them where it is a value."""


def says_not_found(statement: str) -> bool:
    """Whether a statement says of something that it was not found."""
    return _NOT_FOUND.search(statement) is not None


def not_found_only(statement: str, stated: Particulars, question: str) -> bool:
    """Whether a statement only says that something was not found; its figures and names must be the question's."""
    if not _NOT_FOUND.search(statement):
        return False
    if any(not _NOT_FOUND.search(part) for part in _CLAUSE.split(statement) if re.search(r"\w{2}", part)):
        return False
    asked = find_particulars(question)
    return (
        {span.date for span in stated.dates} <= {span.date for span in asked.dates}
        and {span.value for span in stated.numbers} <= {span.value for span in asked.numbers}
        and set(stated.codes) <= set(asked.codes)
    )


def find_said(statement: str, grounds: Grounds) -> str:
    """The sentence that says what a statement says was not found: words that it asks with, and a value of its kind."""
    part = next((part for part in _CLAUSE.split(statement) if part and _NOT_FOUND.search(part)), "")
    gap = _NOT_FOUND.search(part)
    asked = part[gap.end() :] if gap else ""
    kind = next((values for pattern, values in _ASKED if pattern.search(asked)), "")
    words = set(content_words(_QUESTION.sub(" ", asked)))
    if not kind or not words:
        return ""
    for source in grounds.sources:
        title = Clause(source.title).keys
        for clause in source.sentences[:200]:
            own = matched(words, clause.keys)
            enough = len(own | matched(words, title)) >= max(
                1 + (kind == "any"), LEAST_SAID.get(kind, 0.5) * len(words)
            )
            if own and enough and _has_value(clause, kind):
                return f"“{clause.text.strip()[:120]}” says it"
    return ""


def _has_value(clause: Clause, kind: str) -> bool:
    """Whether a clause holds a value of the kind asked for."""
    if kind in {"date", "name"}:
        return bool(clause.dates if kind == "date" else clause.names)
    kinds = {quantity.kind for quantity in clause.quantities}
    return kind == "any" or bool(kinds if kind == "quantity" else kinds & (MONEY if kind == "money" else {kind}))


def affirmed_part(statement: str) -> str:
    """The parts of a statement that do not say that something was not found."""
    if not _NOT_FOUND.search(statement):
        return statement
    parts = [part for part in _CLAUSE.split(statement) if part and not _NOT_FOUND.search(part)]
    return ", ".join(part.strip() for part in parts)
