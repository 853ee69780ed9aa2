"""The telemetry report of a corpus, from the records alone: shares, times, hits, drift, regret, and live observations.

Drift is the population stability index of a feature, week by week against all weeks before: below 0.1 nothing has
changed, above 0.25 people ask other questions than they used to. Regret is the reciprocal rank of the first cited
passage in the best arm (keyword, vectors or n-grams) minus that in the merged ranking. Only shown passages can be
cited, so the records can reveal a better order, but not a passage that no search found.

A live observation is what a policy may learn, in shadow, from a search: for each arm, the share of the cited passages
among its first five. Only searches with two arms and without bad feedback are used. Citations come from the results of
hybrid search, which therefore has the advantage: only a labelled set can show that another strategy is better.
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
"""The query features whose drift is measured, with the bounds of their bins."""
_FEWEST: Final = 30
"""Minimum number of records in a week, and in the weeks before, for a drift figure."""
_FIRST: Final = 5
"""First passages of each arm that count for an observation."""
_STRATEGIES: Final[dict[str, Strategy]] = {"keyword": "keyword", "vectors": "vector", "grams": "vector"}
"""Strategy of each arm in the records. N-grams take the place of vectors without an embedding model."""

_Record = Mapping[str, Any]
_PassageNumbers = Callable[[set[str]], Mapping[str, set[int]]]
"""Looks up the numbers of passages in the index, by evidence id. Equal texts share an id."""


def summarize_telemetry(folder: Path) -> dict[str, Any]:
    """Summarize the records of a corpus as an object. Blocks.

    Raises:
        CorpusError: The records cannot be read.
    """
    return _summarize_records(list(read_records(folder)), lambda ids: _find_numbers(folder, ids))


def count_feedback(folder: Path, feedback: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count the feedback on answers using a corpus. For each answer the last verdict counts.

    Raises:
        CorpusError: The records cannot be read.
    """
    runs = {record["run"] for record in read_records(folder)}
    said = [good for run, good in last_verdicts(feedback).items() if run in runs]
    return {"good": sum(said), "bad": len(said) - sum(said)}


def _summarize_records(records: Sequence[_Record], numbers: _PassageNumbers = lambda _: {}) -> dict[str, Any]:
    """Summarize the telemetry records of searches.

    Args:
        records: The records, oldest first.
        numbers: Looks up the index numbers of cited passages, for `regret`.
    """
    done = [record for record in records if not record["error"]]
    return {
        "retrievals": len(records),
        "since": _format_time(records[0]["at"]) if records else None,
        "until": _format_time(records[-1]["at"]) if records else None,
        "errors": len(records) - len(done),
        "misses": sum(not item["passages"] for item in done),
        "strategies": _count_shares(item["choice"] for item in done),
        "decided_by": _count_shares(item["by"] for item in done),
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
    """Summarize the candidate strategies of the latest policy, followed or not. None without records."""
    if not records:
        return None
    last = records[-1]
    same = [record for record in records if record["policy"] == last["policy"]]
    agreed = sum(item["candidate"] == item["choice"] for item in same)
    return {
        "version": last["policy"],
        "stage": last["stage"],
        "retrievals": len(same),
        "would_choose": _count_shares(item["candidate"] for item in same),
        "agrees": round(agreed / len(same), 4),
        "flips": _measure_flips(records),
    }


def _measure_flips(records: Sequence[_Record]) -> dict[str, Any] | None:
    """Return how many questions were repeated and how often the policy's choice then differed from the time before.

    None if no question was repeated.
    """
    last: dict[str, str] = {}
    flipped: list[bool] = []
    for record in records:
        if (query := str(record.get("query") or "")) in last:
            flipped.append(last[query] != record["candidate"])
        last[query] = str(record["candidate"])
    return {"asked_again": len(flipped), "share": round(fmean(flipped), 4)} if flipped else None


def _summarize_times(records: Sequence[_Record]) -> dict[str, dict[str, float]]:
    """Return the 50th, 95th and 99th percentile in milliseconds, for each stage and the total."""
    taken: dict[str, list[float]] = defaultdict(list)
    for record in records:
        taken["total"].append(record["seconds"])
        for stage, seconds in record["stages"].items():
            taken[stage].append(seconds)
    percentiles: dict[str, dict[str, float]] = {}
    for stage, seconds in taken.items():
        cuts = quantiles(seconds, n=100, method="inclusive") if len(seconds) > 1 else [seconds[0]] * 99
        percentiles[stage] = {f"p{at}": round(1e3 * cuts[at - 1], 3) for at in (50, 95, 99)}
    return percentiles


def _summarize_segments(records: Sequence[_Record]) -> dict[str, dict[str, Any]]:
    """Return for each kind of question the numbers of searches and labelled searches, and the hit rate.

    The hit rate is the share of the labelled searches with a cited passage. None without labelled searches.
    """
    kinds: dict[str, list[_Record]] = defaultdict(list)
    for record in records:
        kinds[record["segment"]].append(record)
    found = {}
    for kind, those in sorted(kinds.items(), key=lambda pair: -len(pair[1])):
        labels = [bool(item["cited"]) for item in those if item["cited"] is not None]
        hits = round(fmean(labels), 4) if labels else None
        found[kind] = {"retrievals": len(those), "labelled": len(labels), "hit_rate": hits}
    return found


def _measure_drift(records: Sequence[_Record]) -> list[dict[str, Any]]:
    """Measure the stability of each feature per ISO week, compared with all earlier weeks.

    Weeks with too few records are left out.
    """
    weeks: dict[str, list[_Record]] = defaultdict(list)
    for record in records:
        year, week, _ = datetime.fromtimestamp(record["at"], UTC).isocalendar()
        weeks[f"{year}-W{week:02}"].append(record)
    found: list[dict[str, Any]] = []
    before: list[_Record] = []
    for name, those in sorted(weeks.items()):
        if len(before) >= _FEWEST and len(those) >= _FEWEST:
            stability = {
                feature: _measure_stability(
                    [record["features"][feature] for record in before],
                    [record["features"][feature] for record in those],
                    bounds,
                )
                for feature, bounds in DRIFTING.items()
            }
            found.append({"week": name, "retrievals": len(those), **stability})
        before += those
    return found


def _measure_stability(before: Sequence[float], now: Sequence[float], bounds: Sequence[float]) -> float:
    """Return the population stability index of two samples over the bins between `bounds`: 0 for equal samples.

    The more the shares of the bins differ, the higher it is.
    """
    old, new = _share_bins(before, bounds), _share_bins(now, bounds)
    return round(sum((b - a) * log(b / a) for a, b in zip(old, new, strict=True)), 4)


def _share_bins(values: Sequence[float], bounds: Sequence[float]) -> list[float]:
    """Return the share of the values in each bin.

    Bin 0 below the first bound, bin 1 from the first bound on, and so on. No share is 0, because half a value is added
    to each bin.
    """
    counts = Counter(sum(value >= bound for bound in bounds) for value in values)
    bins = len(bounds) + 1
    return [(counts[at] + 0.5) / (len(values) + 0.5 * bins) for at in range(bins)]


def _measure_regret(records: Sequence[_Record], numbers: _PassageNumbers) -> dict[str, Any] | None:
    labelled = [record for record in records if record["cited"]]
    known = numbers({key for item in labelled for key in item["cited"]})
    lost = []
    for entry in labelled:
        wanted = set[int]().union(*(known.get(key, ()) for key in entry["cited"]))
        arms = [_find_reciprocal_rank(passages, wanted) for passages in entry["arms"].values()]
        if wanted and arms:
            lost.append(max(0.0, max(arms) - _find_reciprocal_rank(entry["passages"], set(entry["cited"]))))
    return {"labelled": len(lost), "mean": round(fmean(lost), 4)} if lost else None


def _find_reciprocal_rank(ranked: Sequence[Any], wanted: set[Any]) -> float:
    return next((1 / rank for rank, item in enumerate(ranked, 1) if item in wanted), 0.0)


class _Observation(NamedTuple):
    """Observation of a search, from which a policy may learn."""

    at: float  # time of the search, in seconds since 1970
    segment: str  # kind of question, as `QueryFeatures.segment`
    rewards: dict[Strategy, float]  # share of the cited passages among the first five of each strategy, 0 to 1


def _observe_records(
    records: Sequence[_Record], feedback: Iterable[Mapping[str, Any]], numbers: _PassageNumbers
) -> list[_Observation]:
    """Return what a policy may learn from telemetry records: one observation for each usable search, oldest first.

    Searches are left out if they have a single arm, no citation, bad feedback, or a cited passage no longer in the
    index.
    """
    good = last_verdicts(feedback)
    told = [
        record
        for record in records
        if record["cited"] and len(record["arms"]) > 1 and good.get(record["run"]) is not False
    ]
    known = numbers({key for item in told for key in item["cited"]})
    found = []
    for entry in told:
        cited = [known[key] for key in entry["cited"] if known.get(key)]
        if len(cited) == len(entry["cited"]):
            rewards: dict[Strategy, float] = {
                _STRATEGIES[arm]: sum(bool(those & set(ranked[:_FIRST])) for those in cited) / len(cited)
                for arm, ranked in entry["arms"].items()
                if arm in _STRATEGIES
            }
            rewards["hybrid"] = len(set(entry["cited"]) & set(entry["passages"][:_FIRST])) / len(cited)
            found.append(_Observation(entry["at"], entry["segment"], rewards))
    return found


def learn_from_use(
    policy: RoutingPolicy, folder: Path, feedback: Iterable[Mapping[str, Any]]
) -> tuple[RoutingPolicy, int]:
    """Update a policy from the recorded searches of a corpus since the last update. Blocks.

    Returns:
        The policy, unchanged without observations, and the number of observations it learned from.

    Raises:
        PolicyError: The policy is in service.
        CorpusError: The records cannot be read.
    """
    source = f"use of {folder.name} until "
    learned = max((float(item.removeprefix(source)) for item in policy.sources if item.startswith(source)), default=0.0)
    new = [record for record in read_records(folder) if record["at"] > learned]
    observed = _observe_records(new, feedback, lambda ids: _find_numbers(folder, ids))
    if not observed:
        return policy, 0
    step = PolicyStep(
        what=f"learned from use of {folder.name}", at=time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
    )
    until = max(item.at for item in observed)
    return policy.learn([(item.segment, item.rewards) for item in observed], f"{source}{until!r}", step), len(observed)


def _find_numbers(folder: Path, hashes: Iterable[str]) -> dict[str, set[int]]:
    """Return the passage numbers by evidence id. Passages no longer in the index are missing."""
    found: dict[str, set[int]] = defaultdict(set)
    wanted = json.dumps(sorted(hashes))
    try:
        with closing(Store(folder / STORE)) as store, store.read_transaction() as connection:
            for key, number in connection.execute(
                "SELECT hash, id FROM passages WHERE hash IN (SELECT value FROM json_each(?))", (wanted,)
            ):
                found[key].add(number)
    except (CorpusError, sqlite3.Error):  # without an index, only the regret is missing from the report
        return {}
    return found
