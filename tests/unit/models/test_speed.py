"""What is learned of an endpoint's speed, and what follows for the time of a call."""

from weiwo.models.attempt import CallDeadline
from weiwo.models.budget import Budget
from weiwo.models.speed import _Speed, _SpeedMemory
from weiwo.state import Limits


def test_speeds_are_averages_and_what_is_too_fast_is_not_measured():
    memory = _SpeedMemory()
    memory.learn("slow", prompt=2_000, first=20.0, reply=200, rest=10.0)
    assert memory.speed("slow") == _Speed(100, 20)
    memory.learn("slow", prompt=2_000, first=10.0, reply=8, rest=0.1)
    assert memory.speed("slow") == _Speed(130, 20)
    memory.learn("fast", prompt=2_000, first=0.4, reply=200, rest=2.0)
    assert memory.speed("fast") == _Speed(0, 100)
    assert memory.estimate_seconds("slow", 1_300, 200) == 40
    assert memory.estimate_seconds("unknown", 9_000, 900) == 0


async def test_what_was_learned_is_kept(tmp_path):
    memory = _SpeedMemory()
    memory.learn("slow", prompt=2_000, first=20.0, reply=200, rest=10.0)
    await memory.keep(str(tmp_path), "slow")
    later = _SpeedMemory()
    await later.load(str(tmp_path))
    assert later.speed("slow") == _Speed(100, 20)
    (tmp_path / "speeds.json").write_text('{"slow": [1')
    broken = _SpeedMemory()
    await broken.load(str(tmp_path))
    assert broken.speed("slow") == _Speed()
    await broken.keep(str(tmp_path / "nowhere"), "slow")


def test_a_slow_endpoint_may_take_what_it_needs_and_never_more_than_is_left():
    budget = Budget(Limits(max_seconds=300))
    assert round(CallDeadline.of("executor", 60, budget).seconds) == 60
    assert round(CallDeadline.of("executor", 60, budget, 100).seconds) == 100
    assert round(CallDeadline.of("executor", 60, budget, 900).seconds) == 240
    assert round(CallDeadline.of("writer", 60, budget, 900).seconds) == 240
