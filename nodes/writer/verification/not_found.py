"""Not found: statements that say only that something stands in no source, and whether it does all the same."""

import re
from collections.abc import Iterator
from typing import Final

from weiwo.nodes.writer.verification.clauses import content_words, match_keys
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.particulars import Particulars, find_particulars
from weiwo.text.patterns import lazy

_NOT_FOUND: Final = lazy(
    r"(?i)\bwithout (?:saying|stating|mentioning|giving|telling|specifying)\b|\b(?:could not|cannot|can't|couldn't|unable to|did not|didn't|does not|doesn't|do "
    r"not|don't) (?:be )?(?:find|found|determine[d]?|specify|indicate|"
    r"establish(?:ed)?|say|state|answer(?:ed)?|mention|give|contain|cover|name|tell|reveal|disclose|explain|provide|identify)\b|\b(?:no|"
    r"none of the) (?:passages?|sources?|documents?|information|"
    r"evidence|answer|results?)\b|\bnot (?:found|mentioned|stated|given|answered|known from|"
    r"in the (?:passages|sources))\b"
    r"|没有?找到|未找到|未能找到|找不到|没有提到|没有提及|未提及|未提到|没有给出|没有回答|没有(?:说明|写明?|讲|交代|标明|列出)|未(?:说明|写明|讲|交代|标明|列出)|无法(?:确定|回答|判断|得知)|资料中没有|没有相关|没有资料|未查到|查不到"
)
_CLAUSE: Final = lazy(
    r"[;；]\s*|,\s*(?:but|and|while|though|although|however)\b|\s(?:but|while|whereas|although|though)\s|，"
)

_ASIDE: Final = lazy(
    r"(?i)\b(?:how|what|when|where|why|whether|which|who|any|sources?|passages?|documents?|documentation|pages?|articles?|reports?|texts?|readme|manual|leaflet|announcement|much|many|long)\b"
    r"|资料|来源|文档|文件|文章|说明书?|公告|报告|手册|原文|材料|多少|具体|什么|哪[里年个]|如何|是否|有无|任何|何时|多[久长大]|^[但却而也还]"
)
"""Words beside what is not found."""


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


def find_told(statement: str, grounds: Grounds) -> Iterator[str]:
    """What a statement says was not found, where a sentence of the sources has all words of it and a figure or date."""
    titles = {key for source in grounds.sources for word in content_words(source.title) for key in match_keys(word)}
    for part in _CLAUSE.split(statement):
        if not part or not _NOT_FOUND.search(part):
            continue
        said = set(content_words(_ASIDE.sub(" ", _NOT_FOUND.sub(" ", part))))
        topic = {word for word in said if match_keys(word).isdisjoint(titles)}
        for clause in (clause for source in grounds.sources for clause in source.sentences if topic):
            if all(not match_keys(word).isdisjoint(clause.keys) for word in topic) and (
                clause.quantities or clause.dates
            ):
                yield f"“{clause.text.strip()[:120]}” tells it"
                break
