"""Equal work under way is done once; nobody hangs, nobody is cancelled with another."""

import asyncio
import random

import pytest

from tests.support.waiting import settle
from weiwo.tools.calling.singleflight import SingleFlight


class Work:
    """Work that ends when told to."""

    def __init__(self) -> None:
        self.begun = 0
        self.cancelled = 0
        self.go = asyncio.Event()

    async def __call__(self) -> str:
        self.begun += 1
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return f"result {self.begun}"


async def join(flights, work, key="k", seconds=5.0):
    task, begins = await flights.join(key, work, seconds)
    return task.result(), begins


async def test_work_nobody_waits_for_is_cancelled_and_whoever_comes_next_begins_anew():
    flights, work = SingleFlight[str](), Work()
    callers = [asyncio.create_task(join(flights, work)) for _ in range(2)]
    await settle()
    for caller in callers:
        caller.cancel()
    late = asyncio.create_task(join(flights, work))
    await settle()
    assert work.cancelled == 1
    work.go.set()
    assert await late == ("result 2", True)
    assert len(flights) == 0


async def test_the_last_to_be_cancelled_sees_the_work_to_its_end():
    flights, ended = SingleFlight[str](), []

    async def work() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            ended.append("tidy")
        return ""

    caller = asyncio.create_task(join(flights, work))
    await settle()
    caller.cancel()
    await asyncio.wait({caller}, timeout=120)
    assert (caller.cancelled(), ended) == (True, ["tidy"])


async def test_the_last_to_run_out_of_time_ends_the_work():
    flights, work = SingleFlight[str](), Work()
    with pytest.raises(TimeoutError):
        await join(flights, work, seconds=0.01)
    await settle()
    assert (work.cancelled, len(flights)) == (1, 0)


async def test_work_that_ended_a_moment_ago_is_not_joined():
    flights, work = SingleFlight[str](), Work()
    work.go.set()
    assert await join(flights, work) == ("result 1", True)
    assert await join(flights, work) == ("result 2", True)


def test_two_event_loops_do_not_meet():
    flights = SingleFlight[str]()

    async def once() -> tuple[str, bool]:
        work = Work()
        work.go.set()
        return await join(flights, work)

    assert [asyncio.run(once()) for _ in range(2)] == [("result 1", True)] * 2


@pytest.mark.parametrize("seed", range(20))
async def test_whatever_is_cancelled_nobody_hangs(seed):
    chance = random.Random(seed)  # noqa: S311 - the same in every run
    flights, work = SingleFlight[str](), Work()
    callers = [asyncio.create_task(join(flights, work, seconds=chance.choice([0.005, 600]))) for _ in range(12)]
    for caller in chance.sample(callers, chance.randint(1, 12)):
        if chance.random() < 0.5:
            await settle()
        caller.cancel()
    await asyncio.sleep(0.01)
    work.go.set()
    results = await asyncio.wait_for(asyncio.gather(*callers, return_exceptions=True), 120)
    ended = [result for result in results if not isinstance(result, asyncio.CancelledError | TimeoutError)]
    assert {result for result, _ in ended} <= {f"result {work.begun}"}
    assert len(flights) == 0
