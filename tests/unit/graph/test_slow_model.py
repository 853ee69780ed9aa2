"""A slow model: a run gets the seconds that its calls need, where the user set none."""

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from tests.support.run import search_tool
from weiwo.graph import build_graph, run_context
from weiwo.graph.run_context import _give_time
from weiwo.models.gateway import ChatModels
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
    assert memory.estimate_seconds("here", *USUAL_CALL) == pytest.approx(2 * (20 + 12.5))
    assert memory.estimate_seconds("elsewhere", *USUAL_CALL) == 0
    assert Limits.max_seconds == 120


@pytest.mark.usefixtures("indexed_home")
@pytest.mark.parametrize(
    ("question", "given", "usual", "depth", "told"),
    [
        ("When was Ada born?", "", 25.0, "quick", "takes about 25 s"),
        ("Ada 是哪一年出生的？", "", 25.0, "quick", "约需 25 秒"),
        ("When was Ada born?", "", 20.0, "normal", ""),
        ("When was Ada born?", "context normal", 25.0, "normal", ""),
        ("When was Ada born?", "environment normal", 25.0, "normal", ""),
        ("When was Ada born?", "context deep", 25.0, "deep", ""),
    ],
)
async def test_a_run_of_a_slow_model_is_quick_where_nobody_set_a_depth(
    question, given, usual, depth, told, monkeypatch
):
    where, _, wanted = given.partition(" ")
    if where == "environment":
        monkeypatch.setenv("WEIWO_DEPTH", wanted)
    learned, opened = iter([usual]), []

    async def usual_seconds(_: ChatModels) -> float:
        return next(learned, 45.0 - usual)  # what is learned on the way changes nothing

    def give_time(settings: Settings, _: float) -> Limits:
        opened.append((settings.depth, settings.limits.max_replans, settings.limits.max_turns))
        return settings.limits

    monkeypatch.setattr(ChatModels, "usual_seconds", usual_seconds)
    monkeypatch.setattr(run_context, "_give_time", give_time)
    graph = build_graph(InMemorySaver(), tools=[search_tool(lambda _: "Ada was born in 1815.")])
    context = Context(
        web=False, telemetry=False, depth=wanted if where == "context" else None, approve_plan=True, max_turns=3
    )
    thread = {"configurable": {"thread_id": "one"}}
    events = [one async for one in graph.astream({"question": question}, thread, context=context, stream_mode="custom")]
    assert [told in event["note"] for event in events if event.get("note")] == [True] * bool(told)
    assert (await graph.ainvoke(Command(resume="approve"), thread, context=context))["result"]
    assert set(opened) == {(depth, {"quick": 0, "normal": 2, "deep": 5}[depth], 3)}
