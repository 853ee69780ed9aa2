"""robots.txt (RFC 9309): what a site asks of programs that read it.

A site that answers with 4xx has no rules, and what cannot be read as rules is none (section 2.3.1.3). Where the rules
cannot be had for the moment (5xx, too many requests, no reply) nothing is read: the RFC wants that taken as a refusal
(section 2.3.1.4), and a site in such a state is not to be burdened further. That failure is a passing one, is not
kept, and so ends when the site is well again.
"""

import asyncio
import json
import re
import time
from collections.abc import Callable
from typing import Final
from urllib.parse import quote, urlsplit

from weiwo.text.patterns import lazy
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.singleflight import SingleFlight
from weiwo.tools.calling.ttl_cache import LruMemory
from weiwo.tools.printable import one_line
from weiwo.tools.web.fetching.fetch import fetch
from weiwo.tools.web.fetching.url_guard import UrlGuard

AGENT: Final = "weiwo"
MAX_BYTES: Final = 512_000
"""Bytes of a robots.txt that are read, as many as the RFC wants (section 2.5)."""
KEPT_SECONDS: Final = 3_600.0
KEPT_BYTES: Final = 4_000_000
"""Bytes of rules kept of all sites together."""
SECONDS: Final = 5.0

Rule = tuple[bool, str]
"""Whether it allows, and the pattern of paths."""

_LINE: Final = lazy(r"\s*(user-agent|allow|disallow)\s*:\s*([^#]*)", re.IGNORECASE)
_TOKEN: Final = lazy(r"\*|[a-z_-]+", re.IGNORECASE)
_ESCAPE: Final = lazy(r"%([0-9A-Fa-f]{2})")
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_AS_THEY_ARE: Final = "%!$&'()*+,;=:@/?[]~"

_memory: Final = LruMemory(KEPT_BYTES)
_single_flight: Final[SingleFlight[list[Rule]]] = SingleFlight()


async def check_robots(url: str, guard: UrlGuard, clock: Callable[[], float] = time.monotonic) -> None:
    """Let a page be read that its site does not keep programs from.

    Args:
        url: The page, as the guard passed it.
        guard: Decides where the rules may be fetched from.
        clock: A monotonic clock, in seconds.

    Raises:
        ToolCallError: `blocked`: the site asks programs not to read this page; else why its rules cannot be had.
    """
    parts = urlsplit(url)
    site = f"{parts.scheme}://{parts.netloc}"
    rules = _kept_rules(site, clock())
    if rules is None:
        rules = await _single_flight.run(site, lambda: _fetch_rules(site, guard))
        _memory.put(site, json.dumps([clock() + KEPT_SECONDS, rules]))
    path = url[len(site) :] or "/"
    if not await asyncio.to_thread(is_allowed, rules, path if path.startswith("/") else f"/{path}"):
        raise ToolCallError("blocked", f"{one_line(url, 200)}: the site's robots.txt asks programs not to read it")


def _kept_rules(site: str, now: float) -> list[Rule] | None:
    text = _memory.get(site)
    until, rules = json.loads(text) if text else (0.0, [])
    return [(bool(allows), str(pattern)) for allows, pattern in rules] if until > now else None


async def _fetch_rules(site: str, guard: UrlGuard) -> list[Rule]:
    try:
        found = await fetch(f"{site}/robots.txt", guard, seconds=SECONDS, max_bytes=MAX_BYTES, cut=True, types=None)
    except ToolCallError as failure:
        if failure.transient:
            raise
        return []
    return await asyncio.to_thread(parse_robots, found.body.decode("utf-8", "replace"))


def parse_robots(text: str, agent: str = AGENT) -> list[Rule]:
    """The rules of a robots.txt that hold for a program: of all groups that name it, else of all for `*`.

    Args:
        text: The file.
        agent: The program's product token.
    """
    agent = agent.lower()
    rules: dict[str, list[Rule]] = {"*": [], agent: []}
    met: set[str] = set()
    named: set[str] = set()
    open_group = False
    for line in text.removeprefix("\ufeff").splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        field, value = found[1].lower(), found[2].strip()
        if field == "user-agent":
            token = _TOKEN.match(value)
            named = (named if open_group else set()) | ({token[0].lower() if token else ""} & rules.keys())
            met |= named
            open_group = True
            continue
        open_group = False
        if value:  # an empty rule says nothing
            for name in named:
                rules[name].append((field == "allow", _normalize_path(value)))
    return rules[agent if agent in met else "*"]


def is_allowed(rules: list[Rule], path: str) -> bool:
    """Whether rules let a path be read: the longest pattern that matches decides, and of equals one that allows.

    Args:
        rules: As `parse_robots` gives them.
        path: The path, with its query.
    """
    plain = _normalize_path(path)
    found = max(((len(pattern), allows) for allows, pattern in rules if _matches(pattern, plain)), default=(0, True))
    return found[1]


def _matches(pattern: str, path: str) -> bool:
    """Whether a path begins as a pattern says: `*` is any text, `$` the end. Takes no longer than both are."""
    ends = pattern.endswith("$")
    first, *pieces = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    if not pieces:
        return not ends or len(path) == len(first)
    place, last = len(first), pieces.pop()
    for piece in pieces:
        place = path.find(piece, place)
        if place < 0:
            return False
        place += len(piece)
    return path.endswith(last) and len(path) - len(last) >= place if ends else path.find(last, place) >= 0


def _normalize_path(path: str) -> str:
    """A path as it is compared: escaped where it must be, and only there (section 2.2.2)."""

    def one(found: re.Match[str]) -> str:
        char = chr(int(found[1], 16))
        return char if char in _UNRESERVED else found[0].upper()

    return _ESCAPE.sub(one, quote(path, safe=_AS_THEY_ARE))
