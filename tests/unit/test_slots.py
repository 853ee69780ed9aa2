"""Slots: never more than there are, what has begun is finished first, none lost however waiters end."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.slots import Slots, Turn


async def test_a_task_finishes_before_another_begins() -> None:
    slots, steps = Slots(1), []

    async def work(name: str) -> None:
        turn = Turn(slots)
        for step in range(3):
            async with turn:
                steps.append(f"{name}{step}")
            await asyncio.sleep(0)
        turn.end()

    await asyncio.gather(work("a"), work("b"))
    assert steps == ["a0", "a1", "a2", "b0", "b1", "b2"]
    assert not slots.locked()


async def test_who_has_to_wait_gives_its_slot_up_and_then_goes_first() -> None:
    slots, steps, waited = Slots(1), [], asyncio.Event()

    async def failing() -> None:
        turn = Turn(slots)
        with pytest.raises(ValueError, match="later"):
            async with turn:
                raise ValueError("later")
        await waited.wait()
        async with turn:
            steps.append("again")
        turn.end()

    async def other(name: str) -> None:
        turn = Turn(slots)
        async with turn:
            steps.append(name)
            waited.set()
            await asyncio.sleep(0.01)
        turn.end()

    await asyncio.gather(failing(), other("x"), other("y"))
    assert steps == ["x", "again", "y"]
    assert not slots.locked()


async def test_a_step_that_goes_on_after_its_task_gives_the_slot_back_when_it_ends() -> None:
    slots = Slots(1)
    turn = Turn(slots)
    async with turn:
        turn.end()
        assert slots.locked()
    assert not slots.locked()


@given(
    st.integers(1, 4),
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["work", "fail", "cancel"])), max_size=20),
)
def test_no_slot_is_lost_and_none_is_given_twice(free: int, jobs: list[tuple[int, str]]) -> None:
    async def run() -> None:
        slots, working, most = Slots(free), 0, 0

        async def work(steps: int, end: str) -> None:
            nonlocal working, most
            turn = Turn(slots)
            try:
                for _ in range(2):
                    async with turn:
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
                turn.end()

        tasks = [asyncio.create_task(work(*job)) for job in jobs]
        for task, (steps, end) in zip(tasks, jobs, strict=True):
            if end == "cancel":
                for _ in range(steps):
                    await asyncio.sleep(0)
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert most <= free
        for _ in range(free):
            assert not slots.locked()
            await slots.acquire()
        assert slots.locked()

    asyncio.run(run())
