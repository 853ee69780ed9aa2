"""Not found: statements that say only that something stands in no source, and whether it does all the same."""

import re
from typing import Final

from weiwo.nodes.writer.verification.particulars import Particulars, find_particulars
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


def affirmed_part(statement: str) -> str:
    """The parts of a statement that do not say that something was not found."""
    if not _NOT_FOUND.search(statement):
        return statement
    parts = [part for part in _CLAUSE.split(statement) if part and not _NOT_FOUND.search(part)]
    return ", ".join(part.strip() for part in parts)
