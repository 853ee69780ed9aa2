"""Which of the tools at hand searches."""

from collections.abc import Collection
from typing import Final

PREFERRED: Final = ("corpus_search", "web_search")
"""The user's own documents come before the web."""


def search_tool(tools: Collection[str]) -> str:
    """The tool a look-up is bound to: the corpus, else the web, else any tool that calls itself a search."""
    for name in PREFERRED:
        if name in tools:
            return name
    return next((name for name in sorted(tools) if "search" in name), PREFERRED[0])


def other_search_tool(tool: str, tools: Collection[str]) -> str | None:
    """Another search tool than the given one, if there is any."""
    others = [name for name in (*PREFERRED, *sorted(tools)) if name in tools and "search" in name and name != tool]
    return others[0] if others else None
