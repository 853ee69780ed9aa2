"""Query reformulation of a task: the plan's own query, and further ones in other words."""

from collections.abc import Iterable, Sequence

from weiwo.nodes.executor.task_state import Call, call_identity, call_query, with_query
from weiwo.nodes.shared.planning.rule_plan import LONGEST_QUERY
from weiwo.state.query import QueryFrame
from weiwo.text.terms import terms


def further_queries(call: Call, frame: QueryFrame, tried: Sequence[Call], most: int) -> list[Call]:
    """The same search in the words of the task, where one of them is a content word that no query tried has."""
    # Of Chinese the keywords count: pairs of characters span what only asks.
    words = set(terms((frame.search if frame.language == "zh" else "") or frame.question))
    said = (set(terms(call_query(one))) for one in tried if one["tool"] == call["tool"])
    return [] if any(words <= other for other in said) else requested_queries(call, [frame.question], tried, most)


def requested_queries(call: Call, queries: Iterable[str], tried: Sequence[Call], most: int) -> list[Call]:
    """A search with the queries that somebody asks for, those left out that were tried."""
    known = {call_identity(one) for one in tried}
    calls: dict[str, Call] = {}
    for query in queries:
        new = with_query(call, query.strip()[:LONGEST_QUERY])
        if query.strip() and call_identity(new) not in known:
            calls.setdefault(call_identity(new), new)
    return list(calls.values())[:most]
