"""A slow model: a run gets the seconds that its calls need, where the user set none."""

import pytest

from weiwo.graph.run_context import _give_time
from weiwo.models.speed import USUAL_CALL, _SpeedMemory
from weiwo.state.run_limits import Limits
from weiwo.state.settings import Context, Settings


@pytest.mark.parametrize(
    ("depth", "given", "usual", "seconds"),
    [
        ("normal", None, 0.0, 120),
        ("normal", None, 5.0, 120),
        ("normal", None, 40.0, 240),
        ("quick", None, 40.0, 120),
        ("deep", None, 40.0, 1200),
        ("normal", 30.0, 40.0, 30),
        ("normal", 300.0, 40.0, 300),
    ],
)
def test_seconds_follow_from_the_measured_speed_where_none_are_set(depth, given, usual, seconds):
    chosen = {} if given is None else {"max_seconds": given}
    settings = Settings.resolve(Context(depth=depth, **chosen))
    assert _give_time(settings, usual).max_seconds == seconds
    assert _give_time(settings, usual).max_turns == settings.limits.max_turns


def test_a_usual_call_of_a_measured_endpoint_takes_its_reading_and_its_writing():
    memory = _SpeedMemory()
    memory.learn("here", prompt=1000, first=10.0, reply=100, rest=5.0)
    assert memory.needed("here", *USUAL_CALL) == pytest.approx(2 * (20 + 12.5))
    assert memory.needed("elsewhere", *USUAL_CALL) == 0
    assert Limits.max_seconds == 120
