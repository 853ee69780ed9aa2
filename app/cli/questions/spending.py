"""The spending log: what each answer took, kept on this machine in `spending.jsonl`, as telemetry is.

It holds no question: a day, a status, a depth, and by model the calls, tokens and dollars.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, Final

from weiwo.state.settings import Settings
from weiwo.tools.bounded_log import append_record, read_records
from weiwo.tools.private_files import make_private_folder

FILE: Final = "spending.jsonl"
LEAST_KNOWN: Final = 3
"""Answers from which what the next one takes is told by those before."""
ASSUMED: Final = (250_000, 20_000)
"""Input and output tokens of a deep search of which nothing is known yet."""


def record_spending(result: Mapping[str, Any], settings: Settings) -> None:
    """Note what an answer took; nothing where telemetry is off or no model answered. What cannot be kept is not."""
    calls = (result.get("usage") or {}).get("calls") or []
    if not settings.telemetry or not any(call["input_tokens"] or call["output_tokens"] for call in calls):
        return
    from weiwo.models.prices import cost_of, price_of  # noqa: PLC0415 - heavy

    models: dict[str, dict[str, float]] = defaultdict(lambda: {"calls": 0, "input": 0, "output": 0, "cost": 0.0})
    for call in calls:
        spent = models[call["model"]]
        spent["calls"] += call["mode"] != "not_sent"
        spent["input"] += call["input_tokens"]
        spent["output"] += call["output_tokens"]
        spent["cost"] += cost_of(price_of(settings, call["model"]), call["input_tokens"], call["output_tokens"])
    row = {"at": time.time(), "status": result.get("status"), "depth": settings.depth, "models": models}
    with suppress(OSError):
        make_private_folder(Path(settings.home))
    append_record(Path(settings.home) / FILE, row)


def read_spending(home: Path) -> list[dict[str, Any]]:
    """The rows of the log, oldest first; those that are not whole are left out."""
    return [row for row in read_records(home / FILE) if _is_whole(row)]


def _is_whole(row: Mapping[str, Any]) -> bool:
    with suppress(ValueError, TypeError, KeyError, AttributeError):
        float(row["at"])
        return bool(
            [float(one[name]) for one in row["models"].values() for name in ("calls", "input", "output", "cost")]
        )
    return False


def summarize_spending(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Totals by day and by model, and the cost of a complete answer: all dollars over the answers that are complete."""
    days: dict[str, dict[str, float]] = defaultdict(_zero)
    models: dict[str, dict[str, float]] = defaultdict(_zero)
    for row in rows:
        day = datetime.fromtimestamp(row["at"], UTC).date().isoformat()
        days[day]["answers"] += 1
        for name, spent in row["models"].items():
            models[name]["answers"] += 1
            for total in (days[day], models[name]):
                for key in ("calls", "input", "output", "cost"):
                    total[key] = round(total[key] + spent[key], 6)
    complete = sum(row["status"] == "complete" for row in rows)
    cost = sum(total["cost"] for total in days.values())
    return {
        "answers": len(rows),
        "complete": complete,
        "cost": round(cost, 6),
        "cost_per_complete": round(cost / complete, 6) if complete else None,
        "days": dict(sorted(days.items())),
        "models": dict(sorted(models.items())),
    }


def _zero() -> dict[str, float]:
    return {"answers": 0, "calls": 0, "input": 0, "output": 0, "cost": 0.0}


def expect_tokens(rows: Iterable[Mapping[str, Any]], depth: str) -> tuple[int, int, int]:
    """Input and output tokens that an answer of a depth will take: the median of those before.

    Returns:
        The two, and from how many answers that is told; 0 where it is assumed.
    """
    known = [row["models"].values() for row in rows if row.get("depth") == depth]
    if len(known) < LEAST_KNOWN:
        return *ASSUMED, 0
    sums = [(sum(one["input"] for one in those), sum(one["output"] for one in those)) for those in map(list, known)]
    return int(median(one[0] for one in sums)), int(median(one[1] for one in sums)), len(known)
