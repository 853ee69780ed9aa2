"""The command and the server share threads: nobody reads what the operator's command asks, and nobody's is continued."""

import asyncio
import os
import random
from pathlib import Path

import httpx
import pytest

from weiwo.app.errors import MisuseError
from weiwo.app.render.watchers import Watcher
from weiwo.app.session.runs import ask, resume
from weiwo.app.session.session import Session
from weiwo.graph import build_graph
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.graph.persistence.thread_lock import ForeignThreadError, require_own_thread
from weiwo.state.settings import Context, Settings

SUM = "What is 6 times 7?"


async def ask_by_command(thread_id: str) -> None:
    settings = Settings.resolve()
    async with open_checkpointer(settings) as saver:
        session = Session(settings, saver, build_graph(saver))
        await ask(session, SUM, thread_id, Context(web=False, telemetry=False), Watcher())


async def resume_by_command(thread_id: str) -> None:
    settings = Settings.resolve()
    async with open_checkpointer(settings) as saver:
        await resume(Session(settings, saver, build_graph(saver)), thread_id, Watcher())


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


async def test_a_name_that_a_user_took_first_is_refused_to_the_command(
    public: httpx.AsyncClient, tokens: dict[str, str]
):
    ann = bearer(tokens["ann"])
    assert (await public.post("/threads", json={"thread_id": "mine"}, headers=ann)).status_code == 200
    with pytest.raises(MisuseError, match=r"^thread mine; a user of weiwo serve owns it; take another id$"):
        await ask_by_command("mine")
    state = (await public.get("/threads/mine/state", headers=ann)).json()
    assert not state["values"]


async def test_the_command_does_not_go_on_with_the_thread_of_a_user(public: httpx.AsyncClient, tokens: dict[str, str]):
    ann = bearer(tokens["ann"])
    await public.post("/threads", json={"thread_id": "anns"}, headers=ann)
    run = {"assistant_id": "weiwo", "input": {"question": SUM}}
    assert (await public.post("/threads/anns/runs/wait", json=run, headers=ann)).status_code == 200
    before = (await public.get("/threads/anns/state", headers=ann)).json()
    assert before["values"]["result"]["status"] == "complete"
    with pytest.raises(MisuseError, match="owns it"):
        await ask_by_command("anns")
    assert (await public.get("/threads/anns/state", headers=ann)).json() == before


async def test_no_user_takes_the_name_of_a_thread_that_the_command_begins(
    public: httpx.AsyncClient, tokens: dict[str, str]
):
    ann, operator = bearer(tokens["ann"]), bearer(tokens["operator"])
    await asyncio.to_thread(require_own_thread, os.environ["WEIWO_HOME"], "begun")  # nothing is asked on it yet
    assert (await public.post("/threads", json={"thread_id": "begun"}, headers=ann)).status_code == 409
    await ask_by_command("begun")
    for method, path in (("GET", ""), ("GET", "/state"), ("POST", "/history"), ("DELETE", "")):
        assert (await public.request(method, f"/threads/begun{path}", headers=ann)).status_code == 404
    assert "42" in (await public.get("/threads/begun/state", headers=operator)).text
    listed = (await public.post("/threads/search", json={}, headers=operator)).json()
    assert [one["thread_id"] for one in listed] == ["begun"]


async def test_of_a_name_wanted_at_the_same_moment_one_has_it(public: httpx.AsyncClient, tokens: dict[str, str]):
    ann, home = bearer(tokens["ann"]), os.environ["WEIWO_HOME"]
    dice = random.Random(3)  # noqa: S311 - a repeatable order

    async def take(name: str) -> bool:
        await asyncio.sleep(dice.random() * 0.005)
        try:
            await asyncio.to_thread(require_own_thread, home, name)
        except ForeignThreadError:
            return False
        return True

    async def create(name: str) -> bool:
        await asyncio.sleep(dice.random() * 0.005)
        await public.post("/threads", json={"thread_id": name}, headers=ann)
        return (await public.get(f"/threads/{name}", headers=ann)).status_code == 200

    for number in range(40):
        assert sorted(await asyncio.gather(take(f"t{number}"), create(f"t{number}"))) == [False, True]


def test_where_no_server_has_worked_no_records_are_made(tmp_path: Path):
    require_own_thread(str(tmp_path), "mine")
    assert list(tmp_path.iterdir()) == []
