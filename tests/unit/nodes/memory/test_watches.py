"""Standing questions: due once however long ago, told only what changed, and nothing lost to a failure."""

from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.nodes.memory.watches import (
    CLAIM_SECONDS,
    Watch,
    WatchError,
    add_watch,
    describe_change,
    list_watches,
    parse_interval,
    run_due,
)

DAY = 86_400.0
LONG = "How long is the bridge?"


def result(value: Any = 310, came_to: str = "succeeded", **more: Any) -> dict[str, Any]:
    outcome = {"status": came_to, "value": value, "type": "number", "evidence_ids": ["p"], "failure": None}
    if came_to == "failed":
        outcome["failure"] = {"kind": "timeout", "message": "corpus_search took too long"}
    return {
        "language": "en",
        "status": "complete",
        "plan": {"vertices": [{"id": "task_1", "description": LONG}]},
        "outcomes": {"task_1": outcome},
        "evidence": [{"id": "p", "source": "bridge.md"}],
        "thread_id": "t-1",
        **more,
    }


class Desk:
    def __init__(self) -> None:
        self.memory = MemoryStore(InMemoryStore(), "local")
        self.result: Any = result()
        self.asked = 0

    async def ask(self, _: Watch) -> Any:
        self.asked += 1
        if isinstance(self.result, Exception):
            raise self.result
        return self.result

    async def run(self, now: float, **more: Any) -> list[Any]:
        return await run_due(self.memory, self.ask, now, **more)


@pytest.fixture
async def desk():
    desk = Desk()
    await add_watch(desk.memory, Watch(question=LONG, every=DAY))
    return desk


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30m", 1_800), ("6h", 21_600), ("1d", DAY), ("2w", 14 * DAY), ("1天", DAY), ("90 分钟", 5_400)],
)
def test_intervals(text, seconds):
    assert parse_interval(text) == seconds


@pytest.mark.parametrize("text", ["", "1", "0d", "daily", "-1d", "1s", "999999d"])
def test_what_is_no_interval(text):
    with pytest.raises(WatchError, match="it is no interval; write, say, 30m"):
        parse_interval(text)


async def test_it_is_asked_when_due_and_missed_runs_are_made_up_once(desk):
    for now, asked in ((DAY, 1), (DAY + 60, 1), (2 * DAY, 2), (9 * DAY, 3), (9 * DAY + 60, 3)):
        await desk.run(now)
        assert desk.asked == asked
    await desk.run(9 * DAY + 120, everything=True)
    assert desk.asked == 4


async def test_only_what_changed_is_told(desk):
    (first,) = await desk.run(DAY)
    assert first.changes == ((LONG, "", "310", ("bridge.md",)),)
    (same,) = await desk.run(2 * DAY)
    assert (same.changes, same.problem) == ((), "")
    desk.result = result(330)
    (changed,) = await desk.run(3 * DAY)
    assert [describe_change(one) for one in changed.changes] == [f"{LONG} 310 → 330 [bridge.md]"]
    (kept,) = await list_watches(desk.memory)
    assert (kept.values[LONG].value, kept.thread_id, kept.last) == ("330", "t-1", 3 * DAY)


async def test_what_is_found_no_more_is_a_change_and_a_failure_is_none(desk):
    await desk.run(DAY)
    desk.result = result(None, "failed")
    (failed,) = await desk.run(2 * DAY)
    assert (failed.changes, failed.problem) == ((), "corpus_search took too long")
    desk.result = WatchError("no database")
    (lost,) = await desk.run(3 * DAY)
    assert (lost.changes, lost.problem) == ((), "no database")
    desk.result = result(None, "empty")
    (gone,) = await desk.run(4 * DAY)
    assert [describe_change(one) for one in gone.changes] == [f"{LONG} 310 → (no longer found) [bridge.md]"]


async def test_without_values_the_extracts_are_compared(desk):
    def shown(text: str) -> dict[str, Any]:
        extract = {"text": f"Once. {text}", "highlights": [[6, 6 + len(text)]]}
        return result(None, "empty", status="extracts", extracts=[extract], citations=[{"source": "bridge.md"}])

    desk.result = shown("It is 310 metres long.")
    (first,) = await desk.run(DAY)
    assert first.changes[0].new == "It is 310 metres long."
    desk.result = shown("It is 330 metres long.")
    (changed,) = await desk.run(2 * DAY)
    assert changed.changes == ((LONG, "It is 310 metres long.", "It is 330 metres long.", ("bridge.md",)),)


async def test_a_run_that_is_under_way_is_not_begun_twice(desk):
    inner: list[Any] = []

    async def ask(_: Watch) -> Any:
        inner.extend(await desk.run(DAY + 1))
        return result()

    assert len(await run_due(desk.memory, ask, DAY)) == 1
    assert inner == []
    (kept,) = await list_watches(desk.memory)
    assert kept.claimed == 0
    await add_watch(desk.memory, kept)
    claimed = kept.model_copy(update={"claimed": 5 * DAY})
    assert not claimed.is_due(5 * DAY - 1)
    assert claimed.is_due(5 * DAY)
    assert CLAIM_SECONDS < DAY


async def test_keeping_it_again_keeps_what_is_known(desk):
    await desk.run(DAY)
    again = await add_watch(desk.memory, Watch(question=LONG, every=2 * DAY))
    assert (again.every, again.values[LONG].value) == (2 * DAY, "310")
    assert len(await list_watches(desk.memory)) == 1


def test_a_change_in_chinese():
    from weiwo.nodes.memory.watches import Change  # noqa: PLC0415 - for this test alone

    assert (
        describe_change(Change("桥有多长？", "", "310米", ("a.md", "b.md")))
        == "桥有多长？ （首次） → 310米 [a.md、b.md]"
    )
