"""Interface of a search provider: name, requirements and an async search.

The hits of all providers have the same shape.
"""

import html
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import islice
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, Literal

from weiwo.state import FailureKind, Publication
from weiwo.state.errors import WeiwoError
from weiwo.state.kinds import Language
from weiwo.state.source_filter import SourceFilter
from weiwo.text.dates import iso_date
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line, printable

if TYPE_CHECKING:
    import httpx

TimeRange = Literal["day", "week", "month", "year"]
Topic = Literal["general", "news", "finance"]

_MOST_SITES: Final = 8
"""Limit of the `site:` operators in a query, since engines do not accept long queries."""
_RANGES: Final[dict[TimeRange, int]] = {"day": 1, "week": 7, "month": 30, "year": 365}
"""Minimum length in days of each time range."""
_TAG: Final = lazy(r"</?[a-z][^<>]{0,200}>", re.IGNORECASE)
_LONGEST_ADDRESS: Final = 2_000
_MOST_ITEMS: Final = 200
"""Limit of the items read from a reply. At most 20 are requested."""
_LONGEST_FIELD: Final = 50_000
"""Limit of a snippet or a title in characters. The rest is cut."""
_LONGEST_PAGE: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """Search query."""

    text: str  # the query
    k: int = 6  # limit of the results, 1 to 20
    time_range: TimeRange | None = None  # only recent pages, if the provider supports it
    topic: Topic = "general"  # kind of pages, if the provider supports it
    language: Language = "en"
    # Sites and dates to restrict the search to. Hits that do not match are dropped afterwards.
    within: SourceFilter = field(default_factory=SourceFilter)

    def operators(self) -> str:
        """Return the sites as search operators, e.g. " (site:a.org OR site:b.org) -site:c.org".

        Returns an empty string if the query is not restricted to sites.
        """
        wanted = [f"site:{site}" for site in self.within.asked_sites[:_MOST_SITES]]
        told = [f"({' OR '.join(wanted)})" if len(wanted) > 1 else "".join(wanted)]
        told += [f"-site:{site}" for site in self.within.left_out[:_MOST_SITES]]
        return "".join(f" {item}" for item in told if item)

    def recency(self, today: date) -> TimeRange | None:
        """Return the query's time range, else the shortest one that reaches back to the earliest date of `within`.

        With the earliest date ten days ago it is "month". For providers that know only fixed ranges. Returns None if
        there is no restriction, or the earliest date is more than a year ago.
        """
        if self.time_range or not self.within.earliest:
            return self.time_range
        year, month, day = (*map(int, self.within.earliest.split("-")), 1, 1)[:3]
        days = (today - date(year, month, day)).days
        return next((name for name, most in _RANGES.items() if days < most), None)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """Single search result."""

    url: str  # address of the page
    text: str  # snippet
    title: str = ""
    date: str | None = None  # ISO date of publication
    score: float = 0.0  # relevance given by the provider, else 0
    page: str = ""  # whole text of the page, plain or Markdown, if requested
    publication: Publication | None = None  # authors, venue and DOI of a scholarly work


@dataclass(frozen=True, slots=True)
class ProviderAccess:
    """Access data of a provider for a single request."""

    base: str  # base URL, without a slash at the end
    key: str = field(default="", repr=False)  # API key, if any
    seconds: float = 30.0  # time limit of the request
    whole: bool = False  # whether to request the whole text of pages
    max_bytes: int = 2_000_000  # limit of a reply
    transport: "httpx.AsyncBaseTransport | None" = None  # replaces the network in tests
    variable: str = ""  # environment variable of the key, for messages


class ProviderError(WeiwoError):
    """Error raised if a search fails at the provider, by an HTTP status or by the content of its reply."""

    def __init__(
        self, kind: FailureKind, said: str, *, transient: bool | None = None, retry_after: float | None = None
    ) -> None:
        self.kind = kind
        self.transient = transient  # whether a retry may succeed; None for the default of the kind
        self.retry_after = retry_after  # seconds to wait before a retry, if the provider names them
        super().__init__(said)


@dataclass(frozen=True, slots=True)
class Provider:
    """Search provider: capabilities, limits and the function that searches."""

    name: str  # name in settings
    base: str  # default base URL; empty if each user has a server of their own
    # May raise any exception. `weiwo.tools.web.providers.failover` converts it to a `ToolCallError`.
    search: Callable[[SearchQuery, ProviderAccess], Awaitable[list[SearchHit]]]
    key: str = ""  # environment variable of the required key; empty if none is required
    optional_key: str = ""  # environment variable of an optional key or e-mail address
    per_second: float = 5.0  # default limit of requests per second
    longest: int = 400  # limit of a query in characters
    whole: bool = False  # can return the whole text of pages
    operators: bool = True  # understands `site:` in a query
    dates: bool = False  # takes the earliest date itself, not only a time range
    host: str = ""  # the only site whose pages it returns; empty for any

    @property
    def base_variable(self) -> str:
        """Environment variable for an alternative base URL speaking the same protocol."""
        return f"{self.name.upper()}_BASE_URL"


def read_hit(
    item: Any, url: str, text: Iterable[str], *, title: str = "title", date: str = "", score: str = "", page: str = ""
) -> SearchHit | None:
    """Read a hit from an item of a provider's reply.

    Args:
        item: The item.
        url: Name of the field with the address.
        text: Names of the fields with the snippet. The first that is filled counts.
        title: Name of the field with the title.
        date: Name of the field with the date of publication, if any.
        score: Name of the field with the relevance, if any.
        page: Name of the field with the whole text of the page, if any.

    Returns:
        The hit, or None if the item has no usable address or no text.
    """
    if not isinstance(item, Mapping):
        return None
    address, words = item.get(url), next((said for name in text if (said := _strip_markup(item.get(name)))), "")
    if not (isinstance(address, str) and address.startswith(("http://", "https://")) and words):
        return None
    if len(address) > _LONGEST_ADDRESS:  # cut, it would lead elsewhere
        return None
    value, whole = item.get(score), item.get(page)
    return SearchHit(
        url=one_line(address, _LONGEST_ADDRESS),
        text=words,
        title=one_line(_strip_markup(item.get(title)), 300),
        date=iso_date(item.get(date), datetime.now(UTC).date()),
        score=float(value) if isinstance(value, int | float) and isfinite(value) else 0.0,
        page=printable(whole[:_LONGEST_PAGE]).strip() if isinstance(whole, str) else "",
    )


def read_hits(items: Iterable[Any], url: str, text: Iterable[str], **names: str) -> list[SearchHit]:
    """Return the hits among a reply's items, each read by `read_hit`."""
    return [found for item in islice(items, _MOST_ITEMS) if (found := read_hit(item, url, text, **names)) is not None]


def _strip_markup(value: Any) -> str:
    """Return a text field without HTML tags and entities, or an empty string if not a text."""
    return printable(html.unescape(_TAG.sub("", value[:_LONGEST_FIELD]))).strip() if isinstance(value, str) else ""
