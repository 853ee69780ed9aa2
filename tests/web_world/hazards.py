"""What must never happen on the web, whatever is asked: told from what the servers saw and what the answers rest on."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tests.web_world.pages import UTF8, Page, Trouble
from tests.web_world.runs import Answered
from tests.web_world.server import HUGE, INSIDE, SORRY, Asked, WebWorld
from tests.web_world.site import Site
from weiwo.tools.calling.errors import ToolCallError

MOST_READ: Final = HUGE // 3
"""Bytes of a page of 50 MB that may leave the server: what a client reads, and what waits in buffers."""
MOST_STEPS: Final = 24
"""Requests that one question may spend on redirects that go round in a circle."""
INSTEAD: Final = ("verify that you are human", "for subscribers only", "value your privacy", SORRY, INSIDE)
"""Words of what is shown instead of pages: a challenge, a login, a consent, an error, what is inside."""


@dataclass(frozen=True)
class Promise:
    """Something that was promised, and how it went."""

    text: str  # the promise
    kept: bool  # whether it was kept
    seen: str  # what was seen, in figures


def promises(worlds: Sequence[WebWorld], answers: Sequence[Answered]) -> list[Promise]:
    """How each promise went, in some servings of one web and the answers that came of them."""
    return [*_at_the_servers(worlds), *_in_the_answers(worlds[0].site, answers)]


def _at_the_servers(worlds: Sequence[WebWorld]) -> Iterator[Promise]:
    log = [(one, page.trouble) for world in worlds for one in world.log if (page := world.site.pages.get(one.address))]
    met = Counter(trouble for _, trouble in log)
    inside = sum(world.private for world in worlds)
    yield Promise(
        "an address inside is never connected to",
        inside == 0,
        f"{met['private']} redirects led there, {inside} were followed",
    )
    much = [one.sent for one, trouble in log if trouble in {"huge", "endless"}]
    yield Promise(
        "a page of 50 MB is never read whole",
        all(sent <= MOST_READ for sent in much),
        f"{len(much)} were asked for, {max(much, default=0) / 1e6:.1f} MB of one were sent at most",
    )
    asked_for = sum(one.kind == "robots" for world in worlds for one in world.log)
    yield Promise(
        "a folder that robots.txt forbids is never fetched",
        met["robots"] == 0,
        f"{asked_for} robots.txt were read, {met['robots']} forbidden pages fetched",
    )


def _in_the_answers(site: Site, answers: Sequence[Answered]) -> Iterator[Promise]:
    texts = [item["text"] for answer in answers for item in answer.raw.get("evidence", ())]
    taken = [text for text in texts if any(words in text for words in INSTEAD)]
    yield Promise(
        "what is shown instead of a page is never evidence",
        not taken,
        f"{len(texts)} passages of evidence, {len(taken)} of these: {'; '.join(taken)[:80] or 'none'}",
    )
    circles = [_circles(site, answer.requests) for answer in answers]
    yield Promise(
        "redirects that lead in a circle are given up",
        max(circles, default=0) <= MOST_STEPS,
        f"{sum(circles)} requests for such pages, {max(circles, default=0)} for one question at most",
    )
    lost = [answer.question.text for answer in answers if answer.status == "failed"]
    yield Promise("whatever goes wrong, the run goes on", not lost, f"{len(lost)} of {len(answers)} runs failed")


def _circles(site: Site, requests: Sequence[Asked]) -> int:
    return sum(page.trouble == "loop" for one in requests if (page := site.pages.get(one.address)))


@dataclass(frozen=True)
class Opened:
    """What came of opening one page."""

    page: Page  # the page
    came: str  # `read`, `unreadable` where its text came without the facts it tells, or the kind of failure
    message: str = ""  # what the failure said

    @property
    def right(self) -> bool:
        """Whether it is what such a page should come to."""
        if self.page.trouble in {"", "moved"}:
            return self.came == "read"
        return self.came in FAILURES[self.page.trouble]


FAILURES: Final[Mapping[Trouble, frozenset[str]]] = {
    "not_found": frozenset({"not_found"}),
    "gone": frozenset({"not_found"}),
    "forbidden": frozenset({"blocked"}),
    "challenge": frozenset({"blocked"}),
    "login": frozenset({"blocked"}),
    "consent": frozenset({"blocked"}),
    "slow": frozenset({"timeout"}),
    "empty": frozenset({"empty"}),
    "image": frozenset({"bad_arguments"}),
    "huge": frozenset({"oversized"}),
    "endless": frozenset({"oversized"}),
    "loop": frozenset({"blocked"}),
    "private": frozenset({"blocked"}),
    "robots": frozenset({"blocked"}),
}
"""The kinds of failure that a page with something wrong may come to."""


async def tour(world: WebWorld, pages: Iterable[Page], seconds: float = 2.0) -> list[Opened]:
    """Open pages with the tool that tasks open them with, some at a time."""
    tool, few = world.read_page(seconds), asyncio.Semaphore(8)

    async def opened(page: Page) -> Opened:
        async with few:
            try:
                message = await tool.ainvoke(
                    {"type": "tool_call", "id": "1", "name": tool.name, "args": {"url": world.url(page)}}
                )
            except ToolCallError as failure:
                return Opened(page, failure.kind, str(failure))
        text = " ".join(" ".join(item["text"] for item in message.artifact).split())
        whole = all(" ".join(sentence.split()) in text for sentence in page.tells.values())
        return Opened(page, "read" if whole else "unreadable", text)

    return list(await asyncio.gather(*(opened(page) for page in pages)))


def of_each_kind(world: WebWorld) -> list[Page]:
    """One page of every trouble, coding and format."""
    kinds: dict[tuple[str, ...], Page] = {}
    for page in world.site.pages.values():
        if not re.search(r"/[123]$", page.path):  # in the midst of redirects
            coding = page.coding if not page.trouble else UTF8
            key = (
                page.trouble,
                page.kind if not page.trouble else "",
                *map(str, (coding.encoding, coding.header, coding.meta)),
            )
            kinds.setdefault(key, page)
    return list(kinds.values())


def toured(opened: Sequence[Opened]) -> Promise:
    """Whether every kind of page came to what it should."""
    astray = [f"{one.page.trouble or one.page.coding}: {one.came}" for one in opened if not one.right]
    seen = f"{len(opened)} kinds opened, {len(astray)} astray{': ' if astray else ''}{'; '.join(astray[:4])}"
    return Promise("every kind of page is read, or fails for the right reason", not astray, seen)


def again(pairs: Sequence[tuple[Answered, Answered]]) -> Promise:
    """Whether questions asked a second time were answered without the web, the same, and said to be."""
    went = [request for _, second in pairs for request in second.requests]
    same = all(first.text == second.text for first, second in pairs)
    told = all(second.kept for first, second in pairs if any(one.kind == "search" for one in first.requests))
    seen = f"{len(pairs)} asked twice, {len(went)} requests the second time, "
    seen += f"answers {'the same' if same else 'not the same'}, {'and told so' if told else 'but not told so'}"
    return Promise("asked again, nothing is fetched while results are kept", not went and same and told, seen)
