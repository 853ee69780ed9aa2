"""Rendering of pages without text outside scripts, in an installed Chromium.

Needs the extra `browser`. A page is rendered only if the fetched page is empty or a wall of script. Each page gets a
browser of its own in a worker process, which ends with the page and reaches the network through a `GuardedProxy` alone.
"""

import asyncio
import json
import re
import shutil
import threading
from functools import cache
from importlib.util import find_spec
from typing import Final

from weiwo.state import FailureKind
from weiwo.text.language import word_count
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.web.fetching.fetch import FetchedPage
from weiwo.tools.web.fetching.guarded_proxy import GuardedProxy
from weiwo.tools.web.fetching.url_guard import UrlGuard
from weiwo.tools.worker_process import WorkerProcess

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_COMMAND: Final = "from weiwo.tools.web.fetching.browser_process import main; main()"
_FEW_WORDS: Final = 25
"""A page with at least this many words outside its scripts is read without a browser."""
_LOOKED_AT: Final = 2_000_000
_SPARE_SECONDS: Final = 10.0
"""Time for the browser to start and to end, besides that of the page."""
_RESOURCES: Final = 4
"""Limit of all that a page loads, as a multiple of the limit of its markup."""
_LOOK_SECONDS: Final = 0.1
_KINDS: Final[dict[str, FailureKind]] = {"timeout": "timeout", "oversized": "oversized", "blocked": "blocked"}
_turn: Final = threading.BoundedSemaphore(1)
"""Allows one browser at a time, across all event loops."""
_HIDING: Final = lazy(r"<(/?)(script|style|noscript|template|head)\b[^<>]{0,4000}>", re.IGNORECASE)
_TAG: Final = lazy(r"<[^<>]{0,4000}>")


def is_script_wall(page: FetchedPage) -> bool:
    """Report whether an HTML page has scripts and fewer than `_FEW_WORDS` words outside them. False for other types."""
    if page.type not in {"text/html", "application/xhtml+xml"}:
        return False
    markup = page.body[:_LOOKED_AT].decode("utf-8", "replace")
    shown: list[str] = []
    at, inside, scripts = 0, "", 0
    for tag in _HIDING.finditer(markup):
        name = tag[2].lower()
        scripts += name == "script"
        if not inside:
            shown.append(markup[at : tag.start()])
            inside = "" if tag[1] else name
        elif tag[1] and name == inside:
            inside = ""
        at = tag.end()
    shown.append("" if inside else markup[at:])
    return scripts > 0 and word_count(_TAG.sub(" ", " ".join(shown))) < _FEW_WORDS


@cache
def find_browser() -> str:
    """Return the path of an installed Chromium, or an empty string."""
    return next((path for name in _NAMES if (path := shutil.which(name))), "")


def explain_no_browser() -> str:
    """Explain why pages cannot be rendered. Returns an empty string if rendering works."""
    if not find_spec("playwright"):
        return "pages that need JavaScript require an extra: pip install 'weiwo[browser]'"
    return "" if find_browser() else "pages that need JavaScript require Chromium: install your system's package"


async def render_page(
    url: str, guard: UrlGuard, *, seconds: float, max_bytes: int, executable: str = ""
) -> FetchedPage:
    """Load a page with scripts and return the final markup.

    Args:
        url: An address that the guard and the site's robots.txt allow.
        guard: Decides what the browser may connect to.
        seconds: Time for loading the page.
        max_bytes: Characters of the markup that are kept. Everything loaded for the page may have four times as many
            bytes.
        executable: Path of Chromium. Empty for the installed browser.

    Raises:
        ToolCallError: `timeout`, `oversized`, `crash`, or `blocked` (no browser, no sandbox, or the page could not be
            loaded).
    """
    shown = one_line(url, 200)
    order = {"url": url, "seconds": seconds, "max_bytes": max_bytes, "executable": executable or find_browser()}
    while not _turn.acquire(blocking=False):  # noqa: ASYNC110 - the turn is that of all event loops
        await asyncio.sleep(_LOOK_SECONDS)
    worker = WorkerProcess(_COMMAND)
    try:
        async with GuardedProxy(guard, max_bytes=_RESOURCES * max_bytes) as proxy:
            login = {"proxy": proxy.address, "username": proxy.username, "password": proxy.password}
            frames = [json.dumps({**order, **login}).encode("ascii")]
            answer = await asyncio.to_thread(worker.exchange, frames, seconds + _SPARE_SECONDS)
            reply: dict[str, str] = json.loads(answer)
            if proxy.is_exhausted:
                raise ToolCallError("oversized", f"{shown}: its scripts load over {_RESOURCES * max_bytes:,} bytes")
    except (OSError, EOFError, ValueError):
        why = f"no page within {seconds + _SPARE_SECONDS:g} s" if worker.late else "the browser crashed"
        raise ToolCallError("timeout" if worker.late else "crash", f"{shown}: {why}") from None
    finally:
        await asyncio.shield(asyncio.to_thread(worker.kill))
        _turn.release()
    if "error" in reply:
        raise ToolCallError(_KINDS[reply["kind"]], f"{shown}: {reply['error']}")
    return FetchedPage(reply["url"], reply["html"].encode(), "text/html", "utf-8")
