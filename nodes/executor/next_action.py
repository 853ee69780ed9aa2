"""Next calls of a task, chosen by the model or else by rules.

The rules try other words, a page, another tool, and a second source. A query or page is not tried twice.
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
"""Share of the subject's words that title and text of a passage must have for its page to be worth opening."""

_FIRST: Final = 0.3
"""Score of the first rank in a result list. The question's words in the passage, and the title, score up to 1 each."""

_DATE: Final = lazy(r"-?\d{4,}(?:-\d\d){0,2}")


class NextActions:
    """Calls available to a task as the next step."""

    def __init__(self, state: TaskState, frame: QueryFrame, services: RunContext, tools: Sequence[str]) -> None:
        self._state = state
        self._frame = frame
        self._services = services
        self._limits = services.settings.limits
        self._tools = tools
        self._tried = state.get("tried", [])
        self._known = {call_identity(call) for call in self._tried}

    def after(self, judgement: Judgement) -> list[Call]:
        """Return the calls following a reading.

        They look for a missing value, or for another source of a value from a single source.
        """
        if judgement.reading.value is None:
            return self._after_nothing(judgement)
        return self._second_source(judgement) if _needs_second_source(judgement) else []

    def _after_nothing(self, judgement: Judgement) -> list[Call]:
        """Return the next calls after an insufficient reading.

        The list is empty if nothing new is left to try.
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
        """Return a call opening a page of another site, if a lone value is still unsettled.

        This applies if all cited passages are web pages and pages were read, but no more than are opened at once.
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
        """Return the same call for a substitute tool of the cluster.

        Returns None if there is no such tool. The other tool must not have been tried with the call, and must not have
        failed the task.
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
        """Return a call opening a copy of an unreachable page.

        The copy is another address under which the text was found.
        """
        gone, tried = opened_address(call), set(self._state.get("opened", []))
        for passage in self._state.get("passages", []) if gone else ():
            addresses = {source_address(address): address for address in (passage.source, *passage.also)}
            other = next((address for name, address in addresses.items() if name not in tried), None)
            if gone in addresses and other is not None:
                return self._opener(other, passage)
        return None

    def _as_said(self, judgement: Judgement) -> list[Call]:
        """Return the calls for a model's move, without repeated calls."""
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
        """Return the web passages with promising pages, best first."""
        found = (passage for passage in self._state.get("passages", []) if _on_the_web(passage.source, passage))
        return _rank_pages(self._frame, found)

    def _opening(self, passages: Sequence[Evidence]) -> list[Call]:
        """Return the calls opening the first unopened pages or documents, at most `PAGES_AT_ONCE`.

        The list is empty if the task has opened `max_pages` already. Failed pages do not count towards this limit.
        """
        tried, failed = set(self._state.get("opened", [])), self._state.get("failed", {}).keys()
        left = self._limits.max_pages - len(tried - failed)
        return list(islice(self._openings(passages, tried, failed), max(0, min(left, PAGES_AT_ONCE))))

    def _openings(self, passages: Sequence[Evidence], tried: set[str], failed: Collection[str]) -> Iterator[Call]:
        """Yield a call for each passage, opening its source unless that was opened before.

        If the source failed, another address of the same text is opened.
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
        """Return the call opening an address of a passage.

        Returns None if no tool can open it. Addresses in the text of a passage are never opened.
        """
        if not _on_the_web(address, passage):
            call: Call = {"tool": "open_document", "args": {"source": address, "query": self._frame.question}}
            if passage.locator and self._takes_place(call):
                call["args"]["near"] = passage.locator
            return call if call["tool"] in self._tools else None
        call = {"tool": "read_page", "args": {"url": address, "query": self._frame.question}}
        return call if call["tool"] in self._tools else self.substitute_call(call)

    def _takes_place(self, call: Call) -> bool:
        """Report whether the tool of a call takes a location to read around."""
        try:
            return "near" in self._services.registry.info(call["tool"]).args_schema.get("properties", {})
        except KeyError:
            return False


def _vary_sites(passages: Sequence[Evidence]) -> list[Evidence]:
    """Order passages with the first passage of each site at the front."""
    firsts = {site_of(passage.source): passage.id for passage in reversed(passages)}
    return sorted(passages, key=lambda passage: firsts[site_of(passage.source)] != passage.id)


def _on_the_web(address: str, passage: Evidence) -> bool:
    """Report whether an address of a passage is a web page.

    Documents of the corpus may have web addresses too.
    """
    return passage.tool not in OF_CORPUS and address.startswith(("http://", "https://"))


def _needs_second_source(judgement: Judgement) -> bool:
    """Report whether a further source should be read.

    This holds if a single source gives a figure or a date, or stands against another.
    """
    reading = judgement.reading
    exact = isinstance(reading.value, int | float) and not isinstance(reading.value, bool)
    dated = isinstance(reading.value, str) and _DATE.fullmatch(reading.value) is not None
    return reading.support == 1 and (exact or dated or bool(reading.rivals))


def _rank_pages(frame: QueryFrame, passages: Iterable[Evidence]) -> list[Evidence]:
    """Rank the passages about a question's subject by the promise of the pages.

    Search results rarely contain the answer, so titles count as much as text: a page titled as its subject and nothing
    else is the one that gives the particulars.
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
    """Return the same search in the task's own words.

    The list is empty if a query already tried with the tool has all content words of the task.
    """
    # In Chinese, terms are pairs of characters. The keywords leave out characters that only ask.
    asked = questions_of(frame.question, LONGEST_QUERY) or frame.question
    words = set(terms((frame.search if frame.language == "zh" else "") or asked))
    said = (set(terms(call_query(item))) for item in tried if item["tool"] == call["tool"])
    return [] if any(words <= other for other in said) else requested_queries(call, [asked], tried, most)


def requested_queries(call: Call, queries: Iterable[str], tried: Sequence[Call], most: int) -> list[Call]:
    """Return a search with each requested query, leaving out queries already tried."""
    known = {call_identity(item) for item in tried}
    calls: dict[str, Call] = {}
    for query in queries:
        new = with_query(call, query.strip()[:LONGEST_QUERY])
        if query.strip() and call_identity(new) not in known:
            calls.setdefault(call_identity(new), new)
    return list(calls.values())[:most]
