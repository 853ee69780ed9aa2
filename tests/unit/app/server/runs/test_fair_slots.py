"""No user holds all slots or places of a server: each has a share, and whose turn it is goes around."""

import asyncio
import random

import httpx
import pytest

from tests.support.waiting import settle
from tests.unit.app.server.conftest import HeldModel, running
from weiwo.app.server.access.auth import Auth
from weiwo.app.server.access.guard import Rules
from weiwo.app.server.application import create_app
from weiwo.app.server.runs import background_runs
from weiwo.app.server.runs.fair_slots import FairSlots


async def work(slots: FairSlots, user: str, begun: list[str], end: asyncio.Event) -> None:
    async with slots.hold(user):
        begun.append(user)
        await end.wait()


async def test_whoever_comes_later_begins_at_once():
    slots, begun, end = FairSlots(16, shared=True), [], asyncio.Event()
    tasks = [asyncio.create_task(work(slots, "ann", begun, end)) for _ in range(100)]
    for user in ("bob", "cid", "dan"):
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(work(slots, user, begun, end)))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert begun[-1] == user
    assert begun.count("ann") == 8
    end.set()
    await asyncio.gather(*tasks)
    assert len(begun) == 103


async def test_alone_on_a_server_without_logins_all_slots_are_used():
    slots, begun, end = FairSlots(4, shared=False), [], asyncio.Event()
    tasks = [asyncio.create_task(work(slots, "operator", begun, end)) for _ in range(9)]
    await settle()
    assert len(begun) == 4
    end.set()
    await asyncio.gather(*tasks)


async def test_turns_go_around():
    slots, begun = FairSlots(2, shared=True), []

    async def short(user: str) -> None:
        async with slots.hold(user):
            begun.append(user)
            await asyncio.sleep(0)

    await asyncio.gather(*(short(user) for user in ["ann"] * 6 + ["bob"] * 3 + ["cid"] * 3))
    assert {begun.index(user) < 6 for user in ("bob", "cid")} == {True}
    assert max(n for n, user in enumerate(begun) if user in {"bob", "cid"}) < 10


async def test_cancels_at_random_moments_lose_no_slot():
    dice = random.Random(5)  # noqa: S311 - a repeatable order
    slots = FairSlots(5, shared=True)

    async def some(user: str) -> None:
        async with slots.hold(user):
            await asyncio.sleep(dice.random() * 0.002)

    for _ in range(200):
        tasks = [asyncio.create_task(some(dice.choice("abcd"))) for _ in range(20)]
        for task in dice.sample(tasks, 10):
            await asyncio.sleep(dice.random() * 0.001)
            task.cancel()
        await asyncio.wait(tasks)
    assert (slots._held.total(), len(slots._waiting)) == (0, 0)
    assert slots.share("a") == 2


@pytest.mark.usefixtures("indexed_home")
async def test_one_user_fills_neither_slots_nor_places(
    held: HeldModel, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("WEIWO_WEB", "off")
    monkeypatch.setattr(background_runs, "_MOST_AT_WORK", 4)
    monkeypatch.setattr(background_runs, "_MOST_UNDER_WAY", 20)
    auth = Auth()
    asked = {"input": {"question": "How long is the Yangtze?"}}
    async with running(create_app({"models": held}, auth), Rules(frozenset()), auth) as http:

        async def begin(user: str) -> httpx.Response:
            thread = (await http.post("/threads", json={}, headers={"x-api-key": tokens[user]})).json()["thread_id"]
            path = f"/threads/{thread}/runs"
            return await http.post(path, json=asked, headers={"x-api-key": tokens[user]})

        async def status(user: str, run: httpx.Response) -> str:
            place = run.headers["content-location"]
            return str((await http.get(place, headers={"x-api-key": tokens[user]})).json()["status"])

        anns = [await begin("ann") for _ in range(15)]
        assert [one.status_code for one in anns] == [200] * 10 + [429] * 5
        assert "10 of yours" in anns[-1].text
        other = await begin("operator")
        assert other.status_code == 200
        for _ in range(6_000):
            if await status("operator", other) != "pending":
                break
            await asyncio.sleep(0.05)
        assert await status("operator", other) == "running"
        assert [await status("ann", one) for one in anns[:10]].count("running") == 2
        held.let_go.set()
        for _ in range(6_000):
            if await status("ann", anns[9]) == "success":
                break
            await asyncio.sleep(0.05)
        assert (await begin("ann")).status_code == 200
