"""Live observations: how each arm would have ranked what an answer cited, for a policy to learn from in shadow.

Of an arm the first passages are on record, so an observation is the share of the cited ones among its first `k`. Only
hybrid searches tell of both arms; what a person called bad is evidence of nothing. What is cited was shown, so hybrid
search has the advantage here: this can find an arm as good as it, and a better one only with a labelled set.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from weiwo.tools.corpus.evaluation.telemetry_report import PassageNumbers, find_numbers
from weiwo.tools.corpus.retrieval.feedback import last_verdicts
from weiwo.tools.corpus.retrieval.routing_policy import PolicyStep, RoutingPolicy
from weiwo.tools.corpus.retrieval.search_arms import SearchArm
from weiwo.tools.corpus.retrieval.telemetry import read_records

FIRST: Final = 5
"""Passages of each arm that count."""
_ARMS: Final[dict[str, SearchArm]] = {"keyword": "keyword", "vectors": "vector", "grams": "vector"}


class LiveObservation(NamedTuple):
    """What each arm would have come to on one search.

    Attributes:
        at: When it was made, in seconds since 1970.
        segment: The kind of question.
        rewards: The share of the cited passages among the first of each arm, 0 to 1.
    """

    at: float
    segment: str
    rewards: dict[SearchArm, float]


def observe_records(
    records: Sequence[Mapping[str, Any]], feedback: Iterable[Mapping[str, Any]], numbers: PassageNumbers
) -> list[LiveObservation]:
    """The observations in telemetry records.

    Args:
        records: The records, oldest first.
        feedback: What people said of answers, oldest first.
        numbers: Gives the numbers that passages have in their index, by evidence id.
    """
    good = last_verdicts(feedback)
    told = [one for one in records if one["cited"] and len(one["arms"]) > 1 and good.get(one["run"]) is not False]
    known = numbers({key for one in told for key in one["cited"]})
    found = []
    for one in told:
        cited = [known[key] for key in one["cited"] if known.get(key)]
        if len(cited) == len(one["cited"]):
            rewards: dict[SearchArm, float] = {
                _ARMS[arm]: sum(bool(those & set(ranked[:FIRST])) for those in cited) / len(cited)
                for arm, ranked in one["arms"].items()
                if arm in _ARMS
            }
            rewards["hybrid"] = len(set(one["cited"]) & set(one["passages"][:FIRST])) / len(cited)
            found.append(LiveObservation(one["at"], one["segment"], rewards))
    return found


def learn_from_use(
    policy: RoutingPolicy, folder: Path, feedback: Iterable[Mapping[str, Any]]
) -> tuple[RoutingPolicy, int]:
    """The policy after what it has not learned yet of the searches on a corpus, and from how many; blocks.

    Raises:
        PolicyError: It is in service.
        CorpusError: The records cannot be read.
    """
    source = f"use of {folder.name} until "
    learned = max((float(one.removeprefix(source)) for one in policy.sources if one.startswith(source)), default=0.0)
    new = [one for one in read_records(folder) if one["at"] > learned]
    observed = observe_records(new, feedback, lambda keys: find_numbers(folder, keys))
    if not observed:
        return policy, 0
    step = PolicyStep(
        what=f"learned from use of {folder.name}", at=time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
    )
    until = max(one.at for one in observed)
    return policy.learn([(one.segment, one.rewards) for one in observed], f"{source}{until!r}", step), len(observed)
