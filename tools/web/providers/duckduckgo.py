"""DuckDuckGo search through `ddgs`, without a key.

The `ddgs` client blocks, reports refusals as "No results found." and does not limit a reply's size. It therefore runs
in a small thread pool of its own, and the HTTP statuses of its replies are recorded to detect refusals.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, Final

from weiwo.tools.web.providers.http_provider import status_error
from weiwo.tools.web.providers.provider import ProviderAccess, ProviderError, SearchHit, SearchQuery, read_hits

_THREADS: Final = 4
_LIMITED: Final = frozenset({202, 429})
"""Statuses of a rate limit. DuckDuckGo answers 202 with a captcha."""


async def search(query: SearchQuery, access: ProviderAccess) -> list[SearchHit]:
    """Search with `ddgs`.

    `access.base` names the search engines that ddgs asks, separated by commas.

    Raises:
        ProviderError: The engines refused, did not answer in time, or the search failed.
    """
    return await asyncio.get_running_loop().run_in_executor(_thread_pool(), _search_blocking, query, access)


def _search_blocking(query: SearchQuery, access: ProviderAccess) -> list[SearchHit]:
    from ddgs.ddgs import DDGS
    from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

    class Watched(DDGS):
        """Client recording the statuses of replies.

        The exceptions leave them out.
        """

        def _get_engines(self, category: str, backend: str) -> list[Any]:
            engines = super()._get_engines(category, backend)
            for engine in engines:
                engine.http_client = _StatusRecorder(engine.http_client, statuses)  # type: ignore[assignment]
            return engines

    statuses: list[int] = []
    client = Watched(timeout=access.seconds)  # type: ignore[arg-type]  # parts of a second are fine with it
    ask = client.news if query.topic == "news" else client.text
    region = {"zh": "cn-zh", "en": "us-en"}.get(query.language, "wt-wt")  # the last: no region
    limit = (query.time_range or " ")[0].strip() or None
    try:
        found = ask(query.text, region=region, timelimit=limit, max_results=query.k, backend=access.base)
    except RatelimitException as error:
        raise ProviderError("rate_limit", f"too many requests: {error}") from None
    except TimeoutException:
        raise ProviderError("timeout", "no reply in time") from None
    except DDGSException as error:
        found = _explain_no_results(error, statuses)
    return [*read_hits(found, url="href", text=("body",)), *read_hits(found, url="url", text=("body",), date="date")]


def _explain_no_results(error: Exception, statuses: list[int]) -> list[Any]:
    """Return an empty list if ddgs found nothing, or raise an error if the engines did not answer.

    Args:
        error: Exception of ddgs, which does not distinguish the two.
        statuses: HTTP statuses of the engines' replies.

    Raises:
        ProviderError: An engine refused, no engine answered, or the search failed.
    """
    refused = next((status for status in statuses if status != 200), None)
    if refused in _LIMITED:
        raise ProviderError("rate_limit", f"HTTP {refused}, too many requests")
    if refused is not None:
        raise status_error(refused)
    if not statuses and "No results found" in str(error):
        raise ProviderError("timeout", "no reply in time")  # which its client takes for no results as well
    if "No results found" not in str(error):
        raise ProviderError("crash", str(error), transient=True)
    return []


class _StatusRecorder:
    """Wrapper of an engine's HTTP client for recording reply statuses."""

    def __init__(self, inner: Any, statuses: list[int]) -> None:
        self._inner = inner
        self._statuses = statuses

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def request(self, *args: Any, **kwargs: Any) -> Any:
        reply = self._inner.request(*args, **kwargs)
        self._statuses.append(reply.status_code)
        return reply


@lru_cache(maxsize=1)
def _thread_pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="ddgs")
