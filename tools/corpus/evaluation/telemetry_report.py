"""The telemetry report of a corpus, from the records alone: shares, times, hits, drift, regret, and live observations.

Drift is the population stability index of a feature, week by week against all weeks before: below 0.1 nothing has
changed, above 0.25 people ask something else than they used to. Regret is how much higher up a passage that was cited
would have stood in the best single arm than it did, as a difference of reciprocal ranks: what is cited was shown, so
records can tell of better orders and not of what nobody saw.

A live observation is what a policy may learn, in shadow, from one search: of each arm the share of the cited passages
among its first five. Only searches with two arms tell of both, and what a person called bad is evidence of nothing.
Hybrid search has the advantage here: an arm can be found as good as it, and a better one only with a labelled set.
"""

import json
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from math import log
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any, Final, NamedTuple

from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.store import STORE, Store
from weiwo.tools.corpus.retrieval.feedback import last_verdicts
from weiwo.tools.corpus.retrieval.routing_policy import PolicyStep, RoutingPolicy
from weiwo.tools.corpus.retrieval.score_fusion import Strategy
from weiwo.tools.corpus.retrieval.telemetry import read_records

DRIFTING: Final = {
    "words": (3, 5, 8, 12, 20),
    "digits": (0.01, 0.2, 0.5),
    "unknown": (0.01, 0.2, 0.5),
    "rare": (0.01, 0.2, 0.5),
}
"""The features that are watched, with the bounds of their bins."""
_FEWEST: Final = 30
"""Records of a week below which its drift is not told."""
_FIRST: Final = 5
"""Passages of each arm that count for an observation."""
_STRATEGIES: Final[dict[str, Strategy]] = {"keyword": "keyword", "vectors": "vector", "grams": "vector"}
"""The strategy that an arm on record stands for."""

_Record = Mapping[str, Any]
_PassageNumbers = Callable[[set[str]], Mapping[str, set[int]]]
"""Gives the numbers that passages have in their index, by evidence id."""


def summarize_telemetry(folder: Path) -> dict[str, Any]:
    """All that the records of a corpus tell, as one object. Blocks.

    Raises:
        CorpusError: They cannot be read.
    """
    return _summarize_records(list(read_records(folder)), lambda ids: _find_numbers(folder, ids))


def count_feedback(folder: Path, feedback: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count what was said of the answers that a corpus was searched for; of each, the last word.

    Raises:
        CorpusError: The records cannot be read.
    """
    runs = {record["run"] for record in read_records(folder)}
    said = [good for run, good in last_verdicts(feedback).items() if run in runs]
    return {"good": sum(said), "bad": len(said) - sum(said)}


def _summarize_records(records: Sequence[_Record], numbers: _PassageNumbers = lambda _: {}) -> dict[str, Any]:
    """All that some records tell, oldest first."""
    done = [one for one in records if not one["error"]]
    return {
        "retrievals": len(records),
        "since": _format_time(records[0]["at"]) if records else None,
        "until": _format_time(records[-1]["at"]) if records else None,
        "errors": len(records) - len(done),
        "misses": sum(not one["passages"] for one in done),
        "strategies": _count_shares(one["choice"] for one in done),
        "decided_by": _count_shares(one["by"] for one in done),
        "policy": _summarize_policy(records),
        "milliseconds": _summarize_times(done),
        "segments": _summarize_segments(done),
        "drift": _measure_drift(records),
        "regret": _measure_regret(done, numbers),
    }


def _format_time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _count_shares(values: Iterable[str]) -> dict[str, float]:
    counted = Counter(values)
    return {value: round(count / counted.total(), 4) for value, count in counted.most_common()}


def _summarize_policy(records: Sequence[_Record]) -> dict[str, Any] | None:
    """The choices that the latest policy made or would have made."""
    if not records:
        return None
    last = records[-1]
    same = [one for one in records if one["policy"] == last["policy"]]
    agreed = sum(one["candidate"] == one["choice"] for one in same)
    return {
        "version": last["policy"],
        "stage": last["stage"],
        "retrievals": len(same),
        "would_choose": _count_shares(one["candidate"] for one in same),
        "agrees": round(agreed / len(same), 4),
        "flips": _measure_flips(records),
    }


def _measure_flips(records: Sequence[_Record]) -> dict[str, Any] | None:
    """How often the candidate for a question that was asked before is another than the last time; None without one."""
    last: dict[str, str] = {}
    flipped: list[bool] = []
    for one in records:
        if (query := str(one.get("query") or "")) in last:
            flipped.append(last[query] != one["candidate"])
        last[query] = str(one["candidate"])
    return {"asked_again": len(flipped), "share": round(fmean(flipped), 4)} if flipped else None


def _summarize_times(records: Sequence[_Record]) -> dict[str, dict[str, float]]:
    """p50, p95 and p99 of each stage, and of the whole."""
    taken: dict[str, list[float]] = defaultdict(list)
    for one in records:
        taken["total"].append(one["seconds"])
        for stage, seconds in one["stages"].items():
            taken[stage].append(seconds)
    return {stage: _find_percentiles(seconds) for stage, seconds in taken.items()}


def _find_percentiles(seconds: Sequence[float]) -> dict[str, float]:
    cuts = quantiles(seconds, n=100, method="inclusive") if len(seconds) > 1 else [seconds[0]] * 99
    return {f"p{at}": round(1e3 * cuts[at - 1], 3) for at in (50, 95, 99)}


def _summarize_segments(records: Sequence[_Record]) -> dict[str, dict[str, Any]]:
    """By kind of question: how many, how many of them an answer has labelled, and the share of those that it cites."""
    kinds: dict[str, list[_Record]] = defaultdict(list)
    for one in records:
        kinds[one["segment"]].append(one)
    found = {}
    for kind, those in sorted(kinds.items(), key=lambda pair: -len(pair[1])):
        labels = [bool(one["cited"]) for one in those if one["cited"] is not None]
        hits = round(fmean(labels), 4) if labels else None
        found[kind] = {"retrievals": len(those), "labelled": len(labels), "hit_rate": hits}
    return found


def _measure_drift(records: Sequence[_Record]) -> list[dict[str, Any]]:
    """The stability of each feature, for each ISO week with enough records, against those before it."""
    weeks: dict[str, list[_Record]] = defaultdict(list)
    for one in records:
        year, week, _ = datetime.fromtimestamp(one["at"], UTC).isocalendar()
        weeks[f"{year}-W{week:02}"].append(one)
    found: list[dict[str, Any]] = []
    before: list[_Record] = []
    for name, those in sorted(weeks.items()):
        if len(before) >= _FEWEST and len(those) >= _FEWEST:
            found.append({"week": name, "retrievals": len(those), **_compare_features(before, those)})
        before += those
    return found


def _compare_features(before: Sequence[_Record], now: Sequence[_Record]) -> dict[str, float]:
    return {
        name: _measure_stability(
            [one["features"][name] for one in before], [one["features"][name] for one in now], bounds
        )
        for name, bounds in DRIFTING.items()
    }


def _measure_stability(before: Sequence[float], now: Sequence[float], bounds: Sequence[float]) -> float:
    """The population stability index of two samples over bins; 0 where they are alike."""
    old, new = _share_bins(before, bounds), _share_bins(now, bounds)
    return round(sum((b - a) * log(b / a) for a, b in zip(old, new, strict=True)), 4)


def _share_bins(values: Sequence[float], bounds: Sequence[float]) -> list[float]:
    """The share of the values in each bin, none of them 0: half a value is added to each."""
    counts = Counter(sum(value >= bound for bound in bounds) for value in values)
    bins = len(bounds) + 1
    return [(counts[at] + 0.5) / (len(values) + 0.5 * bins) for at in range(bins)]


def _measure_regret(records: Sequence[_Record], numbers: _PassageNumbers) -> dict[str, Any] | None:
    labelled = [one for one in records if one["cited"]]
    known = numbers({key for one in labelled for key in one["cited"]})
    lost = []
    for one in labelled:
        wanted = set[int]().union(*(known.get(key, ()) for key in one["cited"]))
        arms = [_find_reciprocal_rank(passages, wanted) for passages in one["arms"].values()]
        if wanted and arms:
            lost.append(max(0.0, max(arms) - _find_reciprocal_rank(one["passages"], set(one["cited"]))))
    return {"labelled": len(lost), "mean": round(fmean(lost), 4)} if lost else None


def _find_reciprocal_rank(ranked: Sequence[Any], wanted: set[Any]) -> float:
    return next((1 / rank for rank, one in enumerate(ranked, 1) if one in wanted), 0.0)


class _Observation(NamedTuple):
    """When a search was made, the kind of its question, and of each arm the share of cited passages among its first."""

    at: float
    segment: str
    rewards: dict[Strategy, float]


def _observe_records(
    records: Sequence[_Record], feedback: Iterable[Mapping[str, Any]], numbers: _PassageNumbers
) -> list[_Observation]:
    """The observations in telemetry records, oldest first."""
    good = last_verdicts(feedback)
    told = [one for one in records if one["cited"] and len(one["arms"]) > 1 and good.get(one["run"]) is not False]
    known = numbers({key for one in told for key in one["cited"]})
    found = []
    for one in told:
        cited = [known[key] for key in one["cited"] if known.get(key)]
        if len(cited) == len(one["cited"]):
            rewards: dict[Strategy, float] = {
                _STRATEGIES[arm]: sum(bool(those & set(ranked[:_FIRST])) for those in cited) / len(cited)
                for arm, ranked in one["arms"].items()
                if arm in _STRATEGIES
            }
            rewards["hybrid"] = len(set(one["cited"]) & set(one["passages"][:_FIRST])) / len(cited)
            found.append(_Observation(one["at"], one["segment"], rewards))
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
    observed = _observe_records(new, feedback, lambda ids: _find_numbers(folder, ids))
    if not observed:
        return policy, 0
    step = PolicyStep(
        what=f"learned from use of {folder.name}", at=time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
    )
    until = max(one.at for one in observed)
    return policy.learn([(one.segment, one.rewards) for one in observed], f"{source}{until!r}", step), len(observed)


def _find_numbers(folder: Path, hashes: Iterable[str]) -> dict[str, set[int]]:
    """The numbers of passages by evidence id, as far as the index still has them."""
    found: dict[str, set[int]] = defaultdict(set)
    wanted = json.dumps(sorted(hashes))
    try:
        with closing(Store(folder / STORE)) as store, store.read_transaction() as connection:
            for key, number in connection.execute(
                "SELECT hash, id FROM passages WHERE hash IN (SELECT value FROM json_each(?))", (wanted,)
            ):
                found[key].add(number)
    except (CorpusError, sqlite3.Error):  # without an index there is no regret to tell, and all else there is
        return {}
    return found
