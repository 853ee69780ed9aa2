"""Sufficiency of a reading: whether one more source should be heard, and which pages promise most."""

from collections.abc import Iterable
from typing import Final

from weiwo.nodes.executor.reading.entity_check import find_unmentioned_name
from weiwo.nodes.executor.reading.judgement import Judgement
from weiwo.state import Evidence
from weiwo.state.query import QueryFrame
from weiwo.text.patterns import lazy
from weiwo.text.terms import coverage, terms

ABOUT: Final = 0.6
"""Share of the words for what a question is about that a passage needs for its page to be worth opening."""

FIRST: Final = 0.3
"""What the first place in a result list is worth, against saying all words of the question, or being titled so."""

_DATE: Final = lazy(r"-?\d{4,}(?:-\d\d){0,2}")


def needs_second_source(judgement: Judgement) -> bool:
    """Whether one more source should be heard: one alone gives a figure or a date, or one stands against another."""
    reading = judgement.reading
    exact = isinstance(reading.value, int | float) and not isinstance(reading.value, bool)
    dated = isinstance(reading.value, str) and _DATE.fullmatch(reading.value) is not None
    return reading.support == 1 and (exact or dated or bool(reading.rivals))


def rank_pages(frame: QueryFrame, passages: Iterable[Evidence]) -> list[Evidence]:
    """The passages that speak of what a question is about, those first whose pages promise most.

    Search results rarely say what is asked, so what they are titled counts as much as what they say: a page titled as
    its subject and nothing else is the one that tells its particulars.
    """
    wanted = set(frame.terms)
    about = set(terms(frame.subject)) or wanted
    rated = []
    for passage in passages:
        title = {*terms(passage.title)}
        said = title | {*terms(passage.text)}
        if coverage(about, said) >= ABOUT and find_unmentioned_name(frame.question, [passage]) is None:
            titled = 2 * len(about & title) / (len(about) + len(title) or 1)
            rated.append((titled + coverage(wanted, said) + FIRST / passage.rank, passage))
    return [passage for _, passage in sorted(rated, key=lambda pair: -pair[0])]
