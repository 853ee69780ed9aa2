"""Mapping of a call's arguments to a substitute tool.

An argument maps to the one of the same name, or of a synonymous name, if the type fits. Every required argument of the
substitute must be mapped, and only preferences may be lost (how many results, in which language).
"""

from collections.abc import Mapping
from typing import Any, Final

from weiwo.state import JsonValue
from weiwo.tools.calling.arguments import argument_mismatch, is_default

_QUERY: Final = frozenset(
    {"query", "q", "question", "search", "search_query", "search_term", "search_terms", "keyword", "keywords"}
    | {"tool_input", "__arg1"}  # what LangChain calls the argument of a tool that takes one text
)
_ADDRESS: Final = frozenset({"url", "link", "href", "uri", "page", "page_url", "web_page", "website", "source"})
_NUMBER: Final = frozenset(
    {"k", "n", "limit", "count", "top_k", "size", "max_results", "num_results", "n_results", "number_of_results"}
)
_LANGUAGE: Final = frozenset({"language", "lang", "locale"})
_TOPIC: Final = frozenset({"topic", "category"})
_PLACE: Final = frozenset({"city", "location", "place", "town"})
_PERIOD: Final = frozenset({"time_range", "recency", "freshness", "period"})
_OTHERS: Final = (
    frozenset({"expression", "formula"}),
    frozenset({"symbol", "ticker"}),
    frozenset({"date", "day"}),
    frozenset({"text", "content"}),
    frozenset({"name", "title"}),
)
_SYNONYMS: Final = (_QUERY, _ADDRESS, _NUMBER, _LANGUAGE, _TOPIC, _PLACE, _PERIOD, *_OTHERS)
"""Names of arguments that mean the same."""

_PREFERENCES: Final = _NUMBER | _LANGUAGE | _TOPIC
"""Arguments that a substitute may lack: its reply still answers the query."""


def is_query(name: str) -> bool:
    """Report whether an argument of a given name is a search query."""
    return name.casefold() in _QUERY


def is_address(name: str) -> bool:
    """Report whether an argument of a given name is the URL of a page."""
    return name.casefold() in _ADDRESS


def same_meaning(text: str, other: str) -> bool:
    """Report whether two argument names mean the same: "query" and "q", or "url" and "link"."""
    text, other = text.casefold(), other.casefold()
    return text == other or any(text in group and other in group for group in _SYNONYMS)


def map_arguments(
    args: Mapping[str, JsonValue], given: Mapping[str, Any], wanted: Mapping[str, Any], cluster: str = ""
) -> dict[str, JsonValue] | None:
    """Rename the arguments of a call for a substitute tool: `{"query": "x", "k": 5}` → `{"q": "x"}`.

    Args:
        args: The call's arguments.
        given: JSON schema of the original tool: `properties` and `required`.
        wanted: JSON schema of the substitute.
        cluster: Cluster of both tools. In the cluster "open", the query within a page is a preference too.

    Returns:
        The substitute's arguments, or None if a required argument is missing, or an argument that is no preference
        would be lost.
    """
    known, properties = given["properties"], wanted["properties"]
    found: dict[str, JsonValue] = {}
    for name, value in args.items():
        target = _target_argument(name, value, properties, found)
        if target is not None:
            found[target] = value
        elif not (
            value in (None, "")
            or name.casefold() in _PREFERENCES
            or (cluster == "open" and is_query(name))
            or is_default(value, known.get(name))
        ):
            return None
    return found if all(name in found for name in wanted["required"]) else None


def _target_argument(
    name: str, value: JsonValue, properties: Mapping[str, Any], taken: Mapping[str, JsonValue]
) -> str | None:
    """Return the name of the substitute's argument that takes a value: the same name, else the first synonym.

    Returns None if no argument that is not in `taken` accepts the value.
    """
    for other in sorted(properties, key=lambda other: other != name):
        if other in taken or not same_meaning(name, other) or argument_mismatch(value, properties[other] or {}):
            continue
        if is_address(other) and other != name and not str(value).startswith(("http://", "https://")):
            continue  # the name of a local document leads nowhere on the web
        return other
    return None
