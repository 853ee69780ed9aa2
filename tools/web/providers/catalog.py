"""Search providers: request and reply format of each provider. A table, not classes.

The forms are those of the providers' public documentation. Every reply becomes hits of one shape, and missing fields
stay empty. The user configures the address of a provider (`SEARXNG_BASE_URL` and the like), loopback and intranets
included, so these requests are not subject to the guard for fetched pages.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final
from xml.etree import ElementTree as ET

from weiwo.state import Publication
from weiwo.text.printable import one_line
from weiwo.tools.web.providers import duckduckgo, scholarly
from weiwo.tools.web.providers.http_provider import HttpRequest, Parameters, http_search, list_at
from weiwo.tools.web.providers.provider import (
    Provider,
    ProviderAccess,
    ProviderError,
    SearchHit,
    SearchQuery,
    read_hit,
    read_hits,
)

_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_LETTERS: Final[Mapping[str, str]] = {"day": "d", "week": "w", "month": "m", "year": "y"}


def _searxng(query: SearchQuery, access: ProviderAccess) -> HttpRequest:
    category = "news" if query.topic == "news" else "general"
    given: Parameters = {"q": query.text, "format": "json", "time_range": query.time_range, "categories": category}
    return HttpRequest(f"{access.base}/search", {**given, "language": query.language})


def _read_searxng(body: bytes) -> Iterable[SearchHit]:
    if body.lstrip()[:1] == b"<":
        raise ProviderError("crash", "it returns HTML; add json to search.formats in its settings.yml")
    found = read_hits(list_at(body, ("results",)), url="url", text=("content",), date="publishedDate", score="score")
    silent = json.loads(body).get("unresponsive_engines") if not found else None
    if silent:  # it answers, but not all whom it asks: that nothing was found is not known
        told = [
            [str(part) for part in engine] if engine and isinstance(engine, list) else [str(engine)]
            for engine in silent
        ]
        engines, reasons = (
            ", ".join(dict.fromkeys(found))
            for found in (
                (engine[0] for engine in told),
                (engine[1].removeprefix("Suspended: ") for engine in told if engine[1:]),
            )
        )
        why = f" ({one_line(reasons, 60)})" if reasons else ""
        raise ProviderError("crash", f"{one_line(engines, 80)} refused{why}")
    return found


def _brave(query: SearchQuery, access: ProviderAccess) -> HttpRequest:
    fresh = f"p{_LETTERS[query.time_range]}" if query.time_range else None
    given: Parameters = {"q": query.text, "count": query.k, "freshness": fresh, "text_decorations": "false"}
    return HttpRequest(f"{access.base}/res/v1/web/search", given, {"X-Subscription-Token": access.key})


def _read_brave(body: bytes) -> Iterable[SearchHit]:
    found = read_hits(list_at(body, ("web", "results")), url="url", text=("description",), date="page_age")
    box = read_hits(_direct(body, "infobox", "results"), url="url", text=("long_desc", "description"))
    asked = read_hits(_direct(body, "faq", "results"), url="url", text=("answer",), title="question")
    return [*box, *asked, *found]


def _serper(query: SearchQuery, access: ProviderAccess) -> HttpRequest:
    given: Parameters = {"q": query.text, "num": query.k, "hl": "zh-cn" if query.language == "zh" else query.language}
    if query.time_range:
        given["tbs"] = f"qdr:{_LETTERS[query.time_range]}"
    place = "news" if query.topic == "news" else "search"
    return HttpRequest(f"{access.base}/{place}", given, {"X-API-KEY": access.key}, post=True)


def _read_serper(body: bytes) -> Iterable[SearchHit]:
    found = read_hits(list_at(body, ("organic",), ("news",)), url="link", text=("snippet",), date="date")
    box = read_hits(_direct(body, "answerBox"), url="link", text=("snippet", "answer"), date="date")
    known = read_hits(_direct(body, "knowledgeGraph"), url="descriptionLink", text=("description",))
    return [*box, *known, *found]


def _direct(body: bytes, *path: str) -> list[Any]:
    """Return the value at a path of a JSON reply as a list: a list unchanged, any other value as a list of one.

    A missing path gives `[None]`.
    """
    found: Any = json.loads(body)
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, list) else [found]


def _bing(query: SearchQuery, access: ProviderAccess) -> HttpRequest:
    fresh = query.time_range.title() if query.time_range in {"day", "week", "month"} else None
    market = {"zh": "zh-CN", "en": "en-US"}.get(query.language)  # of other languages the countries are not known
    given: Parameters = {"q": query.text, "count": query.k, "freshness": fresh, "mkt": market}
    given |= {} if market else {"setLang": query.language}
    return HttpRequest(f"{access.base}/v7.0/search", given, {"Ocp-Apim-Subscription-Key": access.key})


def _read_bing(body: bytes) -> Iterable[SearchHit]:
    found = list_at(body, ("webPages", "value"))
    return read_hits(found, url="url", text=("snippet",), title="name", date="datePublished")


def _jina(query: SearchQuery, access: ProviderAccess) -> HttpRequest:
    headers = {"Authorization": f"Bearer {access.key}"}
    if not access.whole:
        headers["X-Respond-With"] = "no-content"
    return HttpRequest(f"{access.base}/", {"q": query.text, "num": query.k}, headers)


def _read_jina(body: bytes) -> Iterable[SearchHit]:
    return read_hits(list_at(body, ("data",)), url="url", text=("description", "content"), date="date", page="content")


def _wikipedia(query: SearchQuery, access: ProviderAccess) -> HttpRequest:
    given: Parameters = {"action": "query", "format": "json", "formatversion": 2}
    given |= {"generator": "search", "gsrsearch": query.text, "gsrlimit": query.k}
    given |= {"prop": "extracts|info", "inprop": "url", "exintro": 1, "explaintext": 1, "exlimit": "max"}
    return HttpRequest(f"{access.base.replace('{language}', query.language)}/w/api.php", given)


def _read_wikipedia(body: bytes) -> Iterable[SearchHit]:
    pages = sorted(list_at(body, ("query", "pages")), key=lambda page: page["index"])
    return read_hits(pages, url="fullurl", text=("extract",))


def _arxiv(query: SearchQuery, access: ProviderAccess) -> HttpRequest:
    words = " AND ".join(f"all:{word}" for word in re.findall(r"[^\W_]+", query.text)[:12])
    return HttpRequest(
        f"{access.base}/api/query", {"search_query": words, "max_results": query.k, "sortBy": "relevance"}
    )


def _read_arxiv(body: bytes) -> Iterable[SearchHit]:
    for entry in ET.fromstring(body).iter(f"{_ATOM}entry"):  # noqa: S314 - expat bounds what entities expand to
        told = {name: entry.findtext(f"{_ATOM}{name}", "") for name in ("id", "title", "summary", "published")}
        told["summary"] = " ".join(told["summary"].split())
        if "/api/errors" in told["id"]:
            raise ProviderError("bad_arguments", f"it reports an error: {one_line(told['summary'], 160)}")
        found = read_hit(told, url="id", text=("summary",), date="published")
        if found is not None:
            names = [entry_author.findtext(f"{_ATOM}name", "") for entry_author in entry.iter(f"{_ATOM}author")]
            doi = entry.findtext("{http://arxiv.org/schemas/atom}doi", "")
            work = Publication(authors=tuple(one_line(name, 200) for name in names[:50]), venue="arXiv", doi=doi[:200])
            yield replace(found, publication=work)


async def _tavily(query: SearchQuery, access: ProviderAccess) -> list[SearchHit]:
    from weiwo.tools.web.providers import tavily

    return await tavily.search(query, access)


PROVIDERS: Final[Mapping[str, Provider]] = {
    provider.name: provider
    for provider in (
        Provider("searxng", "", http_search(_searxng, _read_searxng)),
        Provider(
            "tavily", "https://api.tavily.com", _tavily, key="TAVILY_API_KEY", whole=True, operators=False, dates=True
        ),
        Provider(
            "brave", "https://api.search.brave.com", http_search(_brave, _read_brave), key="BRAVE_API_KEY", per_second=1
        ),
        Provider("serper", "https://google.serper.dev", http_search(_serper, _read_serper), key="SERPER_API_KEY"),
        Provider("bing", "", http_search(_bing, _read_bing), key="BING_API_KEY", per_second=3),
        Provider(
            "jina", "https://s.jina.ai", http_search(_jina, _read_jina), key="JINA_API_KEY", per_second=1, whole=True
        ),
        Provider("ddgs", "duckduckgo", duckduckgo.search, per_second=1),
        Provider(
            "wikipedia",
            "https://{language}.wikipedia.org",
            http_search(_wikipedia, _read_wikipedia),
            longest=300,
            operators=False,
        ),
        Provider(
            "arxiv",
            "https://export.arxiv.org",
            http_search(_arxiv, _read_arxiv),
            per_second=1 / 3,
            longest=300,
            operators=False,
            host="arxiv.org",
        ),
        Provider(
            "openalex",
            "https://api.openalex.org",
            http_search(scholarly.openalex, scholarly.read_openalex),
            optional_key="WEIWO_MAILTO",
            operators=False,
            dates=True,
        ),
        Provider(
            "crossref",
            "https://api.crossref.org",
            http_search(scholarly.crossref, scholarly.read_crossref),
            optional_key="WEIWO_MAILTO",
            operators=False,
            dates=True,
        ),
        Provider(
            "pubmed",
            "https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
            scholarly.search_pubmed,
            optional_key="WEIWO_MAILTO",
            per_second=1.5,
            operators=False,
            dates=True,
        ),
        Provider(
            "semanticscholar",
            "https://api.semanticscholar.org",
            http_search(scholarly.semantic_scholar, scholarly.read_semantic_scholar),
            optional_key="SEMANTICSCHOLAR_API_KEY",
            per_second=1,
            operators=False,
            dates=True,
        ),
    )
}
"""The providers by name, in the order in which the configured ones are asked. Microsoft's Bing service has ended, but
others speak its protocol: `BING_BASE_URL` names such a service."""
