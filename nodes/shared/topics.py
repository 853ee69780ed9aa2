"""Topics: what a question is about, without what it asks of it, so that two tasks can be told to ask about one thing.

"What is the total population of Benelux?" and "How many people live in Benelux?" have one topic, Benelux; "How heavy is
the crank of the engine?" has another than "How heavy is the engine?". Words decide, so that a topic worded otherwise
is another.
"""

import re
from functools import cache
from typing import Final

from weiwo.nodes.shared.amounts import split_asked_unit
from weiwo.state import REFERENCE, Language
from weiwo.text.patterns import lazy
from weiwo.text.relations import relations
from weiwo.text.terms import terms

_ASKING: Final = lazy(
    r"\b(?:in (?:total|all|sum)|(?:grand |sum )?total(?: (?:number|amount|value|sum))? of|total|altogether|together|"
    r"combined|overall|(?:the )?(?:sum|number) of|whole|entire|what|which|how (?:many|much|large|big)|year|date|day|"
    r"month|exact(?:ly)?)\b"
    r"|总共|一共|共计|合计|总计|总和|之和|全部|整个|哪一?[年月日天]|年份|日期|什么时候|何时|时间|分别|各自|具体"
    r"|[有是]?多少|[总共的是了在于]|什么",
    re.IGNORECASE,
)
"""Words that ask for an amount as a whole, or for a date, and say nothing of what it is of."""


def find_topic(question: str, relation: str, language: Language) -> frozenset[str]:
    """The terms of a question without those that ask, its unit, and references."""
    text = REFERENCE.sub(" ", split_asked_unit(question)[0]).casefold()
    for words in relation_words(relation, language):
        text = words.sub(" ", text)
    return frozenset(terms(_ASKING.sub(" ", text)))


@cache
def relation_words(relation: str, language: Language) -> tuple[re.Pattern[str], ...]:
    """How questions ask for a relation, the longest words first."""
    known = relations().get(relation)
    asks = sorted(known.asks[language], key=len, reverse=True) if known is not None else []
    return tuple(re.compile(rf"\b{re.escape(one)}s?\b" if one.isascii() else re.escape(one)) for one in asks)
