"""robots.txt (RFC 9309): a page is read only if its site lets programs read it; `protego` matches the rules.

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
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from protego import Protego

from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.singleflight import SingleFlight
from weiwo.tools.calling.ttl_cache import LruMemory
from weiwo.tools.web.fetching.fetch import fetch
from weiwo.tools.web.fetching.url_guard import UrlGuard

_AGENT: Final = "weiwo"
_MAX_BYTES: Final = 512_000
"""Bytes of a robots.txt that are read, as many as the RFC wants (section 2.5)."""
_KEPT_SECONDS: Final = 3_600.0
_KEPT_BYTES: Final = 4_000_000
"""Bytes of rules kept of all sites together."""
_SECONDS: Final = 5.0

_LINE: Final = lazy(r"\s*(user-agent|allow|disallow)\s*:\s*([^#]*)", re.IGNORECASE)
_TOKEN: Final = lazy(r"\*|[a-z_-]+", re.IGNORECASE)
_OTHER: Final = "/"
"""The name of all agents that are not asked about; no product token."""

_memory: Final = LruMemory(_KEPT_BYTES)
_single_flight: Final[SingleFlight[str]] = SingleFlight()


async def check_robots(url: str, guard: UrlGuard, clock: Callable[[], float] = time.monotonic) -> None:
    """Let a page be read that its site does not keep programs from.

    Raises:
        ToolCallError: `blocked`: the site asks programs not to read this page; else why its rules cannot be had.
    """
    parts = urlsplit(url)
    site = f"{parts.scheme}://{parts.netloc}"
    until, rules = json.loads(_memory.get(site) or "[0, null]")
    if rules is None or until <= clock():
        rules = await _single_flight.run(site, lambda: _fetch_rules(site, guard))
        _memory.put(site, json.dumps([clock() + _KEPT_SECONDS, rules]))
    if not await asyncio.to_thread(_is_allowed, rules, url):
        raise ToolCallError("blocked", f"{one_line(url, 200)}: the site's robots.txt asks programs not to read it")


async def _fetch_rules(site: str, guard: UrlGuard) -> str:
    try:
        found = await fetch(f"{site}/robots.txt", guard, seconds=_SECONDS, max_bytes=_MAX_BYTES, page=False)
    except ToolCallError as failure:
        if failure.transient:
            raise
        return ""
    return await asyncio.to_thread(_normalize_rules, found.body.decode("utf-8", "replace"))


def _normalize_rules(text: str, agent: str = _AGENT) -> str:
    """The lines of a robots.txt that hold rules, agents by their product token (RFC 9309, section 2.2.1).

    All other agents bear one name: the parser multiplies the agents of a group by its rules, and both may be thousands.
    """
    lines = []
    for line in text.removeprefix("\ufeff").splitlines():
        if (found := _LINE.match(line)) is None:
            continue
        field, value = found[1].lower(), found[2].strip()
        if field == "user-agent":
            token = _TOKEN.match(value)
            name = token[0].lower() if token else ""
            value = name if name in {"*", agent.lower()} else _OTHER
        lines.append(f"{field}: {value}")
    return "\n".join(lines)


def _is_allowed(rules: str, url: str, agent: str = _AGENT) -> bool:
    """Whether normalized rules let a URL be read: the longest pattern decides, and of equals one that allows."""
    return _parse_rules(rules).can_fetch(url, agent)


@lru_cache(maxsize=8)
def _parse_rules(rules: str) -> Protego:
    return Protego.parse(rules)
