"""Retrieval router: chooses hybrid, keyword or vector search for a question.

Its inputs are the features of the question over the corpus's term statistics (`QueryFeatures`), and the `RoutingPolicy`
of the embedding model, whose weights come from evaluation and use, separately for each kind of question.

A decision is made in three steps, and each gives a reason:

1. The rule. A question with an identifier that occurs in a single document (`INC-49217`) is searched by keyword alone,
   without embedding it. If several documents hold it, the other words decide between them, and hybrid search is better.
2. The candidate. Each strategy gets a score from a small table of signals, plus the learned weights. The best strategy
   is the policy's choice for a kind of question that it has seen enough of. For other kinds it keeps the prior.
3. The prior. Measured over MuSiQue and HotpotQA with four kinds of learner, choosing per question lost to
   always-hybrid in 11 of 12 settings. So hybrid search (the prior) is used, and the candidate is only recorded, until a
   policy has proved itself on questions it has not learned from. Then it decides a share of the questions, later all.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from weiwo.state import Language
from weiwo.text.analyzer import identifiers, query_terms
from weiwo.text.language import word_count
from weiwo.text.language_detection import detect_language
from weiwo.text.patterns import lazy
from weiwo.tools.corpus.index.keyword_index import KeywordSnapshot
from weiwo.tools.corpus.retrieval.passage_search import LONGEST_QUERY, MOST_TERMS, find_exact_identifiers
from weiwo.tools.corpus.retrieval.routing_policy import PolicyStage, RoutingPolicy
from weiwo.tools.corpus.retrieval.score_fusion import STRATEGIES, Strategy

_RARE_SHARE: Final = 0.001
"""Share of the passages up to which a term counts as rare."""
_FEWEST_RARE: Final = 2
_FEW_WORDS: Final = 4
_MANY_WORDS: Final = 12

_QUOTE: Final = lazy(r"\"[^\"\n]{2,80}\"|“[^“”]{2,80}”|「[^「」]{2,80}」|『[^『』]{2,80}』|`[^`\n]{2,80}`")
_ASKING: Final = lazy(
    r"[?？]\s*$|\b(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could)\b"
    r"|什么|什麼|谁|誰|哪|几|幾|多少|怎么|怎麼|怎样|为何|為何|为什么|是否|吗|嗎|如何",
    re.IGNORECASE,
)
_DIGIT: Final = lazy(r"\d")


@dataclass(frozen=True, slots=True)
class QueryFeatures:
    """Features of a question over a corpus, the input of routing."""

    words: int = 0  # number of words; estimated for Chinese
    terms: int = 0  # number of distinct search terms
    digits: float = 0.0  # share of the terms with a digit, 0 to 1
    unknown: float = 0.0  # share of the terms found in no passage
    rare: float = 0.0  # share of the terms found in few passages: at most one in a thousand, or two
    exact: tuple[str, ...] = ()  # identifiers of the question found in few passages, but at least one
    one_document: bool = False  # whether all passages with these identifiers are of the same document
    identifiers: int = 0  # number of identifiers, in the corpus or not
    quoted: bool = False  # whether the question has a part in quotation marks
    asking: bool = False  # whether it is worded as a question, not as keywords
    language: Language = "en"

    @property
    def segment(self) -> str:
        """Return language and kind of the question, like `en:keywords`. Policies learn separately for each.

        The kind is `identifier`, `quoted`, `keywords`, `long` or `plain`.
        """
        if self.exact:
            kind = "identifier"
        elif self.quoted:
            kind = "quoted"
        elif not self.asking and self.words <= _FEW_WORDS:
            kind = "keywords"
        elif self.words >= _MANY_WORDS:
            kind = "long"
        else:
            kind = "plain"
        return f"{self.language}:{kind}"

    @property
    def by_words_alone(self) -> bool:
        """Report whether keyword search suffices: the question's rare identifiers occur in a single document."""
        return bool(self.exact) and self.one_document


def extract_features(question: str, statistics: KeywordSnapshot) -> QueryFeatures:
    """Extract the features of a question over a corpus. Only the first 4,000 characters count.

    `one_document` stays False, since the term statistics do not tell documents. `RoutedCorpus` sets it.
    """
    question = question[:LONGEST_QUERY]
    terms = query_terms(question)[:MOST_TERMS]
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


def _share_true(found: Sequence[bool]) -> float:
    return round(sum(found) / len(found), 4) if found else 0.0


_ChosenBy = Literal["rule", "prior", "policy", "caller"]

PRIOR: Final[Strategy] = "hybrid"


class _RoutingSignal(NamedTuple):
    """A hint in a question that favours some strategies."""

    name: str  # name in explanations
    value: Callable[[QueryFeatures], float]  # strength in a question, 0 to 1
    keyword: float  # added to the score of keyword search at full strength
    vector: float  # added to the score of vector search
    hybrid: float  # added to the score of hybrid search


_SIGNALS: Final = (
    _RoutingSignal("to begin with", lambda _: 1.0, 0.2, 0.2, 0.5),
    _RoutingSignal("identifiers", lambda f: min(f.identifiers, 1), 0.35, -0.2, 0.0),
    _RoutingSignal("quotation marks", lambda f: f.quoted, 0.2, 0.0, 0.05),
    _RoutingSignal("rare terms", lambda f: f.rare, 0.2, 0.0, 0.05),
    _RoutingSignal("digits", lambda f: f.digits, 0.1, -0.05, 0.0),
    _RoutingSignal("few words, no question", lambda f: not f.asking and f.words <= _FEW_WORDS, 0.1, 0.0, 0.0),
    _RoutingSignal("a long question", lambda f: f.asking and min(f.words / _MANY_WORDS, 1), -0.05, 0.2, 0.05),
    _RoutingSignal("unknown terms", lambda f: f.unknown, -0.1, 0.2, 0.05),
)
"""Signals with their weight for each strategy. Exact wording favours keyword search, long questions favour vectors."""


@dataclass(frozen=True, slots=True)
class RoutingDecision:
    """A routing decision, with the reason."""

    strategy: Strategy  # the chosen strategy
    # the deciding authority: the rule on identifiers, the prior, a policy in service, or the caller
    by: _ChosenBy
    reason: str  # the reason, in one line
    candidate: Strategy  # the policy's choice, followed only if the policy is in service
    features: QueryFeatures
    heuristic: Mapping[Strategy, float]  # score of each strategy from the signals
    learned: Mapping[Strategy, float]  # the policy's addition to each score
    scores: Mapping[Strategy, float]  # sum of both
    policy: int  # version of the policy; 0 if nothing was learned
    stage: PolicyStage  # trust level of the policy


def _score_strategies(features: QueryFeatures) -> dict[Strategy, float]:
    """Return the score of each strategy: the sum over all signals of weight times strength in the question."""
    weighed = [(float(signal.value(features)), signal) for signal in _SIGNALS]
    return {arm: round(sum(value * getattr(signal, arm) for value, signal in weighed), 4) for arm in STRATEGIES}


def route_query(
    question: str, features: QueryFeatures, policy: RoutingPolicy, asked: Strategy | None = None
) -> RoutingDecision:
    """Choose the search strategy.

    Equal questions over equal documents under one policy are decided alike.

    Args:
        question: The question.
        features: Its features (`extract_features`).
        policy: The policy learned so far for the embedding model in use.
        asked: The strategy that the caller wants, if any. It is used, and the policy's candidate is only recorded.
    """
    heuristic = _score_strategies(features)
    learned = policy.weights(features.segment, heuristic)
    scores = {arm: round(heuristic[arm] + learned[arm], 4) for arm in STRATEGIES}
    candidate = max(STRATEGIES, key=scores.__getitem__) if policy.knows(features.segment) else PRIOR
    strategy, by, reason = _choose_strategy(question, features, policy, candidate, asked)
    return RoutingDecision(
        strategy, by, reason, candidate, features, heuristic, learned, scores, policy.version, policy.stage
    )


def _choose_strategy(
    question: str, features: QueryFeatures, policy: RoutingPolicy, candidate: Strategy, asked: Strategy | None
) -> tuple[Strategy, _ChosenBy, str]:
    if asked is not None:
        return asked, "caller", f"{asked} was asked for"
    if features.by_words_alone:
        return "keyword", "rule", f"one document holds {', '.join(features.exact[:3])}: words alone find it"
    if policy.serves(question):
        if not policy.knows(features.segment):
            return PRIOR, "prior", f"policy {policy.version} knows too little of questions like this"
        return candidate, "policy", f"policy {policy.version}, in service ({policy.stage}), scores it best"
    if policy.stage == "trial":
        return PRIOR, "prior", f"this question is not in the share that policy {policy.version} is tried on"
    return PRIOR, "prior", "no policy has proved itself better than always-hybrid"
