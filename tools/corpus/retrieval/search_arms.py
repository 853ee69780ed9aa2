"""Search arms: the ways to search that the router chooses from, each as search options.

Three differ in what is searched: words, vectors, or both. The others are hybrid search with one thing changed: without
the hop along mentioned titles, with a bonus for being recent, or over those documents only that a question restricts
itself to, by a year or a kind of file that it names.
"""

import re
from dataclasses import replace
from typing import Final, Literal

from weiwo.text.patterns import lazy
from weiwo.tools.corpus.retrieval.score_fusion import DocumentFilter, SearchOptions, Strategy

SearchArm = Literal["hybrid", "keyword", "vector", "no_hop", "recent", "filtered"]

ARMS: Final[tuple[SearchArm, ...]] = ("hybrid", "keyword", "vector", "no_hop", "recent", "filtered")
"""The arms to choose from; of equal scores the first wins."""

HALF_LIFE_DAYS: Final = 365.0
"""Days in which `recent` loses half of its bonus."""

_ENGINE: Final[dict[SearchArm, Strategy]] = {"keyword": "keyword", "vector": "vector"}
_ALL: Final = DocumentFilter()
_YEAR: Final = lazy(r"(?<![\d.,-])(?:19|20)\d{2}(?![\d.,-]\d|\d)")
_KINDS: Final = {
    "pdf": lazy(r"\bpdfs?\b", re.IGNORECASE),
    "pptx": lazy(r"\b(?:pptx|slides?|slide deck|powerpoint)\b|幻灯片|演示文稿", re.IGNORECASE),
    "xlsx": lazy(r"\b(?:xlsx|excel|spreadsheets?)\b|电子表格", re.IGNORECASE),
    "docx": lazy(r"\b(?:docx|word document)\b|\bword\s?文档", re.IGNORECASE),
    "csv": lazy(r"\bcsv\b", re.IGNORECASE),
}
_NEWEST: Final = lazy(
    r"\b(?:latest|newest|most recent|recent(?:ly)?|current(?:ly)?|up.to.date)\b|最新|最近|近期|目前|当前|现行",
    re.IGNORECASE,
)


def set_arm(options: SearchOptions, arm: SearchArm, question: str) -> SearchOptions:
    """Search options as an arm has them; what a caller restricts the search to holds for each.

    Args:
        options: The options that hold for all arms.
        arm: The arm.
        question: The question; `filtered` reads from it which documents it is about.
    """
    chosen = replace(options, strategy=_ENGINE.get(arm, "hybrid"), exact_alone=False)  # whether it is was decided
    if arm == "no_hop":
        return replace(chosen, linked=False)
    if arm == "recent":
        return replace(chosen, half_life_days=HALF_LIFE_DAYS)
    return replace(chosen, filter=read_filter(question, options.filter)) if arm == "filtered" else chosen


def read_filter(question: str, within: DocumentFilter = _ALL) -> DocumentFilter:
    """The years and kinds of file that a question names, within a filter, whose own dates and kinds come first."""
    years = sorted({match[0] for match in _YEAR.finditer(question)})
    kinds = tuple(kind for kind, named in _KINDS.items() if named.search(question))
    if years and not (within.since or within.until):
        within = replace(within, since=years[0], until=years[-1])
    return replace(within, types=kinds) if kinds and not within.types else within


def asks_newest(question: str) -> bool:
    """Whether a question asks for what is newest."""
    return _NEWEST.search(question) is not None
