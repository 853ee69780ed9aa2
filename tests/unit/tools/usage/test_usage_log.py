"""Usual times of tools: from enough calls, one user's."""

from typing import Any

import pytest

from tests.support.run import search_tool
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.registry import Registry
from weiwo.tools.usage.usage_log import _LEAST_TIMES, _MOST_TIMES, UsageLog, _find_usual_times, _UsualTime


def took(*seconds: Any, **more: Any) -> list[dict[str, Any]]:
    return [{"tool": "lookup", "user": "ann", "seconds": one, **more} for one in seconds]


def test_a_tool_has_a_usual_time_once_it_was_called_often_enough():
    assert not _find_usual_times(took(*[1.0] * (_LEAST_TIMES - 1)), "ann")
    assert _find_usual_times(took(*[1.0] * _LEAST_TIMES), "ann") == {"lookup": _UsualTime(1.0, 1.0, _LEAST_TIMES)}
    usual = _find_usual_times(took(*range(1, 101)), "ann")["lookup"]
    assert (usual.median, usual.p95, usual.calls) == (51, 95, 100)


@pytest.mark.parametrize(
    "record",
    [{"kind": "auth"}, {"user": "bob"}, {"seconds": None}, {"seconds": "1"}, {"seconds": float("nan")}, {"tool": 3}],
)
def test_what_does_not_tell_how_long_the_tool_takes_is_left_out(record):
    assert _find_usual_times(took(*[1.0] * _LEAST_TIMES) + took(99.0, **record), "ann")["lookup"].p95 == 1.0


def test_only_the_latest_calls_count_and_those_given_up_with_them():
    grown = took(*[1.0] * _MOST_TIMES, *[5.0] * (_MOST_TIMES - 20)) + took(*[5.0] * 20, kind="slow")
    assert _find_usual_times(grown, "ann")["lookup"] == _UsualTime(5.0, 5.0, _MOST_TIMES)


async def test_the_log_keeps_what_calls_took(tmp_path):
    info = Registry([search_tool(lambda query: query, name="lookup")]).info("lookup")
    log = UsageLog(tmp_path, "ann")
    for _ in range(_LEAST_TIMES):
        await log.record(info, {"query": "x"}, None, 0.5)
        await log.record(info, {"query": "x"}, None)  # kept from an earlier call, say
    await log.record(info, {"query": "x"}, ToolCallError("slow", "lookup: another call came first"), 7.0)
    assert log.usual_times() == {"lookup": _UsualTime(0.5, 0.5, _LEAST_TIMES + 1)}
    assert not UsageLog(tmp_path, "bob").usual_times()
    assert log.read()["lookup"].failures == {"slow": 1}
