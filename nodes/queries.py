"""The queries of a task: the plan's own, and further ones in other words or in the other language."""

from collections.abc import Iterable, Sequence

from nodes.other_language import other_language
from nodes.rules.keywords import LONGEST, keywords
from nodes.rules.words import terms
from nodes.task_state import OF_CORPUS, Call, asking, identity, query_of
from state import Evidence, Language


def at_first(call: Call, question: str, language: Language, most: int) -> list[Call]:
    """The calls of a task's first search of the web: as planned, and in the words of the task where these say more.

    Args:
        call: The search that was planned.
        question: The task, its references filled.
        language: Its language.
        most: Calls at most.
    """
    return [call, *_saying_more(call, (question,), [call], language, most - 1)]


def in_other_words(
    call: Call, question: str, language: Language, passages: Sequence[Evidence], tried: Sequence[Call], most: int
) -> list[Call]:
    """The same search in other words and in the other language, as far as that says more than what was tried.

    Args:
        call: The search as it was made last.
        question: The task, its references filled.
        language: Its language.
        passages: What was found so far.
        tried: The calls made.
        most: Calls at most.
    """
    across = other_language(question, language, passages, paired=call["tool"] in OF_CORPUS)
    return _saying_more(call, (question, across or ""), tried, language, most)


def as_asked(call: Call, queries: Iterable[str], tried: Sequence[Call], most: int) -> list[Call]:
    """A search with the queries that somebody asks for, those left out that were tried.

    Args:
        call: The search as it was made last.
        queries: The queries, best first.
        tried: The calls made.
        most: Calls at most.
    """
    known = {identity(one) for one in tried}
    calls: dict[str, Call] = {}
    for query in queries:
        new = asking(call, query.strip()[:LONGEST])
        if query.strip() and identity(new) not in known:
            calls.setdefault(identity(new), new)
    return list(calls.values())[:most]


def _saying_more(
    call: Call, queries: Iterable[str], tried: Sequence[Call], language: Language, most: int
) -> list[Call]:
    """A search with those of the queries that have a content word which none that was tried has beside its others."""
    said = [_content(query_of(one), language) for one in tried if one["tool"] == call["tool"]]
    kept = []
    for query in queries:
        words = _content(query, language)
        if not any(words <= other for other in said):
            said.append(words)
            kept.append(query)
    return as_asked(call, kept, tried, most)


def _content(query: str, language: Language) -> frozenset[str]:
    """What a query says. Chinese words are told from pairs of characters by what the frame of a question leaves."""
    return frozenset(terms(keywords(query, language) if language == "zh" else query))
