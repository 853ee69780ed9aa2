"""Spending log: the cost of each answer, kept on this machine in `spending.jsonl`, like telemetry.

It contains no questions. A row holds a day, a status, a depth, and by model the calls, tokens and dollars. The log is
the basis of the cost notice, which says before a deep search what it is expected to cost. Above `WEIWO_ASK_COST` the
person is asked first.
"""

import os
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, Final

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.output import can_ask, hint
from weiwo.app.cli.questions.requests import confirm, conversation
from weiwo.app.render.labels import label
from weiwo.state.settings import Settings
from weiwo.text.language_detection import detect_language
from weiwo.tools.bounded_log import append_record, read_records
from weiwo.tools.private_files import make_private_folder

_FILE: Final = "spending.jsonl"
_ASK_COST: Final = "WEIWO_ASK_COST"
_LEAST_KNOWN: Final = 3
"""Earlier answers needed for an estimate. With fewer, `_ASSUMED` is used."""
_ASSUMED: Final = (250_000, 20_000)
"""Assumed input and output tokens of a deep search."""


def record_spending(result: Mapping[str, Any], settings: Settings) -> None:
    """Record the cost of an answer, unless telemetry is off or no model answered.

    If the record cannot be written, it is dropped.
    """
    calls = (result.get("usage") or {}).get("calls") or []
    if not settings.telemetry or not any(call["input_tokens"] or call["output_tokens"] for call in calls):
        return
    from weiwo.models.prices import cost_of_call

    models: dict[str, dict[str, float]] = defaultdict(lambda: {"calls": 0, "input": 0, "output": 0, "cost": 0.0})
    for call in calls:
        spent = models[call["model"]]
        spent["calls"] += call["mode"] != "not_sent"
        spent["input"] += call["input_tokens"]
        spent["output"] += call["output_tokens"]
        tokens = call["input_tokens"], call["output_tokens"], call.get("cached_tokens", 0)
        spent["cost"] += cost_of_call(settings, call["model"], *tokens)
    row = {"at": time.time(), "status": result.get("status"), "depth": settings.depth, "models": models}
    with suppress(OSError):
        make_private_folder(Path(settings.home))
    append_record(Path(settings.home) / _FILE, row)


def read_spending(home: Path) -> list[dict[str, Any]]:
    """Return the complete rows of the log, oldest first."""
    return [row for row in read_records(home / _FILE) if _is_whole(row)]


def _is_whole(row: Mapping[str, Any]) -> bool:
    with suppress(ValueError, TypeError, KeyError, AttributeError):
        float(row["at"])
        return bool(
            [float(value[name]) for value in row["models"].values() for name in ("calls", "input", "output", "cost")]
        )
    return False


def summarize_spending(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the totals of the log by day and by model, and the cost per complete answer.

    That cost is the sum of all dollars, also of failed answers, divided by the number of complete answers.
    """
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


def _expect_tokens(rows: Iterable[Mapping[str, Any]], depth: str) -> tuple[int, int, int]:
    """Estimate the input and output tokens of an answer from the medians of earlier answers of a depth.

    Returns:
        Input tokens, output tokens, and the number of earlier answers used. This is 0 if there were too few, and the
        tokens are `_ASSUMED`.
    """
    known = [row["models"].values() for row in rows if row.get("depth") == depth]
    if len(known) < _LEAST_KNOWN:
        return *_ASSUMED, 0
    sums = [(sum(item["input"] for item in those), sum(item["output"] for item in those)) for those in map(list, known)]
    return int(median(item[0] for item in sums)), int(median(item[1] for item in sums)), len(known)


def tell_cost(question: str, settings: Settings, *, as_json: bool) -> None:
    """Print the expected cost of a deep search. If it exceeds `WEIWO_ASK_COST`, ask at a terminal.

    Nothing is printed for other searches, or if the price of a model is unknown.

    Args:
        question: The question, which determines the language.
        settings: The settings of the run.
        as_json: Whether one object is to be printed, and the person not asked.

    Raises:
        UsageError: `WEIWO_ASK_COST` is no amount.
        CommandError: The person declined.
    """
    if settings.depth != "deep" or not settings.models:
        return
    from weiwo.models.prices import cost_of, list_price_source, price_of

    names = set(settings.models.values())
    prices = [price for name in names if (price := price_of(settings, name)) is not None]
    if len(prices) < len(names):
        return
    most = (max(price[0] for price in prices), max(price[1] for price in prices))
    sent, received, answers = _expect_tokens(read_spending(Path(settings.home)), settings.depth)
    expected = cost_of(most, sent, received)
    limit = min(cost_of((max(most),) * 2, settings.limits.max_tokens, 0), settings.limits.max_cost or float("inf"))
    language, listed = detect_language(question), list_price_source(settings, names)
    why = label(language, "cost_as_before", f"{answers:,}") if answers else label(language, "cost_assumed")
    told = label(language, "cost", f"{expected:.2f}", f"{sent + received:,}", why, f"{limit:.2f}")
    hint(told + label(language, "list_prices", listed) * bool(listed))
    threshold = _read_threshold()
    if threshold is None or expected <= threshold or as_json or not can_ask():
        return
    stopped = "nothing was asked; use --depth normal, or raise WEIWO_ASK_COST"
    with conversation(stopped):
        if confirm(label(language, "cost_prompt"), default=False):
            return
    raise CommandError(stopped)


def _read_threshold() -> float | None:
    text = os.environ.get(_ASK_COST, "").strip()
    if not text:
        return None
    try:
        amount = float(text)
    except ValueError:
        amount = -1.0
    if not 0 <= amount < float("inf"):
        raise UsageError(f"{_ASK_COST}: {text[:40]!r} is not an amount of US dollars; use a number such as 0.50")
    return amount
