"""Summary of an evaluation: rates, spending and bootstrap intervals by system, level and hops.

The summary measures how far confidence can be trusted: Brier score, expected calibration error and the reliability
table. Values are those of the final tasks, compared with the known answer. An answer has the lowest confidence of the
values it rests on. Extracts have their own confidence, compared with whether they hold the answer.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, Final

from weiwo.tools.corpus.evaluation.metrics import bootstrap_interval

_Row = Mapping[str, Any]
RATES: Final = (
    "right",
    "f1",
    "wrong_asserted",
    "wrong_doubtful",
    "on_screen",
    "in_bold",
    "gold_cited",
    "citation_precision",
)
MEANS: Final = ("calls", "tool_calls", "input_tokens", "output_tokens", "cost")
FACT_RATES: Final = ("facts", "claims_hold", "citation_accuracy")
"""Rates of open questions alone."""
FACT_MEANS: Final = ("stale", "effective_citations", "words")
_BINS: Final = 10
_SECTIONED: Final = ("right", "wrong_asserted", "on_screen", "calls", "input_tokens")


def summarize(dataset: str, rows: Iterable[_Row]) -> dict[str, Any]:
    """Summarize rows of results.

    Args:
        dataset: The set's name.
        rows: A row per question and system. Of several rows for the same question and system, the last counts.

    Returns:
        `dataset`, `n` and `systems`. For each system by name: the rates (0 to 1, None if they apply to no question),
        means per question, seconds, the reliability of confidence, 95 % intervals (seeded, so the same for the same
        rows), and the same by level and hops. Open questions also have facts, stale values and citations. `differences`
        compares Weiwo with each other system, paired by question.
    """
    by_system: dict[str, dict[str, _Row]] = defaultdict(dict)
    for row in rows:
        by_system[row["system"]][row["question"]] = row
    levels = {key: row.get("level") or "unknown" for key, row in by_system.get("weiwo", {}).items()}
    systems = {name: _summarize_system(list(those.values()), levels) for name, those in by_system.items()}
    asked = {key for those in by_system.values() for key in those}
    return {
        "dataset": dataset,
        "n": len(asked),
        "systems": systems,
        "differences": {
            name: _compare(by_system["weiwo"], those)
            for name, those in by_system.items()
            if name != "weiwo" and "weiwo" in by_system
        },
    }


def count_right(rows: Iterable[_Row]) -> dict[str, int]:
    """Return the number of correct answers of each system. Of several rows for a question, the last counts."""
    latest = {(row["system"], row["question"]): bool(row["right"]) for row in rows}
    right: Counter[str] = Counter({system: 0 for system, _ in latest})
    right.update(system for (system, _), told in latest.items() if told)
    return dict(right)


def _measure_reliability(pairs: Sequence[tuple[float, bool]]) -> dict[str, Any] | None:
    """Return Brier score, expected calibration error and reliability table, or None without pairs.

    Args:
        pairs: A confidence, and whether the statement made with it is right.

    Returns:
        `n`, the mean `confidence`, the share that is `right`, `brier`, `ece` (weighted by the size of the bins) and
        `table`: the bins of equal width that are not empty, with `from`, `to`, `n`, `confidence` and `right`.
    """
    if not pairs:
        return None
    bins: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in pairs:
        bins.setdefault(min(int(confidence * _BINS), _BINS - 1), []).append((confidence, right))
    table = [
        {"from": at / _BINS, "to": (at + 1) / _BINS, "n": len(those), **_means(those)}
        for at, those in sorted(bins.items())
    ]
    error = sum(item["n"] * abs(item["confidence"] - item["right"]) for item in table) / len(pairs)
    brier = fmean((confidence - right) ** 2 for confidence, right in pairs)
    return {"n": len(pairs), **_means(pairs), "brier": round(brier, 4), "ece": round(error, 4), "table": table}


def _measure_rows(rows: Iterable[_Row]) -> dict[str, Any]:
    """Return the reliability of the values, answers and extracts of rows.

    The result is empty if no row has a confidence.
    """
    rows = list(rows)
    values = [
        (value["confidence"], bool(value["right"]))
        for row in rows
        for value in row.get("values") or ()
        if value["right"] is not None
    ]
    answers = [
        (min(item["confidence"] for item in row["values"]), bool(row["right"]))
        for row in rows
        if row.get("values") and row["outcome"] != "abstained"
    ]
    extracts = [
        (row["confidence"], row["on_screen"])
        for row in rows
        if row.get("confidence") is not None and row["on_screen"] is not None
    ]
    pairs = {"values": values, "answers": answers, "extracts": extracts}
    found = {name: _measure_reliability(those) for name, those in pairs.items()}
    return {name: value for name, value in found.items() if value is not None}


def _find_percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile: of 1, 2, 3 and 4, the share 0.5 gives 2. Returns 0 for an empty sequence."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 100) * len(ordered) // 100) - 1)] if ordered else 0.0


def _summarize_system(rows: Sequence[_Row], levels: Mapping[str, str]) -> dict[str, Any]:
    verdicts: Counter[str] = Counter()
    for row in rows:
        verdicts.update(row["verdicts"])
    facts = any("facts" in row for row in rows)
    rates, means = ((*RATES, *FACT_RATES), (*MEANS, *FACT_MEANS)) if facts else (RATES, MEANS)
    found: dict[str, Any] = {name: _mean(rows, name) for name in (*rates, *means)}
    seconds = [row["seconds"] for row in rows]
    found |= {
        "seconds_p50": round(_find_percentile(seconds, 0.5), 3),
        "seconds_p95": round(_find_percentile(seconds, 0.95), 3),
        "n": len(rows),
        "outcomes": dict(Counter(row["outcome"] for row in rows)),
        "errors": sum(bool(row["error"]) for row in rows),
        "claims": dict(verdicts),
        "calibration": _measure_rows(rows),
        "intervals": {
            name: [round(bound, 4) for bound in bootstrap_interval(_values(rows, name))]
            for name in rates
            if found[name] is not None
        },
        "by_level": _section(rows, lambda row: levels.get(row["question"]) or row.get("level") or "unknown"),
        "by_hops": _section(rows, lambda row: str(row["hops"]) if row["hops"] else ""),
    }
    if any(row.get("judged") is not None for row in rows):
        graded = [{"judged": bool(row["right"] or row.get("judged"))} for row in rows]
        found["right_judged"] = _mean(graded, "judged")
    return found


def _values(rows: Iterable[_Row], name: str) -> list[float]:
    return [float(row[name]) for row in rows if row.get(name) is not None]


def _mean(rows: Iterable[_Row], name: str) -> float | None:
    """Return the mean of a figure over the rows that have it, or None if no row does."""
    values = _values(rows, name)
    return round(fmean(values), 4) if values else None


def _section(rows: Iterable[_Row], key: Callable[[_Row], str]) -> dict[str, dict[str, Any]]:
    parts: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        if name := key(row):
            parts[name].append(row)
    return {
        name: {"n": len(those), **{figure: _mean(those, figure) for figure in _SECTIONED}}
        for name, those in sorted(parts.items())
    }


def _compare(ours: Mapping[str, _Row], others: Mapping[str, _Row]) -> dict[str, dict[str, Any]]:
    """Return the mean difference of each rate and its 95 % interval, ours minus the other system's, paired by question.

    A rate is left out if no question has it for both systems.
    """
    found = {}
    for name in RATES:
        pairs = [(ours[key][name], others[key][name]) for key in ours if key in others]
        differences = [float(a) - float(b) for a, b in pairs if a is not None and b is not None]
        if differences:
            low, high = bootstrap_interval(differences)
            found[name] = {"mean": round(fmean(differences), 4), "low": round(low, 4), "high": round(high, 4)}
    return found


def _means(pairs: Sequence[tuple[float, bool]]) -> dict[str, float]:
    confidence = fmean(confidence for confidence, _ in pairs)
    return {"confidence": round(confidence, 4), "right": round(fmean(right for _, right in pairs), 4)}
