"""Functional clusters: tools with the same function, judged by documentation.

The AI Search Paradigm (arXiv 2506.17188, section 4.1) clusters tools by function so that a broken tool has substitutes.
A substitute that answers another question is worse than no substitute, so in doubt a tool gets a cluster of its own.
Two tools are alike only if they require the same arguments and have the same topic, after removing the words found in
every tool description.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from weiwo.text.analyzer import STOP_WORDS, terms
from weiwo.text.data_files import data_rows, data_text, data_words
from weiwo.text.patterns import lazy
from weiwo.tools.calling.substitutes import is_address, is_query, same_meaning

_MOST_COMPARED: Final = 16
"""Limit of a cluster's tools with which another tool is compared."""

_ALIKE: Final = 0.5
"""Least share of common topic words (intersection over union) of similar tools."""


def _pattern(name: str) -> re.Pattern[str]:
    return lazy(data_text("tool_words", "patterns", name).replace("\n", ""), re.IGNORECASE)


_SEARCHES: Final = _pattern("searches")
_THE_WEB: Final = _pattern("the_web")
_OPENS: Final = _pattern("opens")
_A_PAGE: Final = _pattern("a_page")
_OF_A_KIND: Final = _pattern("of_a_kind")
_DIRECTION: Final = _pattern("direction")
_EVERY_TOOL: Final = STOP_WORDS | data_words("tool_words", "words", "every_tool")
_EVERY_TOOL_ZH: Final = _pattern("every_tool")
TURNS: Final = tuple(map(frozenset, data_rows("tool_words", "words", "turns")))
"""Rows of synonyms that change what is asked, such as the words for a forecast.

Two tools are only alike if both have a word of a row, or neither has.
"""


@dataclass(frozen=True, slots=True)
class Documentation:
    """Documentation of a tool, as compared in clustering."""

    name: str
    description: str
    arguments: tuple[str, ...] = ()  # names of the arguments
    # Names and JSON types of the required arguments. The type is empty if the schema has no single type.
    needs: tuple[tuple[str, str], ...] = ()
    cluster: str = ""  # cluster stated by the tool, if any
    server: str = ""  # MCP server of the tool, which is the prefix of its name

    @property
    def own_name(self) -> str:
        """Name of the tool without the MCP server's name: "search" for "github_search"."""
        return self.name[len(self.server) + 1 :] if self.server else self.name

    @classmethod
    def of(
        cls, name: str, description: str, args_schema: Mapping[str, Any], cluster: str = "", server: str = ""
    ) -> "Documentation":
        """Build the documentation of a tool from a JSON schema of the arguments."""
        properties: Mapping[str, Any] = args_schema["properties"]
        needs = tuple((need, _json_type(properties.get(need))) for need in args_schema["required"])
        return cls(name, description, tuple(properties), needs, cluster, server)


def _json_type(schema: Any) -> str:
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    return kind if isinstance(kind, str) else ""


@lru_cache(maxsize=64)
def clusters_of(tools: tuple[Documentation, ...]) -> Mapping[str, str]:
    """Return the name of each tool's cluster, by tool name. Tools of the same cluster can replace each other.

    The cluster is the one stated by the tool, else "search" or "open" for general tools, else that of earlier tools
    which are all similar to it, else a new cluster `other:NAME`.
    """
    known: dict[str, list[Documentation]] = {}
    about: dict[str, list[str]] = {}  # by topic, the clusters whose first tool is about it: others cannot be like it
    sizes: dict[str, int] = {}  # how many topics that tool has
    found: dict[str, str] = {}
    for tool in sorted(tools, key=lambda tool: not tool.cluster):  # those that state one first
        cluster = tool.cluster or _general_cluster(tool)
        if not cluster:
            count = len(topic_words(tool))
            shared = Counter(chain.from_iterable(about.get(topic, ()) for topic in topic_words(tool)))
            near = {
                name
                for name, common in shared.items()
                if common >= min(count, sizes[name], _ALIKE * (count + sizes[name] - common))  # as `_are_alike` asks
            }
            same = (
                name
                for name in known
                if name in near and all(_are_alike(tool, item) for item in known[name][:_MOST_COMPARED])
            )
            cluster = next(same, f"other:{tool.name}")
        if cluster not in known:
            sizes[cluster] = len(topic_words(tool))
            for topic in topic_words(tool):
                about.setdefault(topic, []).append(cluster)
        known.setdefault(cluster, []).append(tool)
        found[tool.name] = cluster
    return found


def _are_alike(documentation: Documentation, other: Documentation) -> bool:
    """Report whether two tools answer the same question from the same arguments."""
    if not _same_needs(documentation, other):
        return False
    topics, others = topic_words(documentation), topic_words(other)
    if any(bool(row & topics) != bool(row & others) for row in TURNS):
        return False
    if _DIRECTION.search(documentation.description) and _order(documentation, topics & others) != _order(
        other, topics & others
    ):
        return False
    named = name_words(documentation)
    if named and named == name_words(other):
        return topics <= others or others <= topics  # the same name, and nothing that contradicts it
    return len(topics & others) >= _ALIKE * max(1, len(topics | others))


def _general_cluster(tool: Documentation) -> str | None:
    """Return "search" for a tool that searches the whole web, "open" for a reader of any page, else None."""
    text = f"{tool.own_name.replace('_', ' ')} {tool.description}"
    if len(tool.needs) != 1 or tool.needs[0][1] not in {"string", ""} or _OF_A_KIND.search(text):
        return None
    need = tool.needs[0][0]
    if is_query(need) and _SEARCHES.search(text) and _THE_WEB.search(text):
        return "search"
    return "open" if is_address(need) and _OPENS.search(text) and _A_PAGE.search(text) else None


def searches_one_kind(name: str) -> bool:
    """Report whether a tool's name limits the search to a kind of item, like "search_flights" or "image_search"."""
    return _OF_A_KIND.search(name.replace("_", " ")) is not None


def _same_needs(documentation: Documentation, other: Documentation) -> bool:
    """Report whether two tools require the same arguments, with synonymous names and equal types.

    False if the first requires none.
    """
    left = list(other.needs)
    for need, kind in documentation.needs:
        match = next((item for item in left if same_meaning(need, item[0]) and kind == item[1]), None)
        if match is None:
            return False
        left.remove(match)
    return bool(documentation.needs) and not left


@lru_cache(maxsize=1 << 14)
def topic_words(tool: Documentation) -> frozenset[str]:
    """Return the topic words of a tool's name and description, without the names of the arguments."""
    return _words_about(f"{tool.own_name} {tool.description}", tool)


@lru_cache(maxsize=1 << 14)
def name_words(tool: Documentation) -> frozenset[str]:
    """Return the topic words of the tool's name alone."""
    return _words_about(tool.own_name, tool)


def _order(tool: Documentation, words: frozenset[str]) -> list[str]:
    said = (stem(word) for word in terms(tool.description))
    return list(dict.fromkeys(word for word in said if word in words))


def _words_about(text: str, tool: Documentation) -> frozenset[str]:
    arguments = {stem(word) for name in tool.arguments for word in terms(name.replace("_", " "))}
    return content_words(text) - arguments


def content_words(text: str) -> frozenset[str]:
    """Return the words that say what a text is about, as a set, in the form of `stem`.

    Left out are stop words, words found in every tool description ("get"), and single characters.
    """
    words = set(terms(_EVERY_TOOL_ZH.sub(" ", text.replace("_", " ")))) - _EVERY_TOOL
    return frozenset(stem(word) for word in words if len(word) > 1)


def stem(word: str) -> str:
    """Strip a final plural `s` from an English word. Other words are returned unchanged."""
    plural = word.isascii() and len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word
