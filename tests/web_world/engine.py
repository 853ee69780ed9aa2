"""A search engine over the pages: BM25 over titles and texts, snippets that whet the appetite, SearXNG's JSON.

Okapi BM25 as in Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), k1 = 1.2, b = 0.75.
It remembers pages as they were: those that are dead or blocked by now are among its results.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from tests.web_world.pages import Page

K1: Final = 1.2
B: Final = 0.75
TITLE: Final = 3
"""How often a word in a title counts."""
SNIPPET: Final = 160
_HAN: Final = re.compile(r"[\u4e00-\u9fff]+")
_WORD: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_STOP: Final = frozenset((
    "the", "of", "a", "an", "in", "is", "was", "were", "are", "did", "do", "does", "how", "what", "when", "where",
    "which", "who", "on", "at", "to", "and",
))  # fmt: skip


def terms(text: str) -> list[str]:
    """The terms of a text: English words, and pairs of Chinese characters."""
    low = text.lower()
    words = [word.removesuffix("s") for word in _WORD.findall(low) if word not in _STOP]
    pairs = [run[at : at + 2] for run in _HAN.findall(low) for at in range(max(1, len(run) - 1))]
    return words + pairs


class Engine:
    """The index.

    Args:
        pages: What it has seen.
        base: The scheme, and the port behind a host, as in `http://{host}:8080`.
    """

    def __init__(self, pages: Iterable[Page], base: str) -> None:
        self._pages = [page for page in pages if not re.search(r"/\d$", page.path)]  # steps on the way are not linked
        self._base = base
        self._counts = [
            Counter(terms(page.article.title) * TITLE + terms(" ".join(page.article.paragraphs)))
            for page in self._pages
        ]
        self._lengths = [counts.total() for counts in self._counts]
        self._mean = sum(self._lengths) / len(self._lengths)
        self._seen = Counter(term for counts in self._counts for term in counts)

    def search(self, query: str, k: int = 10) -> list[dict[str, Any]]:
        """The best pages for a query, as SearXNG gives them."""
        wanted = dict.fromkeys(terms(query))
        scores = [(self._score(wanted, n), n) for n in range(len(self._pages))]
        best = sorted(((score, n) for score, n in scores if score > 0), key=lambda pair: (-pair[0], pair[1]))[:k]
        return [self._result(self._pages[n], wanted, score) for score, n in best]

    def reply(self, query: str) -> bytes:
        """The body of SearXNG's reply with `format=json`."""
        results = self.search(query)
        whole = {
            "query": query,
            "number_of_results": len(results),
            "results": results,
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": [],
        }
        return json.dumps(whole, ensure_ascii=False).encode()

    def _score(self, wanted: Mapping[str, None], n: int) -> float:
        counts, length = self._counts[n], self._lengths[n]
        score = 0.0
        for term in wanted:
            if count := counts.get(term, 0):
                seen = self._seen[term]
                rare = math.log(1 + (len(self._pages) - seen + 0.5) / (seen + 0.5))
                score += rare * count * (K1 + 1) / (count + K1 * (1 - B + B * length / self._mean))
        return score

    def _result(self, page: Page, wanted: Mapping[str, None], score: float) -> dict[str, Any]:
        return {
            "url": f"{self._base.format(host=page.host)}{page.path}",
            "title": page.article.title,
            "content": snippet(page, wanted),
            "publishedDate": f"{page.date}T00:00:00" if page.date else None,
            "engine": "loopback",
            "engines": ["loopback"],
            "score": round(score, 3),
            "category": "general",
        }


def snippet(page: Page, wanted: Mapping[str, None]) -> str:
    """What an engine shows of a page: its first words, or the sentence that matches best and tells no fact."""
    facts = set(page.article.told.values())
    sentences = [one for text in page.article.paragraphs for one in _SENTENCE.split(text) if one and one not in facts]
    first = page.article.opening

    def match(sentence: str) -> int:
        return len(wanted.keys() & set(terms(sentence)))

    best = max(sentences, key=match, default=first)
    shown = best if match(best) > match(first) else first
    return shown if len(shown) <= SNIPPET else shown[:SNIPPET].rstrip() + " ..."
