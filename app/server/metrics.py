"""Prometheus metrics and the structured log of the server."""

import json
import logging
import time
from typing import Final

import orjson
from prometheus_client import Counter, Gauge, Histogram

from weiwo.text.printable import one_line, redact_secrets

RUNS: Final = Counter("weiwo_runs", "Runs that ended, by status.", ["status"])
RUN_SECONDS: Final = Histogram(
    "weiwo_run_seconds", "Seconds from a run's request to its end.", buckets=(0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900)
)
_TOKENS: Final = Counter("weiwo_tokens", "Tokens of model calls, by direction.", ["direction"])
_COST: Final = Counter("weiwo_cost_dollars", "US dollars of model calls whose price is known.")
_TOOL_FAILURES: Final = Counter("weiwo_tool_failures", "Steps of plans that failed, by kind.", ["kind"])
UNDER_WAY: Final = Gauge("weiwo_runs_under_way", "Runs at work or waiting.")
WAITING: Final = Gauge("weiwo_runs_waiting", "Runs that wait for their turn.")
LOOP_LAG: Final = Gauge("weiwo_loop_lag_seconds", "Delay of the event loop at its last measurement.")
_FIELDS: Final[tuple[str, ...]] = ("run_id", "thread_id", "status", "seconds", "attempt")


def count_model_call(input_tokens: int, output_tokens: int, cost: float) -> None:
    """Count a finished model call."""
    _TOKENS.labels("input").inc(input_tokens)
    _TOKENS.labels("output").inc(output_tokens)
    _COST.inc(cost)


def count_failure(name: str, data: bytes) -> None:
    """Count a failed task, if an event of a run reports one. Other events are ignored.

    Args:
        name: Name of the event, `custom` for those of Weiwo.
        data: The event as JSON.
    """
    if name.partition("|")[0] != "custom" or b'"task_finished"' not in data:
        return
    event = orjson.loads(data)
    if event.get("type") == "task_finished" and event.get("failure_kind"):
        _TOOL_FAILURES.labels(str(event["failure_kind"])).inc()


class JsonFormatter(logging.Formatter):
    """Log formatter with a JSON object per line, without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a log line: time, level, logger, message, and details of the run."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line = {
            "time": f"{at}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redact_secrets(one_line(record.getMessage(), 1_000)),
        }
        known = {name: vars(record)[name] for name in _FIELDS if name in vars(record)}
        if record.exc_info and record.exc_info[0]:
            known["error"] = record.exc_info[0].__name__
        return json.dumps({**line, **known}, ensure_ascii=False)
