"""Search providers: for each, how it is asked and how its reply is read. A table, not classes.

The forms are those of the providers' public documentation. Every reply becomes hits of one shape; what a provider
does not tell stays empty. Where a provider is, is the user's to configure (`SEARXNG_BASE_URL` and the like), loopback
and intranets included, so that these requests are not under the guard that pages are fetched under.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final
from xml.etree import ElementTree as ET

from tools.printable import one_line
from tools.web.by_http import Parameters, Request, by_http, listed
from tools.web.provider import Access, Complaint, Hit, Provider, Query, hit, hits

_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_LETTERS: Final[Mapping[str, str]] = {"day": "d", "week": "w", "month": "m", "year": "y"}


def _searxng(query: Query, access: Access) -> Request:
    category = "news" if query.topic == "news" else "general"
    given: Parameters = {"q": query.text, "format": "json", "time_range": query.time_range, "categories": category}
    return Request(f"{access.base}/search", {**given, "language": query.language})


def _read_searxng(body: bytes) -> Iterable[Hit]:
    found = hits(listed(body, ("results",)), url="url", text=("content",), date="publishedDate", score="score")
    silent = json.loads(body).get("unresponsive_engines") if not found else None
    if silent:  # it answers, but not all whom it asks: that nothing was found is not known
        engines = ", ".join(
            ": ".join(map(str, engine)) if isinstance(engine, list) else str(engine) for engine in silent
        )
        raise Complaint("crash", f"its engines do not answer it: {one_line(engines, 120)}")
    return found


def _brave(query: Query, access: Access) -> Request:
    fresh = f"p{_LETTERS[query.time_range]}" if query.time_range else None
    given: Parameters = {"q": query.text, "count": query.k, "freshness": fresh, "text_decorations": "false"}
    return Request(f"{access.base}/res/v1/web/search", given, {"X-Subscription-Token": access.key})


def _read_brave(body: bytes) -> Iterable[Hit]:
    return hits(listed(body, ("web", "results")), url="url", text=("description",), date="page_age")


def _serper(query: Query, access: Access) -> Request:
    given: Parameters = {"q": query.text, "num": query.k, "hl": "zh-cn" if query.language == "zh" else "en"}
    if query.time_range:
        given["tbs"] = f"qdr:{_LETTERS[query.time_range]}"
    place = "news" if query.topic == "news" else "search"
    return Request(f"{access.base}/{place}", given, {"X-API-KEY": access.key}, post=True)


def _read_serper(body: bytes) -> Iterable[Hit]:
    return hits(listed(body, ("organic",), ("news",)), url="link", text=("snippet",), date="date")


def _bing(query: Query, access: Access) -> Request:
    fresh = query.time_range.title() if query.time_range in {"day", "week", "month"} else None
    market = "zh-CN" if query.language == "zh" else "en-US"
    given: Parameters = {"q": query.text, "count": query.k, "freshness": fresh, "mkt": market}
    return Request(f"{access.base}/v7.0/search", given, {"Ocp-Apim-Subscription-Key": access.key})


def _read_bing(body: bytes) -> Iterable[Hit]:
    found = listed(body, ("webPages", "value"))
    return hits(found, url="url", text=("snippet",), title="name", date="datePublished")


def _jina(query: Query, access: Access) -> Request:
    headers = {"Authorization": f"Bearer {access.key}"}
    if not access.whole:
        headers["X-Respond-With"] = "no-content"
    return Request(f"{access.base}/", {"q": query.text, "num": query.k}, headers)


def _read_jina(body: bytes) -> Iterable[Hit]:
    return hits(listed(body, ("data",)), url="url", text=("description", "content"), date="date", page="content")


def _wikipedia(query: Query, access: Access) -> Request:
    given: Parameters = {"action": "query", "format": "json", "formatversion": 2}
    given |= {"generator": "search", "gsrsearch": query.text, "gsrlimit": query.k}
    given |= {"prop": "extracts|info", "inprop": "url", "exintro": 1, "explaintext": 1, "exlimit": "max"}
    return Request(f"{access.base.replace('{language}', query.language)}/w/api.php", given)


def _read_wikipedia(body: bytes) -> Iterable[Hit]:
    pages = sorted(listed(body, ("query", "pages")), key=lambda page: page["index"])
    return hits(pages, url="fullurl", text=("extract",))


def _arxiv(query: Query, access: Access) -> Request:
    words = " AND ".join(f"all:{word}" for word in re.findall(r"[^\W_]+", query.text)[:12])
    return Request(f"{access.base}/api/query", {"search_query": words, "max_results": query.k, "sortBy": "relevance"})


def _read_arxiv(body: bytes) -> Iterable[Hit]:
    for entry in ET.fromstring(body).iter(f"{_ATOM}entry"):  # noqa: S314 - expat bounds what entities expand to
        told = {name: entry.findtext(f"{_ATOM}{name}", "") for name in ("id", "title", "summary", "published")}
        told["summary"] = " ".join(told["summary"].split())
        if "/api/errors" in told["id"]:
            raise Complaint("bad_arguments", f"it reports an error: {one_line(told['summary'], 160)}")
        found = hit(told, url="id", text=("summary",), date="published")
        if found is not None:
            yield found


async def _tavily(query: Query, access: Access) -> list[Hit]:
    from tools.web import tavily  # noqa: PLC0415  # slow to import, and needed only for this

    return await tavily.search(query, access)


async def _ddgs(query: Query, access: Access) -> list[Hit]:
    from tools.web import duckduckgo  # noqa: PLC0415  # needed only for this

    return await duckduckgo.search(query, access)


PROVIDERS: Final[Mapping[str, Provider]] = {
    provider.name: provider
    for provider in (
        Provider("searxng", "", by_http(_searxng, _read_searxng)),
        Provider("tavily", "https://api.tavily.com", _tavily, key="TAVILY_API_KEY", whole=True),
        Provider(
            "brave", "https://api.search.brave.com", by_http(_brave, _read_brave), key="BRAVE_API_KEY", per_second=1
        ),
        Provider("serper", "https://google.serper.dev", by_http(_serper, _read_serper), key="SERPER_API_KEY"),
        Provider("bing", "", by_http(_bing, _read_bing), key="BING_API_KEY", per_second=3),
        Provider("jina", "https://s.jina.ai", by_http(_jina, _read_jina), key="JINA_API_KEY", per_second=1, whole=True),
        Provider("ddgs", "duckduckgo", _ddgs, per_second=1),
        Provider("wikipedia", "https://{language}.wikipedia.org", by_http(_wikipedia, _read_wikipedia), longest=300),
        Provider("arxiv", "https://export.arxiv.org", by_http(_arxiv, _read_arxiv), per_second=1 / 3, longest=300),
    )
}
"""The providers, in the order in which those that are set up are asked. Bing's own service has ended; others speak
its protocol, and `BING_BASE_URL` names one."""
