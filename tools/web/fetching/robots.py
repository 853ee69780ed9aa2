"""robots.txt (RFC 9309): a page is read only if the site allows programs to read the page.

`protego` matches the rules. A site that answers with 4xx has no rules, and unreadable rules count as no rules (section
2.3.1.3). If the rules are unavailable for the moment (5xx, too many requests, no reply) nothing is read: the RFC
requires treating that as a refusal (section 2.3.1.4), and a site in that state should not be burdened further. The
failure is temporary and not cached, so it ends when the site recovers.
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
"""Limit of a robots.txt: 500 KiB, the least that the RFC allows (section 2.5)."""
_KEPT_SECONDS: Final = 3_600.0
_KEPT_BYTES: Final = 4_000_000
"""Limit of the cached rules of all sites together, in bytes."""
_SECONDS: Final = 5.0

_LINE: Final = lazy(r"\s*(user-agent|allow|disallow)\s*:\s*([^#]*)", re.IGNORECASE)
_TOKEN: Final = lazy(r"\*|[a-z_-]+", re.IGNORECASE)
_OTHER: Final = "/"
"""Name written for all agents other than `*` and ours in normalized rules. No agent has this name."""

_memory: Final = LruMemory(_KEPT_BYTES)
_single_flight: Final[SingleFlight[str]] = SingleFlight()


async def check_robots(url: str, guard: UrlGuard, clock: Callable[[], float] = time.monotonic) -> None:
    """Check a site's robots.txt for permission to read a page.

    Raises:
        ToolCallError: `blocked` if the site asks programs not to read this page. If the rules are unavailable for the
            moment, the failure of fetching them.
    """
    parts = urlsplit(url)
    site = f"{parts.scheme}://{parts.netloc}"
    until, rules = json.loads(_memory.get(site) or "[0, null]")
    if rules is None or until <= clock():
        rules = await _single_flight.run(site, lambda: _fetch_rules(site, guard))
        _memory.store_text(site, json.dumps([clock() + _KEPT_SECONDS, rules]))
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
    """Return the rule lines of a robots.txt, with each agent written as `*`, as `agent`, or as `_OTHER`.

    Follows RFC 9309, section 2.2.1. The agents are merged because the parser multiplies the agents of a group by its
    rules, and both may be thousands.
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
    """Report whether normalized rules allow reading a URL.

    The longest pattern decides, and among patterns of equal length the allowing pattern.
    """
    return _parse_rules(rules).can_fetch(url, agent)


@lru_cache(maxsize=8)
def _parse_rules(rules: str) -> Protego:
    return Protego.parse(rules)
