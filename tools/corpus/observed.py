"""What telemetry tells of a corpus: shares, times, hits, drift and regret, from the records alone.

Drift is the population stability index of a feature, week by week against all weeks before: below 0.1 nothing has
changed, above 0.25 people ask something else than they used to. Regret is how much higher up a passage that was cited
would have stood in the best single arm than it did, as a difference of reciprocal ranks: what is cited was shown, so
records can tell of better orders and not of what nobody saw.
"""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from math import log
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any, Final

from tools.corpus.base import CorpusError
from tools.corpus.store import Store
from tools.corpus.telemetry import read
from tools.corpus.writing import STORE

DRIFTING: Final = {
    "words": (3, 5, 8, 12, 20),
    "digits": (0.01, 0.2, 0.5),
    "unknown": (0.01, 0.2, 0.5),
    "rare": (0.01, 0.2, 0.5),
}
"""The features that are watched, with the bounds of their bins."""
FEWEST: Final = 30
"""Records of a week below which its drift is not told."""

Record = Mapping[str, Any]
Numbers = Callable[[set[str]], Mapping[str, set[int]]]


def summary(folder: Path) -> dict[str, Any]:
    """All that the records of a corpus tell, as one object. Blocks.

    Raises:
        CorpusError: They cannot be read.
    """
    return summarized(list(read(folder)), lambda hashes: _numbers(folder, hashes))


def summarized(records: Sequence[Record], numbers: Numbers = lambda _: {}) -> dict[str, Any]:
    """All that some records tell.

    Args:
        records: The records, oldest first.
        numbers: Gives the numbers that passages have in their index, by evidence id.
    """
    done = [one for one in records if not one["error"]]
    return {
        "retrievals": len(records),
        "since": _iso(records[0]["at"]) if records else None,
        "until": _iso(records[-1]["at"]) if records else None,
        "errors": len(records) - len(done),
        "misses": sum(not one["passages"] for one in done),
        "strategies": _shares(one["choice"] for one in done),
        "decided_by": _shares(one["by"] for one in done),
        "policy": _policy(records),
        "milliseconds": _times(done),
        "segments": _segments(done),
        "drift": _drift(records),
        "regret": _regret(done, numbers),
    }


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _shares(values: Iterable[str]) -> dict[str, float]:
    counted = Counter(values)
    return {value: round(count / counted.total(), 4) for value, count in counted.most_common()}


def _policy(records: Sequence[Record]) -> dict[str, Any] | None:
    """What the latest policy did or would have done."""
    if not records:
        return None
    last = records[-1]
    same = [one for one in records if one["policy"] == last["policy"]]
    agreed = sum(one["candidate"] == one["choice"] for one in same)
    return {
        "version": last["policy"],
        "stage": last["stage"],
        "retrievals": len(same),
        "would_choose": _shares(one["candidate"] for one in same),
        "agrees": round(agreed / len(same), 4),
    }


def _times(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    """p50 and p95 of each stage, and of the whole."""
    taken: dict[str, list[float]] = defaultdict(list)
    for one in records:
        taken["total"].append(one["seconds"])
        for stage, seconds in one["stages"].items():
            taken[stage].append(seconds)
    return {stage: _percentiles(seconds) for stage, seconds in taken.items()}


def _percentiles(seconds: Sequence[float]) -> dict[str, float]:
    cuts = quantiles(seconds, n=100, method="inclusive") if len(seconds) > 1 else [seconds[0]] * 99
    return {"p50": round(1e3 * cuts[49], 3), "p95": round(1e3 * cuts[94], 3)}


def _segments(records: Sequence[Record]) -> dict[str, dict[str, Any]]:
    """By kind of question: how many, how many of them an answer has labelled, and the share of those that it cites."""
    kinds: dict[str, list[Record]] = defaultdict(list)
    for one in records:
        kinds[one["segment"]].append(one)
    found = {}
    for kind, those in sorted(kinds.items(), key=lambda pair: -len(pair[1])):
        labels = [bool(one["cited"]) for one in those if one["cited"] is not None]
        hits = round(fmean(labels), 4) if labels else None
        found[kind] = {"retrievals": len(those), "labelled": len(labels), "hit_rate": hits}
    return found


def _drift(records: Sequence[Record]) -> list[dict[str, Any]]:
    """The stability of each feature, for each ISO week with enough records, against those before it."""
    weeks: dict[str, list[Record]] = defaultdict(list)
    for one in records:
        year, week, _ = datetime.fromtimestamp(one["at"], UTC).isocalendar()
        weeks[f"{year}-W{week:02}"].append(one)
    found: list[dict[str, Any]] = []
    before: list[Record] = []
    for name, those in sorted(weeks.items()):
        if len(before) >= FEWEST and len(those) >= FEWEST:
            found.append({"week": name, "retrievals": len(those), **_moved(before, those)})
        before += those
    return found


def _moved(before: Sequence[Record], now: Sequence[Record]) -> dict[str, float]:
    return {
        name: stability([one["features"][name] for one in before], [one["features"][name] for one in now], bounds)
        for name, bounds in DRIFTING.items()
    }


def stability(before: Sequence[float], now: Sequence[float], bounds: Sequence[float]) -> float:
    """The population stability index of two samples over bins; 0 where they are alike."""
    old, new = _binned(before, bounds), _binned(now, bounds)
    return round(sum((b - a) * log(b / a) for a, b in zip(old, new, strict=True)), 4)


def _binned(values: Sequence[float], bounds: Sequence[float]) -> list[float]:
    """The share of the values in each bin, none of them 0: half a value is added to each."""
    counts = Counter(sum(value >= bound for bound in bounds) for value in values)
    bins = len(bounds) + 1
    return [(counts[at] + 0.5) / (len(values) + 0.5 * bins) for at in range(bins)]


def _regret(records: Sequence[Record], numbers: Numbers) -> dict[str, Any] | None:
    labelled = [one for one in records if one["cited"]]
    known = numbers({key for one in labelled for key in one["cited"]})
    lost = []
    for one in labelled:
        wanted = set[int]().union(*(known.get(key, ()) for key in one["cited"]))
        arms = [_reciprocal(passages, wanted) for passages in one["arms"].values()]
        if wanted and arms:
            lost.append(max(0.0, max(arms) - _reciprocal(one["passages"], set(one["cited"]))))
    return {"labelled": len(lost), "mean": round(fmean(lost), 4)} if lost else None


def _reciprocal(ranked: Sequence[Any], wanted: set[Any]) -> float:
    return next((1 / rank for rank, one in enumerate(ranked, 1) if one in wanted), 0.0)


def _numbers(folder: Path, hashes: Iterable[str]) -> dict[str, set[int]]:
    """The numbers of passages by evidence id, as far as the index still has them."""
    found: dict[str, set[int]] = defaultdict(set)
    wanted = json.dumps(sorted(hashes))
    try:
        with closing(Store(folder / STORE)) as store, store.reading() as connection:
            for key, number in connection.execute(
                "SELECT hash, id FROM passages WHERE hash IN (SELECT value FROM json_each(?))", (wanted,)
            ):
                found[key].add(number)
    except (CorpusError, sqlite3.Error):  # without an index there is no regret to tell, and all else there is
        return {}
    return found
