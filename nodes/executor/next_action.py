"""The next calls of a task: those that the model asks for, or else those that rules choose.

The rules try a page of the results, other words, another tool, and a second source. No query or page is tried twice.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from weiwo.nodes.executor.reading.entity_check import find_unmentioned_name
from weiwo.nodes.executor.reading.reading import Judgement
from weiwo.nodes.executor.task_state import (
    OF_CORPUS,
    Call,
    TaskState,
    call_identity,
    call_query,
    is_opening_call,
    opened_address,
    source_address,
    with_query,
)
from weiwo.nodes.shared.planning.rule_plan import LONGEST_QUERY
from weiwo.nodes.shared.prompting.input_guard import safe_query
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.shared.strategy import PAGES_AT_ONCE
from weiwo.state import Evidence
from weiwo.state.query import QueryFrame
from weiwo.text.language import questions_of
from weiwo.text.patterns import lazy
from weiwo.text.terms import coverage, terms
from weiwo.tools.calling.policies import POLICIES
from weiwo.tools.web.fetching.urls import site_of

_ABOUT: Final = 0.6
"""Least share of the subject's words in title and text of a passage for its page to be worth opening."""

_FIRST: Final = 0.3
"""Score of the first rank in a result list. Words of the question, and of the title, score up to 1 each."""

_DATE: Final = lazy(r"-?\d{4,}(?:-\d\d){0,2}")


class NextActions:
    """Chooses the next calls of a task from its state."""

    def __init__(self, state: TaskState, frame: QueryFrame, services: RunContext, tools: Sequence[str]) -> None:
        self._state = state
        self._frame = frame
        self._services = services
        self._limits = services.settings.limits
        self._tools = tools
        self._tried = state.get("tried", [])
        self._known = {call_identity(call) for call in self._tried}

    def after(self, judgement: Judgement) -> list[Call]:
        """Return the calls after a reading: for a missing value, or for a second source of a value.

        Empty if nothing is left to try, or if no further source is needed.
        """
        if judgement.reading.value is None:
            return self._after_nothing(judgement)
        return self._second_source(judgement) if _needs_second_source(judgement) else []

    def _after_nothing(self, judgement: Judgement) -> list[Call]:
        """Return the calls after a reading without a value.

        Empty if nothing new is left to try, or if the model gives up.
        """
        if judgement.decided_by == "model":
            if judgement.move == "give_up":
                return []
            if said := self._as_said(judgement):
                return said
        if opened := self._opening(_vary_sites(self._promising())):
            return opened
        search, most = self._search(), self._limits.max_queries
        if search is None:
            return []
        if queries := further_queries(search, self._frame, self._tried, most):
            return queries
        if not POLICIES["empty"].substitute:
            return []
        # The searches of the latest tool are repeated with another tool of the cluster.
        same = (call for call in self._searches() if call["tool"] == search["tool"])
        return [other for call in same if (other := self.substitute_call(call))][:most]

    def _second_source(self, judgement: Judgement) -> list[Call]:
        """Return a call that opens a page of another site, in a list, to confirm a value.

        Empty unless the value is from web pages, and pages were read, but no more than are opened at once.
        """
        opened = set(self._state.get("opened", []))
        heard = opened - self._state.get("failed", {}).keys()
        if not 0 < len(heard) <= PAGES_AT_ONCE:
            return []
        cited = [p for p in self._state.get("passages", []) if p.id in judgement.reading.evidence_ids]
        if not all(_on_the_web(passage.source, passage) for passage in cited):
            return []
        sites = {site_of(address) for address in (*opened, *(passage.source for passage in cited))}
        others = [passage for passage in self._promising() if site_of(passage.source) not in sites]
        return self._opening(others)[:1]

    def substitute_call(self, call: Call) -> Call | None:
        """Return the same call for another tool that can replace its tool, or None if there is none.

        The other tool must not have failed in this task or been tried with the call.
        """
        for name, args in self._services.calls.substitutes(call["tool"], call["args"]).items():
            other: Call = {"tool": name, "args": args}
            if (
                name in self._tools
                and name not in self._state.get("failed", {})
                and call_identity(other) not in self._known
            ):
                return other
        return None

    def open_mirror(self, call: Call) -> Call | None:
        """Return a call that opens another address of a page that could not be opened, or None.

        The other address is one under which the same text was found.
        """
        gone, tried = opened_address(call), set(self._state.get("opened", []))
        for passage in self._state.get("passages", []) if gone else ():
            addresses = {source_address(address): address for address in (passage.source, *passage.also)}
            other = next((address for name, address in addresses.items() if name not in tried), None)
            if gone in addresses and other is not None:
                return self._opener(other, passage)
        return None

    def _as_said(self, judgement: Judgement) -> list[Call]:
        """Return the calls that a model asks for: opening a page, or searches with its queries.

        Tried ones are left out.
        """
        if (chosen := judgement.opened) is not None:
            web = _on_the_web(chosen.source, chosen)
            return self._opening(_vary_sites([chosen, *self._promising()]) if web else [chosen])
        search = self._search()
        asked = [
            safe_query(query, self._frame.question, self._state.get("passages", [])) for query in judgement.queries
        ]
        return requested_queries(search, asked, self._tried, self._limits.max_queries) if search else []

    def _searches(self) -> list[Call]:
        return [call for call in self._tried if call_query(call) and not is_opening_call(call, self._services)]

    def _search(self) -> Call | None:
        """Return the task's latest search, or None."""
        return next(reversed(self._searches()), None)

    def _promising(self) -> list[Evidence]:
        """Return the passages from web pages that may have the answer, best first."""
        found = (passage for passage in self._state.get("passages", []) if _on_the_web(passage.source, passage))
        return _rank_pages(self._frame, found)

    def _opening(self, passages: Sequence[Evidence]) -> list[Call]:
        """Return the calls that open the first pages or documents not opened yet, at most `PAGES_AT_ONCE`.

        Empty if the task has opened `max_pages` already. Failed pages do not count towards this limit.
        """
        tried, failed = set(self._state.get("opened", [])), self._state.get("failed", {}).keys()
        left = self._limits.max_pages - len(tried - failed)
        return list(islice(self._openings(passages, tried, failed), max(0, min(left, PAGES_AT_ONCE))))

    def _openings(self, passages: Sequence[Evidence], tried: set[str], failed: Collection[str]) -> Iterator[Call]:
        """Yield, for each passage, a call that opens its page or document, unless that was opened before.

        If its address failed, another address of the same text is opened.
        """
        for passage in passages:
            addresses = (a for a in (passage.source, *passage.also) if source_address(a) not in failed)
            address = next(addresses, None)
            if address is None:
                continue
            call = self._opener(address, passage)
            if call is None:
                continue
            web = _on_the_web(address, passage)
            read = source_address(address) in tried if web else call_identity(call) in self._known
            if not read:
                tried.add(source_address(address))
                yield call

    def _opener(self, address: str, passage: Evidence) -> Call | None:
        """Return the call that opens an address of a passage, or None if no tool can open it.

        Addresses that stand in the text of a passage are never opened.
        """
        if not _on_the_web(address, passage):
            call: Call = {"tool": "open_document", "args": {"source": address, "query": self._frame.question}}
            if passage.locator and self._takes_place(call):
                call["args"]["near"] = passage.locator
            return call if call["tool"] in self._tools else None
        call = {"tool": "read_page", "args": {"url": address, "query": self._frame.question}}
        return call if call["tool"] in self._tools else self.substitute_call(call)

    def _takes_place(self, call: Call) -> bool:
        """Report whether the tool of a call has an argument `near`, for a location to read around."""
        try:
            return "near" in self._services.registry.info(call["tool"]).args_schema.get("properties", {})
        except KeyError:
            return False


def _vary_sites(passages: Sequence[Evidence]) -> list[Evidence]:
    """Return the passages with the first one of each site moved to the front."""
    firsts = {site_of(passage.source): passage.id for passage in reversed(passages)}
    return sorted(passages, key=lambda passage: firsts[site_of(passage.source)] != passage.id)


def _on_the_web(address: str, passage: Evidence) -> bool:
    """Report whether an address of a passage is a web page. False for documents of the corpus with a web address."""
    return passage.tool not in OF_CORPUS and address.startswith(("http://", "https://"))


def _needs_second_source(judgement: Judgement) -> bool:
    """Report whether a second source should be read: only one gives a figure or a date, or has a rival."""
    reading = judgement.reading
    exact = isinstance(reading.value, int | float) and not isinstance(reading.value, bool)
    dated = isinstance(reading.value, str) and _DATE.fullmatch(reading.value) is not None
    return reading.support == 1 and (exact or dated or bool(reading.rivals))


def _rank_pages(frame: QueryFrame, passages: Iterable[Evidence]) -> list[Evidence]:
    """Return the passages about the question's subject, the one with the most promising page first.

    Search results rarely contain the answer, so titles count as much as text: a page with only the subject as its title
    is the one that gives the particulars.
    """
    wanted = set(frame.terms)
    about = set(terms(frame.subject)) or wanted
    rated = []
    for passage in passages:
        title = {*terms(passage.title)}
        said = title | {*terms(passage.text)}
        if coverage(about, said) >= _ABOUT and find_unmentioned_name(frame.question, [passage]) is None:
            titled = 2 * len(about & title) / (len(about) + len(title) or 1)
            rated.append((titled + coverage(wanted, said) + _FIRST / passage.rank, passage))
    return [passage for _, passage in sorted(rated, key=lambda pair: -pair[0])]


def further_queries(call: Call, frame: QueryFrame, tried: Sequence[Call], most: int) -> list[Call]:
    """Return the search of a call with the task's own words, in a list.

    Empty if a query already tried with the tool has all these words.

    Args:
        call: The search.
        frame: The task.
        tried: The calls made so far.
        most: Most calls to return.
    """
    # In Chinese, terms are pairs of characters. The keywords leave out characters that only ask.
    asked = questions_of(frame.question, LONGEST_QUERY) or frame.question
    words = set(terms((frame.search if frame.language == "zh" else "") or asked))
    said = (set(terms(call_query(item))) for item in tried if item["tool"] == call["tool"])
    return [] if any(words <= other for other in said) else requested_queries(call, [asked], tried, most)


def requested_queries(call: Call, queries: Iterable[str], tried: Sequence[Call], most: int) -> list[Call]:
    """Return the search of a call with each of the queries, at most `most`, without those already tried."""
    known = {call_identity(item) for item in tried}
    calls: dict[str, Call] = {}
    for query in queries:
        new = with_query(call, query.strip()[:LONGEST_QUERY])
        if query.strip() and call_identity(new) not in known:
            calls.setdefault(call_identity(new), new)
    return list(calls.values())[:most]
