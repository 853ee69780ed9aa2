"""The retrieval router, a policy: π(question, context, history) → a search arm, in one module.

    the question, over the corpus's statistics → `Features`          (`weiwo.tools.corpus.retrieval.query_features`)
    the context: which embedding model, if any → whose `Policy`      (`weiwo.tools.corpus.retrieval.routing_policy`)
    the history: what was learned by evaluation → the policy's weights, apart for each kind of question

A decision is made in three steps, and each says why:

1. The rule. A question with an identifier that the corpus holds (`INC-49217`) is answered by keyword alone. It found as
   much as hybrid search wherever we measured it, and no question is embedded for it.
2. The candidate. Each strategy gets a score from a small table of signals; on top of it comes what was learned. The
   best is what the policy would do with a kind of question that it has seen enough of; with others it keeps the prior.
3. The prior. Measured over MuSiQue and HotpotQA with four kinds of learner, choosing per question lost to
   always-hybrid in 11 of 12 settings. So hybrid search is what is done, and the candidate is only noted, until a policy
   has proved itself on questions it has not learned from; then it gets a share of the questions, then all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from weiwo.tools.corpus.retrieval.query_features import FEW_WORDS, MANY_WORDS, QueryFeatures
from weiwo.tools.corpus.retrieval.routing_policy import PolicyStage, RoutingPolicy
from weiwo.tools.corpus.retrieval.score_fusion import STRATEGIES, Strategy

_ChosenBy = Literal["rule", "prior", "policy", "caller"]

PRIOR: Final[Strategy] = "hybrid"


class _RoutingSignal(NamedTuple):
    """A signal: one reason for a strategy."""

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
    _RoutingSignal("few words, no question", lambda f: not f.asking and f.words <= FEW_WORDS, 0.1, 0.0, 0.0),
    _RoutingSignal("a long question", lambda f: f.asking and min(f.words / MANY_WORDS, 1), -0.05, 0.2, 0.05),
    _RoutingSignal("unknown terms", lambda f: f.unknown, -0.1, 0.2, 0.05),
)
"""Exact wording speaks for keyword search, a question in one's own words for vectors."""


@dataclass(frozen=True, slots=True)
class RoutingDecision:
    """A routing decision, and why it was made."""

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
    """Decide how to search. Equal questions over equal documents under one policy are decided alike.

    Args:
        question: The question.
        features: What it looks like (`weiwo.tools.corpus.retrieval.query_features.extract_features`).
        policy: What was learned so far for the embedding model in use.
        asked: The strategy that the caller wants, if any; it is followed, and the rest noted.
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
    if features.exact:
        return "keyword", "rule", f"the corpus holds {', '.join(features.exact[:3])}: words alone find it"
    if policy.serves(question):
        if not policy.knows(features.segment):
            return PRIOR, "prior", f"policy {policy.version} knows too little of questions like this"
        return candidate, "policy", f"policy {policy.version}, in service ({policy.stage}), scores it best"
    if policy.stage == "trial":
        return PRIOR, "prior", f"this question is not in the share that policy {policy.version} is tried on"
    return PRIOR, "prior", "no policy has proved itself better than always-hybrid"
