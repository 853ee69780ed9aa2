"""Retrieval router, a policy: π(question, context, history) → a search arm, in a single module.

    the question, over the corpus's statistics → `QueryFeatures`     (`extract_features`)
    the context: the embedding model, if any → its `RoutingPolicy`   (`weiwo.tools.corpus.retrieval.routing_policy`)
    the history: results of evaluation → the policy's weights, separate for each kind of question

A decision is made in three steps, and each gives a reason:

1. The rule. A question with an identifier that one document holds (`INC-49217`) is answered by keyword alone, and not
   embedded for it. Where several documents hold it the other words decide between them, and hybrid search is better.
2. The candidate. Each strategy gets a score from a small table of signals, plus the learned weights. The best strategy
   is the policy's choice for a kind of question that it has seen enough of. For other kinds it keeps the prior.
3. The prior. Measured over MuSiQue and HotpotQA with four kinds of learner, choosing per question lost to
   always-hybrid in 11 of 12 settings. So hybrid search is used, and the candidate is only recorded, until a policy
   has proved itself on questions it has not learned from. Then it gets a share of the questions, then all.
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
"""A term that at most this share of the passages hold is rare."""
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
    """A question in figures."""

    words: int = 0  # its words; Chinese ones are estimated
    terms: int = 0  # its distinct search terms
    digits: float = 0.0  # share of the terms with a digit, 0 to 1
    unknown: float = 0.0  # share of the terms that no passage holds
    rare: float = 0.0  # share of the terms that few passages hold, at most one in a thousand
    exact: tuple[str, ...] = ()  # the identifiers in it that the corpus holds, and few passages do
    one_document: bool = False  # whether a single document holds these
    identifiers: int = 0  # how many identifiers it has, in the corpus or not
    quoted: bool = False  # whether something in it stands in quotation marks
    asking: bool = False  # whether it is put as a question
    language: Language = "en"  # its language

    @property
    def segment(self) -> str:
        """Return the kind of question, as language:kind. Policies learn separately for each kind."""
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
        """Report whether keyword search suffices: an identifier of the question stands in a single document."""
        return bool(self.exact) and self.one_document


def extract_features(question: str, statistics: KeywordSnapshot) -> QueryFeatures:
    """Extract the features of a question over a corpus. Only the first 4,000 characters count."""
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
    """A signal: a reason for a strategy."""

    name: str  # what it is called in explanations
    value: Callable[[QueryFeatures], float]  # how strong it is in a question, 0 to 1
    keyword: float  # what it adds to the score of keyword search at full strength
    vector: float  # what it adds to that of vector search
    hybrid: float  # what it adds to that of hybrid search


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
"""Exact wording speaks for keyword search, a question in one's own words for vectors."""


@dataclass(frozen=True, slots=True)
class RoutingDecision:
    """A routing decision, with the reason."""

    strategy: Strategy  # what is done
    # who decided: the rule on identifiers, the prior, a policy in service, or the caller, who asked for it
    by: _ChosenBy
    reason: str  # why, in one line
    candidate: Strategy  # what the policy would do; noted only, unless it is in service
    features: QueryFeatures  # what the question looks like
    heuristic: Mapping[Strategy, float]  # the score of each strategy from the signals
    learned: Mapping[Strategy, float]  # what the policy adds to each
    scores: Mapping[Strategy, float]  # both together
    policy: int  # the policy's version; 0 where nothing was learned
    stage: PolicyStage  # how far the policy is trusted


def _score_strategies(features: QueryFeatures) -> dict[Strategy, float]:
    """The score of each strategy from the signals."""
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
        asked: The strategy that the caller wants, if any. It is followed, and the rest is recorded.
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
