"""Query reformulation of a task: the plan's own query, and further ones in other words or in the other language."""

from collections.abc import Iterable, Sequence

from weiwo.nodes.executor.query_translation import translate_query
from weiwo.nodes.executor.task_state import OF_CORPUS, Call, call_identity, call_query, with_query
from weiwo.nodes.shared.planning.rule_plan import LONGEST_QUERY
from weiwo.state import Evidence
from weiwo.state.query import QueryFrame
from weiwo.text.terms import terms


def first_queries(call: Call, frame: QueryFrame, most: int) -> list[Call]:
    """The calls of a task's first search of the web: as planned, and in the words of the task where these say more.

    Args:
        call: The search that was planned.
        frame: The task, its references filled.
        most: Calls at most.
    """
    return [call, *_saying_more(call, [_worded(frame)], [call], most - 1)]


def further_queries(
    call: Call, frame: QueryFrame, passages: Sequence[Evidence], tried: Sequence[Call], most: int
) -> list[Call]:
    """The same search in other words and in the other language, as far as that says more than what was tried.

    Args:
        call: The search as it was made last.
        frame: The task, its references filled.
        passages: What was found so far.
        tried: The calls made.
        most: Calls at most.
    """
    across = translate_query(frame, passages, paired=call["tool"] in OF_CORPUS)
    ways = [_worded(frame)] + ([(across, across)] if across else [])
    return _saying_more(call, ways, tried, most)


def requested_queries(call: Call, queries: Iterable[str], tried: Sequence[Call], most: int) -> list[Call]:
    """A search with the queries that somebody asks for, those left out that were tried.

    Args:
        call: The search as it was made last.
        queries: The queries, best first.
        tried: The calls made.
        most: Calls at most.
    """
    known = {call_identity(one) for one in tried}
    calls: dict[str, Call] = {}
    for query in queries:
        new = with_query(call, query.strip()[:LONGEST_QUERY])
        if query.strip() and call_identity(new) not in known:
            calls.setdefault(call_identity(new), new)
    return list(calls.values())[:most]


def _worded(frame: QueryFrame) -> tuple[str, str]:
    """The question as a query, and what it says: of Chinese the keywords, since pairs of characters span its frame."""
    return frame.question, frame.search if frame.language == "zh" else frame.question


def _saying_more(call: Call, queries: Iterable[tuple[str, str]], tried: Sequence[Call], most: int) -> list[Call]:
    """A search with those of the queries that have a content word which none that was tried has beside its others.

    Each query comes with its keywords, which are what it says.
    """
    said = [frozenset(terms(call_query(one))) for one in tried if one["tool"] == call["tool"]]
    kept = []
    for query, keywords in queries:
        words = frozenset(terms(keywords or query))
        if not any(words <= other for other in said):
            said.append(words)
            kept.append(query)
    return requested_queries(call, kept, tried, most)
