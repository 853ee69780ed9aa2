"""The summary of an evaluation: rates, spending and bootstrap intervals by system, level and number of hops."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, Final

from weiwo.app.evaluation.calibration import measure_rows
from weiwo.tools.corpus.evaluation.metrics import bootstrap_interval

Row = Mapping[str, Any]
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
_SECTIONED: Final = ("right", "wrong_asserted", "on_screen", "calls", "input_tokens")


def summarize(dataset: str, rows: Iterable[Row]) -> dict[str, Any]:
    """Summarize rows of results.

    Args:
        dataset: The set's name.
        rows: One a question and system; of two for the same, the last counts.

    Returns:
        `dataset`, `n` and `systems`: by name the rates (0 to 1, None where no question tells), means a question,
        seconds, how reliable confidence is, 95 % intervals (seeded, so the same for the same rows), and the same by
        level and hops. `differences` are those of Weiwo to each other system, paired by question.
    """
    by_system: dict[str, dict[str, Row]] = defaultdict(dict)
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


def count_right(rows: Iterable[Row]) -> dict[str, int]:
    """How many questions each system has right."""
    latest = {(row["system"], row["question"]): bool(row["right"]) for row in rows}
    right: Counter[str] = Counter({system: 0 for system, _ in latest})
    right.update(system for (system, _), told in latest.items() if told)
    return dict(right)


def summarize_runs(rows: Sequence[Row]) -> dict[str, Any]:
    """How long some runs took, how many there are, how they ended, and how many failed."""
    seconds = [row["seconds"] for row in rows]
    return {
        "seconds_p50": round(find_percentile(seconds, 0.5), 3),
        "seconds_p95": round(find_percentile(seconds, 0.95), 3),
        "n": len(rows),
        "outcomes": dict(Counter(row["outcome"] for row in rows)),
        "errors": sum(bool(row["error"]) for row in rows),
    }


def find_percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile; 0 of none."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 100) * len(ordered) // 100) - 1)] if ordered else 0.0


def _summarize_system(rows: Sequence[Row], levels: Mapping[str, str]) -> dict[str, Any]:
    verdicts: Counter[str] = Counter()
    for row in rows:
        verdicts.update(row["verdicts"])
    found: dict[str, Any] = {name: _mean(rows, name) for name in (*RATES, *MEANS)}
    found |= summarize_runs(rows) | {
        "claims": dict(verdicts),
        "calibration": measure_rows(rows),
        "intervals": {name: _interval(rows, name) for name in RATES if found[name] is not None},
        "by_level": _section(rows, lambda row: levels.get(row["question"], "unknown")),
        "by_hops": _section(rows, lambda row: str(row["hops"]) if row["hops"] else ""),
    }
    if any(row.get("judged") is not None for row in rows):
        graded = [{"judged": bool(row["right"] or row.get("judged"))} for row in rows]
        found["right_judged"] = _mean(graded, "judged")
    return found


def _values(rows: Iterable[Row], name: str) -> list[float]:
    return [float(row[name]) for row in rows if row[name] is not None]


def _mean(rows: Iterable[Row], name: str) -> float | None:
    """The mean of a figure over the questions that have it."""
    values = _values(rows, name)
    return round(fmean(values), 4) if values else None


def _interval(rows: Iterable[Row], name: str) -> list[float]:
    return [round(bound, 4) for bound in bootstrap_interval(_values(rows, name))]


def _section(rows: Iterable[Row], key: Callable[[Row], str]) -> dict[str, dict[str, Any]]:
    parts: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if name := key(row):
            parts[name].append(row)
    return {
        name: {"n": len(those), **{figure: _mean(those, figure) for figure in _SECTIONED}}
        for name, those in sorted(parts.items())
    }


def _compare(ours: Mapping[str, Row], others: Mapping[str, Row]) -> dict[str, dict[str, Any]]:
    """The differences of the rates, paired by question."""
    found = {}
    for name in RATES:
        pairs = [(ours[key][name], others[key][name]) for key in ours if key in others]
        differences = [float(a) - float(b) for a, b in pairs if a is not None and b is not None]
        if differences:
            low, high = bootstrap_interval(differences)
            found[name] = {"mean": round(fmean(differences), 4), "low": round(low, 4), "high": round(high, 4)}
    return found
