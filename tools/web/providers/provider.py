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
"""Sites that a query names; engines take no long ones."""
_RANGES: Final[dict[TimeRange, int]] = {"day": 1, "week": 7, "month": 30, "year": 365}
"""Days that a provider's ranges of time are sure to hold."""
_TAG: Final = lazy(r"</?[a-z][^<>]{0,200}>", re.IGNORECASE)
_LONGEST_ADDRESS: Final = 2_000
_MOST_ITEMS: Final = 200
"""Items of a reply that are looked at; 20 were asked for."""
_LONGEST_FIELD: Final = 50_000
"""Characters of a snippet, or a title, that are cleaned."""
_LONGEST_PAGE: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """Search query."""

    text: str  # the query
    k: int = 6  # results at most, 1 to 20
    time_range: TimeRange | None = None  # only pages from the last day, week, month or year, where a provider can tell
    topic: Topic = "general"  # kind of pages, where a provider knows kinds
    language: Language = "en"
    # The sites and dates to restrict it to; what a provider cannot be told, its hits are held to.
    within: SourceFilter = field(default_factory=SourceFilter)

    def operators(self) -> str:
        """Return the sites as search operators, with a leading blank.

        Returns an empty string if all sites are allowed.
        """
        wanted = [f"site:{site}" for site in self.within.asked_sites[:_MOST_SITES]]
        told = [f"({' OR '.join(wanted)})" if len(wanted) > 1 else "".join(wanted)]
        told += [f"-site:{site}" for site in self.within.left_out[:_MOST_SITES]]
        return "".join(f" {item}" for item in told if item)

    def recency(self, today: date) -> TimeRange | None:
        """Return the shortest provider time range covering the query's dates.

        Used for providers that know only fixed ranges.
        """
        if self.time_range or not self.within.earliest:
            return self.time_range
        year, month, day = (*map(int, self.within.earliest.split("-")), 1, 1)[:3]
        days = (today - date(year, month, day)).days
        return next((name for name, most in _RANGES.items() if days < most), None)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """Single search result."""

    url: str  # the page
    text: str  # what the provider shows of it
    title: str = ""  # its title
    date: str | None = None  # ISO date of publication
    score: float = 0.0  # relevance as the provider tells it, else 0
    page: str = ""  # the page's whole text as the provider read it, if that was asked for; may be Markdown
    publication: Publication | None = None  # authors, venue and DOI of a scholarly work


@dataclass(frozen=True, slots=True)
class ProviderAccess:
    """Access data of a provider for a single request."""

    base: str  # where it is, without a slash at the end
    key: str = field(default="", repr=False)  # its key, if it takes one
    seconds: float = 30.0  # time for the whole
    whole: bool = False  # whether the whole text of the pages is asked for
    max_bytes: int = 2_000_000  # bytes of a reply that are read
    transport: "httpx.AsyncBaseTransport | None" = None  # instead of the network
    variable: str = ""  # the environment variable of its key


class ProviderError(WeiwoError):
    """Error raised if a provider replies with a failed search, with any status."""

    def __init__(
        self, kind: FailureKind, said: str, *, transient: bool | None = None, retry_after: float | None = None
    ) -> None:
        self.kind = kind  # what kind of failure that is
        self.transient = transient  # whether it may pass; None: as failures of the kind do
        self.retry_after = retry_after  # seconds to wait before asking again, where it says so
        super().__init__(said)


@dataclass(frozen=True, slots=True)
class Provider:
    """A search provider."""

    name: str  # what settings call it
    base: str  # where it is; empty where each user has one of their own
    # Asks it. May raise anything; `weiwo.tools.web.providers.failover` types it.
    search: Callable[[SearchQuery, ProviderAccess], Awaitable[list[SearchHit]]]
    key: str = ""  # the environment variable of its key; empty if it takes none
    # The environment variable of a key, or of an address of mail, that it takes and does not need.
    optional_key: str = ""
    per_second: float = 5.0  # requests a second that it bears
    longest: int = 400  # characters of a query that it takes
    whole: bool = False  # whether it can give the whole text of pages
    operators: bool = True  # whether it understands `site:` in a query
    dates: bool = False  # whether it is told the earliest day itself, and not the range of time that holds it
    host: str = ""  # the one site whose pages it gives; empty for any

    @property
    def base_variable(self) -> str:
        """Environment variable for an alternative base URL speaking the same protocol."""
        return f"{self.name.upper()}_BASE_URL"


def read_hit(
    item: Any, url: str, text: Iterable[str], *, title: str = "title", date: str = "", score: str = "", page: str = ""
) -> SearchHit | None:
    """Read a hit from a reply item by field names.

    Returns None if the item lacks an address or text.
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
    """A field as text, the markup of highlighted words removed."""
    return printable(html.unescape(_TAG.sub("", value[:_LONGEST_FIELD]))).strip() if isinstance(value, str) else ""
