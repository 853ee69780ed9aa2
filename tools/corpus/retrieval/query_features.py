"""Query features for the router: cheap figures from a question's words and from the corpus's own statistics.

None of them needs a search. They take some microseconds a term, so that deciding costs less than it can save.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from weiwo.state import Language
from weiwo.text.analyzer import identifiers, query_terms
from weiwo.text.language import detect_language, word_count
from weiwo.text.patterns import lazy
from weiwo.tools.corpus.index.keyword_index import KeywordSnapshot

_RARE_SHARE: Final = 0.001
"""A term that at most this share of the passages hold is rare."""
_FEWEST_RARE: Final = 2
_EXACT_SHARE: Final = 0.01
"""An identifier that more of the passages hold is a word like others."""
_FEWEST_EXACT: Final = 10
FEW_WORDS: Final = 4
MANY_WORDS: Final = 12
_MOST_TERMS: Final = 128
_LONGEST_QUESTION: Final = 4_000

_QUOTE: Final = lazy(r"\"[^\"\n]{2,80}\"|“[^“”]{2,80}”|「[^「」]{2,80}」|『[^『』]{2,80}』|`[^`\n]{2,80}`")
_ASKING: Final = lazy(
    r"[?？]\s*$|\b(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could)\b"
    r"|什么|什麼|谁|誰|哪|几|幾|多少|怎么|怎麼|怎样|为何|為何|为什么|是否|吗|嗎|如何",
    re.IGNORECASE,
)
_DIGIT: Final = lazy(r"\d")


@dataclass(frozen=True, slots=True)
class QueryFeatures:
    """A question in figures."""

    words: int = 0  # its words; Chinese ones are estimated
    terms: int = 0  # its distinct search terms
    digits: float = 0.0  # share of the terms with a digit, 0 to 1
    unknown: float = 0.0  # share of the terms that no passage holds
    rare: float = 0.0  # share of the terms that few passages hold, at most one in a thousand
    exact: tuple[str, ...] = ()  # the identifiers in it that the corpus holds, and few passages do
    identifiers: int = 0  # how many identifiers it has, in the corpus or not
    quoted: bool = False  # whether something in it stands in quotation marks
    asking: bool = False  # whether it is put as a question
    language: Language = "en"  # its language

    @property
    def segment(self) -> str:
        """The kind of question it is, as language:kind. Policies learn for each kind apart."""
        if self.exact:
            kind = "identifier"
        elif self.quoted:
            kind = "quoted"
        elif not self.asking and self.words <= FEW_WORDS:
            kind = "keywords"
        elif self.words >= MANY_WORDS:
            kind = "long"
        else:
            kind = "plain"
        return f"{self.language}:{kind}"


def extract_features(question: str, statistics: KeywordSnapshot) -> QueryFeatures:
    """The features of a question over a corpus; its first 4,000 characters count."""
    question = question[:_LONGEST_QUESTION]
    terms = query_terms(question)[:_MOST_TERMS]
    size = statistics.size
    held = [statistics.frequency(term) for term in terms]
    few = max(_FEWEST_RARE, _RARE_SHARE * size)
    named = identifiers(question)
    return QueryFeatures(
        words=word_count(question),
        terms=len(terms),
        digits=_share_true([bool(_DIGIT.search(term)) for term in terms]),
        unknown=_share_true([count == 0 for count in held]),
        rare=_share_true([0 < count <= few for count in held]),
        exact=find_exact_identifiers(named, statistics),
        identifiers=len(named),
        quoted=bool(_QUOTE.search(question)),
        asking=bool(_ASKING.search(question)),
        language=detect_language(question),
    )


def find_exact_identifiers(named: Sequence[str], statistics: KeywordSnapshot) -> tuple[str, ...]:
    """The identifiers that the corpus holds, in few passages: one in a hundred, or ten, at most."""
    most = max(_FEWEST_EXACT, _EXACT_SHARE * statistics.size)
    return tuple(term for term in named if 0 < statistics.frequency(term) <= most)


def _share_true(found: Sequence[bool]) -> float:
    return round(sum(found) / len(found), 4) if found else 0.0
