"""Web search over a list of providers with fail-over.

The next provider is asked if one fails or finds nothing. The providers are configured: see `selection`. Retrying, once
all have failed, is left to `invoke`.
"""

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from pydantic import BaseModel, Field

from weiwo.state import Evidence, JsonValue, passage_id
from weiwo.state.settings import Settings
from weiwo.state.source_filter import SourceFilter
from weiwo.text.chunking import chunk_text
from weiwo.text.language_detection import detect_language
from weiwo.text.patterns import lazy
from weiwo.tools.async_tool import AsyncTool, narrow
from weiwo.tools.calling.call_context import find_call
from weiwo.tools.passages import RankedText, as_artifact, as_text, rank_passages
from weiwo.tools.web.providers.failover import SearchResult, search_with_failover
from weiwo.tools.web.providers.health import PROVIDER_HEALTH, ConfiguredProvider, ProviderHealth
from weiwo.tools.web.providers.provider import SearchHit, SearchQuery, TimeRange, Topic
from weiwo.tools.web.providers.selection import select_providers, select_scholarly

_CACHE_SECONDS: Final = 3_600
"""Lifetime of cached results."""
_PASSAGES_OF_A_PAGE: Final = 3
"""Limit of the passages from a hit that includes the whole page."""

_LONGEST_PASSAGE: Final = 8_000
_SCHOLARLY_WORDS: Final = lazy(
    r"\b(?:peer[- ]reviewed|(?<!who )studies(?! (?:at|under)\b)|research papers?"
    r"|(?:scientific|scholarly|academic) (?:papers?|articles?|literature)"
    r"|meta-?analys[ei]s|systematic reviews?|clinical trials?|randomi[sz]ed|doi"
    r"|(?:(?:scientific|clinical|empirical|what|any) |the )evidence (?:is there )?"
    r"(?:for|on|that|against|behind|from))\b"
    r"|论文|文献|荟萃分析|临床试验|研究(?:证据|表明|显示|发现)|有(?:哪些|什么|没有)研究",
    re.IGNORECASE,
)
"""Words of questions about studies and papers."""


class WebSearchArguments(BaseModel):
    """Arguments of `web_search`."""

    query: str = Field(min_length=1, description="What to look for, as for a search engine.")
    k: int = Field(6, ge=1, le=20, description="How many results at most.")
    time_range: Literal["day", "week", "month", "year"] | None = Field(
        None, description="Only pages from the last day, week, month or year."
    )
    topic: Literal["general", "news", "finance"] = Field("general", description="Kind of pages to search.")
    site: str = Field("", description="Only pages of this site, such as who.int; empty for any.")
    since: str = Field("", description="Only pages since this year, month or day, such as 2025-01; empty for any.")


class WebSearch(AsyncTool):
    """Tool for searching the web through a list of providers."""

    name: str = "web_search"
    description: str = "Search the web for passages about something, current events included."
    args_schema: Any = WebSearchArguments
    sources: tuple[ConfiguredProvider, ...] = Field(min_length=1, exclude=True, repr=False)
    """The providers, in the order to ask them."""
    scholarly: tuple[ConfiguredProvider, ...] = Field((), exclude=True, repr=False)
    """Providers to ask first if the question or query is about studies or papers."""
    seconds: float = 30
    """Time limit of a call, all providers together."""
    within: SourceFilter = Field(default_factory=SourceFilter, exclude=True, repr=False)
    """The sites and dates that every search is restricted to."""
    health: ProviderHealth = Field(default=PROVIDER_HEALTH, exclude=True, repr=False)
    """Outages, rate limits and quotas of the providers."""
    transport: Any = Field(None, exclude=True, repr=False)
    """An `httpx.AsyncBaseTransport` that replaces the network in tests."""

    @classmethod
    def from_settings(cls, settings: Settings, env: Mapping[str, str] | None = None) -> "WebSearch | None":
        """Build the tool from settings and environment.

        Returns None if the run has no web search.

        Raises:
            SettingsError: See `weiwo.tools.web.providers.selection.select_providers`.
        """
        sources = select_providers(settings, env)
        if not sources:
            return None
        # a little less than the call has, so that it is the reasons of all providers that get through
        scholarly = select_scholarly(settings, env)
        seconds = 0.9 * settings.limits.tool_seconds
        return cls(sources=sources, scholarly=scholarly, seconds=seconds, within=settings.filter)

    def model_post_init(self, context: Any, /) -> None:
        """Set the tool's `identity`. The result cache shares results between tools of equal identity."""
        super().model_post_init(context)
        places = ";".join(f"{source.name}{'+raw' * source.whole}={source.base}" for source in self.sources)
        places += f" {replace(self.within, folders=())}" if self.within else ""
        self.metadata = {"identity": places, "cache_seconds": _CACHE_SECONDS, **(self.metadata or {})}

    async def _arun(
        self,
        query: str,
        k: int = 6,
        time_range: TimeRange | None = None,
        topic: Topic = "general",
        site: str = "",
        since: str = "",
    ) -> tuple[str, list[dict[str, JsonValue]]]:
        within = narrow(self.within, self.name, site=site, since=since)
        asked = SearchQuery(query, k, time_range, topic, detect_language(query), within)
        question = str(call.state.get("question") or "") if (call := find_call()) is not None else ""
        first = self.scholarly if _SCHOLARLY_WORDS.search(f"{question}\n{query}") else ()
        found = await search_with_failover(
            (*first, *self.sources), asked, self.health, seconds=self.seconds, transport=self.transport
        )
        passages = await asyncio.to_thread(_hit_passages, found, query, self.name)
        silent = "; ".join(failure.message for failure in found.failures)
        nothing = "The web search found nothing." + (f" No response from: {silent}" if silent else "")
        if silent and not passages and call is not None:
            call.notes.append(f"{self.name}: {silent}")
        return as_text(passages, nothing), as_artifact(passages)


def _hit_passages(found: SearchResult, query: str, tool: str) -> list[Evidence]:
    """Return the passages of a search result, best first. Hits with the same text become one passage."""
    highest = max((hit.score for hit in found.hits), default=0.0)
    kept: dict[str, Evidence] = {}
    for place, hit in enumerate(found.hits, 1):
        for text in _hit_texts(hit, query):
            passage = Evidence(
                id=passage_id(text),
                text=text,
                source=hit.url,
                title=hit.title,
                date=hit.date,
                tool=tool,
                # Between 0 and 1: the provider's score relative to the highest, or by rank if it gives no scores.
                score=hit.score / max(highest, 1.0) if highest > 0 else 1 / place,
                rank=len(kept) + 1,
                provider=found.provider,
                publication=hit.publication,
            )
            known = kept.get(passage.id)
            kept[passage.id] = passage if known is None else known.merge_passage(passage)
    return list(kept.values())


def _hit_texts(hit: SearchHit, query: str) -> Iterable[str]:
    """Return the passages of the hit's page that match the query, or else the provider's snippet."""
    if hit.page:
        pieces = chunk_text(hit.page, markdown=True, name=hit.title)[1]
        entries = (RankedText(hit.title, " ".join(piece.headings), piece.text) for piece in pieces)
        if near := rank_passages(entries, query, _PASSAGES_OF_A_PAGE):
            return [pieces[number].text for number in near]
    return [hit.text[:_LONGEST_PASSAGE]]
