"""Standing questions: due once however long ago, told only what changed, and nothing lost to a failure."""

from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.nodes.memory.watches import (
    Watch,
    WatchError,
    add_watch,
    describe_change,
    format_interval,
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
    assert parse_interval(format_interval(seconds)) == seconds


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
    assert (kept.values[LONG].value, kept.last, kept.changed) == ("330", 3 * DAY, 3 * DAY)
    assert kept.thread_id.startswith(f"watch-{kept.key}-")
    await desk.run(4 * DAY)
    (kept,) = await list_watches(desk.memory)
    assert (kept.changed, kept.changes) == (3 * DAY, changed.changes)  # what changed last can still be read


async def test_what_is_found_no_more_is_a_change_and_a_failure_is_none(desk):
    await desk.run(DAY)
    desk.result = result(None, "failed")
    (failed,) = await desk.run(2 * DAY)
    assert (failed.changes, failed.problem) == ((), "corpus_search took too long")
    desk.result = WatchError("no database")
    (lost,) = await desk.run(3 * DAY)
    assert (lost.changes, lost.problem, lost.watch.problem) == ((), "no database", "no database")
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


async def test_what_another_process_runs_is_left_to_it(desk):
    def hold(_: Watch) -> AbstractAsyncContextManager[bool]:
        return nullcontext(enter_result=False)

    assert await desk.run(DAY, hold=hold) == []
    assert desk.asked == 0


async def test_what_another_process_has_just_run_is_not_run_again(desk):
    class Waiting(AbstractAsyncContextManager[bool]):
        """The lock of a question that another process runs meanwhile."""

        async def __aenter__(self) -> bool:
            (one,) = await list_watches(desk.memory)
            kept = one.model_copy(update={"last": DAY})
            await desk.memory.put("watches", kept.key, kept.model_dump(mode="json"))
            return True

        async def __aexit__(self, *_: object) -> None:
            return None

    assert await desk.run(DAY + 1, hold=lambda _: Waiting()) == []
    assert await desk.run(DAY + 1, hold=lambda _: Waiting(), everything=True) != []
    assert desk.asked == 1


async def test_a_run_that_was_broken_off_keeps_its_thread(desk):
    threads: list[str] = []

    async def killed(watch: Watch) -> Any:
        threads.append(watch.running)
        raise KeyboardInterrupt

    async def ask(watch: Watch) -> Any:
        threads.append(watch.running)
        return result()

    with pytest.raises(KeyboardInterrupt):
        await run_due(desk.memory, killed, DAY)
    assert len(await run_due(desk.memory, ask, 3 * DAY)) == 1
    assert len(await run_due(desk.memory, ask, 4 * DAY)) == 1
    assert threads[0] == threads[1] != threads[2]
    (kept,) = await list_watches(desk.memory)
    assert (kept.running, kept.thread_id) == ("", threads[2])


async def test_one_that_is_removed_while_it_runs_stays_removed(desk):
    async def ask(watch: Watch) -> Any:
        await desk.memory.delete("watches", watch.key)
        return result()

    assert len(await run_due(desk.memory, ask, DAY)) == 1
    assert await list_watches(desk.memory) == ()


async def test_what_another_version_kept_is_read(desk):
    (one,) = await desk.memory.list("watches")
    await desk.memory.put("watches", one.key, {**one.value, "claimed": 5.0})
    assert len(await list_watches(desk.memory)) == 1


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
