"""What a site asks of programs that read it: robots.txt, by RFC 9309."""

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

from tools.failures import ToolFailure
from tools.web.fetch import fetch
from tools.web.guard import Guard

AGENT: Final = "Weiwo"
MAX_BYTES: Final = 500_000
"""Bytes of a robots.txt that are read; the RFC asks for as many at least."""
KEPT_SECONDS: Final = 3_600.0
MOST_SITES: Final = 500
SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class _Rules:
    parser: RobotFileParser | None
    until: float


_known: OrderedDict[str, _Rules] = OrderedDict()


async def check_robots(url: str, guard: Guard) -> None:
    """Let a page be read that its site does not keep programs from.

    A site without rules, or whose rules cannot be had for the moment, allows everything.

    Raises:
        ToolFailure: `blocked`: the site asks programs not to read this page.
    """
    parts = urlsplit(url)
    site = f"{parts.scheme}://{parts.netloc}"
    rules = _known.get(site)
    if rules is None or rules.until < time.monotonic():
        rules = _Rules(await _parser(site, guard), time.monotonic() + KEPT_SECONDS)
        _known[site] = rules
        _known.move_to_end(site)
        while len(_known) > MOST_SITES:
            _known.popitem(last=False)
    if rules.parser is not None and not await asyncio.to_thread(rules.parser.can_fetch, AGENT, url):
        raise ToolFailure("blocked", f"{url[:200]}: the site's robots.txt asks programs not to read it")


async def _parser(site: str, guard: Guard) -> RobotFileParser | None:
    try:
        fetched = await fetch(f"{site}/robots.txt", guard, seconds=SECONDS, max_bytes=MAX_BYTES)
    except ToolFailure:
        return None
    parser = RobotFileParser()
    await asyncio.to_thread(parser.parse, fetched.body.decode("utf-8", "replace").splitlines())
    return parser
