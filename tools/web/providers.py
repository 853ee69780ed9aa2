"""Search providers: for each, how it is asked and how its reply is read. A table, not classes.

The forms are those of the providers' public documentation. Every reply becomes hits of one shape; what a provider
does not tell stays empty.
"""

import html
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal
from xml.etree import ElementTree as ET

import httpx

from tools.printable import one_line, printable
from tools.results import iso_date

TimeRange = Literal["day", "week", "month", "year"]
Given = dict[str, str | int | None]


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for.

    Attributes:
        text: The query.
        k: Results at most, 1 to 20.
        time_range: Only pages from the last day, week, month or year.
        topic: Kind of pages, where a provider knows kinds.
        language: `en` or `zh`.
    """

    text: str
    k: int = 6
    time_range: TimeRange | None = None
    topic: Literal["general", "news", "finance"] = "general"
    language: Literal["en", "zh"] = "en"


@dataclass(frozen=True, slots=True)
class Hit:
    """One result.

    Attributes:
        url: The page.
        text: What the provider shows of it.
        title: Its title.
        date: ISO date of publication.
        score: Relevance as the provider tells it, else 0.
    """

    url: str
    text: str
    title: str = ""
    date: str | None = None
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider that is asked by one HTTP request.

    Attributes:
        name: What settings call it.
        base: Where it is; empty where each user has one of their own.
        ask: Makes the request from a query, its key and its base.
        read: Reads the hits out of the body of a reply. May raise any of `UNREADABLE`.
        key: The environment variable of its key; empty if it takes none.
        per_second: Requests a second that it bears.
        longest: Characters of a query that it takes.
    """

    name: str
    base: str
    ask: Callable[[Query, str, str], httpx.Request]
    read: Callable[[bytes], Iterable[Hit]]
    key: str = ""
    per_second: float = 5.0
    longest: int = 400

    @property
    def base_variable(self) -> str:
        """The environment variable that names another place that speaks the same protocol."""
        return f"{self.name.upper()}_BASE_URL"


UNREADABLE: Final = (ValueError, KeyError, TypeError, AttributeError, ET.ParseError)
_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_TAG: Final = re.compile(r"</?[a-z][^<>]{0,200}>", re.IGNORECASE)
_LETTERS: Final[Mapping[str, str]] = {"day": "d", "week": "w", "month": "m", "year": "y"}


def hit(item: Any, url: str, text: Iterable[str], title: str = "title", date: str = "", score: str = "") -> Hit | None:
    """A hit out of a reply's item by the names of its fields; None if it lacks an address or text."""
    if not isinstance(item, Mapping):
        return None
    address, words = item.get(url), next((said for name in text if (said := _plain(item.get(name)))), "")
    if not (isinstance(address, str) and address.startswith(("http://", "https://")) and words):
        return None
    value = item.get(score)
    return Hit(
        url=one_line(address, 2_000),
        text=words,
        title=one_line(_plain(item.get(title)), 300),
        date=iso_date(item.get(date)),
        score=float(value) if isinstance(value, int | float) and abs(value) < 1e9 else 0.0,
    )


def _plain(value: Any) -> str:
    """A field as text, the markup of highlighted words removed."""
    return printable(html.unescape(_TAG.sub("", value))).strip() if isinstance(value, str) else ""


def _items(body: bytes, *path: str) -> list[Any]:
    """The list at a path in a JSON reply; none where the reply has no such part."""
    found = json.loads(body)
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    if found is None:
        return []
    if not isinstance(found, list):
        raise TypeError(f"{'.'.join(path)} is no list")
    return found


def _json(body: bytes, path: tuple[str, ...], **names: Any) -> Iterable[Hit]:
    hits = (hit(item, **names) for item in _items(body, *path))
    return [one for one in hits if one is not None]


def _get(url: str, parameters: Given, headers: Mapping[str, str] | None = None) -> httpx.Request:
    given = {name: value for name, value in parameters.items() if value is not None}
    return httpx.Request("GET", url, params=given, headers={"Accept": "application/json", **(headers or {})})


def _searxng(query: Query, _: str, base: str) -> httpx.Request:
    category = "news" if query.topic == "news" else "general"
    given: Given = {"q": query.text, "format": "json", "time_range": query.time_range, "categories": category}
    return _get(f"{base}/search", {**given, "language": query.language})


def _brave(query: Query, key: str, base: str) -> httpx.Request:
    fresh = f"p{_LETTERS[query.time_range]}" if query.time_range else None
    given: Given = {"q": query.text, "count": query.k, "freshness": fresh, "text_decorations": "false"}
    return _get(f"{base}/res/v1/web/search", given, {"X-Subscription-Token": key})


def _serper(query: Query, key: str, base: str) -> httpx.Request:
    given: Given = {"q": query.text, "num": query.k, "hl": "zh-cn" if query.language == "zh" else "en"}
    if query.time_range:
        given["tbs"] = f"qdr:{_LETTERS[query.time_range]}"
    return httpx.Request("POST", f"{base}/search", json=given, headers={"X-API-KEY": key})


def _bing(query: Query, key: str, base: str) -> httpx.Request:
    fresh = query.time_range.title() if query.time_range in {"day", "week", "month"} else None
    market = "zh-CN" if query.language == "zh" else "en-US"
    given: Given = {"q": query.text, "count": query.k, "freshness": fresh, "mkt": market}
    return _get(f"{base}/v7.0/search", given, {"Ocp-Apim-Subscription-Key": key})


def _jina(query: Query, key: str, base: str) -> httpx.Request:
    headers = {"Authorization": f"Bearer {key}", "X-Respond-With": "no-content"}
    return _get(f"{base}/", {"q": query.text, "num": query.k}, headers)


def _wikipedia(query: Query, _: str, base: str) -> httpx.Request:
    given: Given = {"action": "query", "format": "json", "formatversion": 2, "generator": "search"}
    given |= {"gsrsearch": query.text, "gsrlimit": query.k, "prop": "extracts|info", "inprop": "url"}
    given |= {"exintro": 1, "explaintext": 1, "exlimit": "max"}
    return _get(f"{base.replace('{language}', query.language)}/w/api.php", given)


def _read_wikipedia(body: bytes) -> Iterable[Hit]:
    pages = sorted(_items(body, "query", "pages"), key=lambda page: page["index"])
    hits = (hit(page, url="fullurl", text=("extract",)) for page in pages)
    return [one for one in hits if one is not None]


def _arxiv(query: Query, _: str, base: str) -> httpx.Request:
    words = " AND ".join(f"all:{word}" for word in re.findall(r"[^\W_]+", query.text)[:12])
    return _get(f"{base}/api/query", {"search_query": words, "max_results": query.k, "sortBy": "relevance"})


def _read_arxiv(body: bytes) -> Iterable[Hit]:
    hits = []
    for entry in ET.fromstring(body).iter(f"{_ATOM}entry"):  # noqa: S314 - expat bounds what entities expand to
        told = {name: entry.findtext(f"{_ATOM}{name}", "") for name in ("id", "title", "summary", "published")}
        told["summary"] = " ".join(told["summary"].split())
        hits.append(hit(told, url="id", text=("summary",), date="published"))
    return [one for one in hits if one is not None]


PROVIDERS: Final[Mapping[str, Provider]] = {
    provider.name: provider
    for provider in (
        Provider(
            "searxng",
            "",
            _searxng,
            lambda body: _json(body, ("results",), url="url", text=("content",), date="publishedDate", score="score"),
        ),
        Provider(
            "brave",
            "https://api.search.brave.com",
            _brave,
            lambda body: _json(body, ("web", "results"), url="url", text=("description",), date="page_age"),
            key="BRAVE_API_KEY",
            per_second=1,
        ),
        Provider(
            "serper",
            "https://google.serper.dev",
            _serper,
            lambda body: _json(body, ("organic",), url="link", text=("snippet",), date="date"),
            key="SERPER_API_KEY",
        ),
        Provider(
            "bing",
            "https://api.bing.microsoft.com",
            _bing,
            lambda body: _json(
                body, ("webPages", "value"), url="url", text=("snippet",), title="name", date="datePublished"
            ),
            key="BING_API_KEY",
            per_second=3,
        ),
        Provider(
            "jina",
            "https://s.jina.ai",
            _jina,
            lambda body: _json(body, ("data",), url="url", text=("content", "description"), date="date"),
            key="JINA_API_KEY",
            per_second=1,
        ),
        Provider("wikipedia", "https://{language}.wikipedia.org", _wikipedia, _read_wikipedia, longest=300),
        Provider("arxiv", "https://export.arxiv.org", _arxiv, _read_arxiv, per_second=1 / 3, longest=300),
    )
}
"""The providers that one HTTP request asks. Tavily and DuckDuckGo are asked through their own clients."""
