"""Slots: never more than there are, what has begun is finished first, none lost however waiters end."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.nodes.executor.resources import Lease, PriorityLimiter


async def test_a_task_finishes_before_another_begins() -> None:
    limiter, steps = PriorityLimiter(1), []

    async def work(name: str) -> None:
        lease = Lease(limiter)
        for step in range(3):
            async with lease:
                steps.append(f"{name}{step}")
            await asyncio.sleep(0)
        lease.end()

    await asyncio.gather(work("a"), work("b"))
    assert steps == ["a0", "a1", "a2", "b0", "b1", "b2"]
    assert not limiter.is_locked()


async def test_who_has_to_wait_gives_its_slot_up_and_then_goes_first() -> None:
    limiter, steps, waited = PriorityLimiter(1), [], asyncio.Event()

    async def failing() -> None:
        lease = Lease(limiter)
        with pytest.raises(ValueError, match="later"):
            async with lease:
                raise ValueError("later")
        await waited.wait()
        async with lease:
            steps.append("again")
        lease.end()

    async def other(name: str) -> None:
        lease = Lease(limiter)
        async with lease:
            steps.append(name)
            waited.set()
            await asyncio.sleep(0.01)
        lease.end()

    await asyncio.gather(failing(), other("x"), other("y"))
    assert steps == ["x", "again", "y"]
    assert not limiter.is_locked()


async def test_a_step_that_goes_on_after_its_task_gives_the_slot_back_when_it_ends() -> None:
    limiter = PriorityLimiter(1)
    lease = Lease(limiter)
    async with lease:
        lease.end()
        assert limiter.is_locked()
    assert not limiter.is_locked()


@given(
    st.integers(1, 4),
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["work", "fail", "cancel"])), max_size=20),
)
def test_no_slot_is_lost_and_none_is_given_twice(free: int, jobs: list[tuple[int, str]]) -> None:
    async def run() -> None:
        limiter, working, most = PriorityLimiter(free), 0, 0

        async def work(steps: int, end: str) -> None:
            nonlocal working, most
            lease = Lease(limiter)
            try:
                for _ in range(2):
                    async with lease:
                        working += 1
                        most = max(most, working)
                        try:
                            for _ in range(steps):
                                await asyncio.sleep(0)
                            if end == "fail":
                                raise ValueError
                        finally:
                            working -= 1
                    await asyncio.sleep(0)
            finally:
                lease.end()

        tasks = [asyncio.create_task(work(*job)) for job in jobs]
        for task, (steps, end) in zip(tasks, jobs, strict=True):
            if end == "cancel":
                for _ in range(steps):
                    await asyncio.sleep(0)
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert most <= free
        for _ in range(free):
            assert not limiter.is_locked()
            await limiter.acquire()
        assert limiter.is_locked()

    asyncio.run(run())
