"""The command and the server share threads: nobody reads what the operator's command asks, and nobody's is continued."""

import asyncio
import os
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from weiwo.app.errors import MisuseError
from weiwo.app.render.watchers import Watcher
from weiwo.app.session.runs import ask, resume
from weiwo.app.session.session import Session
from weiwo.graph import build_graph
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.graph.persistence.thread_lock import require_own_thread
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


async def test_a_name_of_a_user_is_another_thread_than_the_commands(public: httpx.AsyncClient, tokens: dict[str, str]):
    ann, operator = bearer(tokens["ann"]), bearer(tokens["operator"])
    run = {"assistant_id": "weiwo", "input": {"question": SUM}, "if_not_exists": "create"}
    assert (await public.post("/threads/mine/runs/wait", json=run, headers=ann)).status_code == 200
    before = (await public.get("/threads/mine/state", headers=ann)).json()
    assert before["values"]["result"]["status"] == "complete"
    await ask_by_command("mine")
    assert (await public.get("/threads/mine/state", headers=ann)).json() == before
    theirs = (await public.get("/threads/mine/state", headers=operator)).json()
    assert theirs["checkpoint"]["thread_id"] == "mine" != before["checkpoint"]["thread_id"]


async def test_the_command_does_not_go_on_with_the_thread_of_a_user(public: httpx.AsyncClient, tokens: dict[str, str]):
    ann = bearer(tokens["ann"])
    made = (await public.post("/threads", json={"thread_id": "anns"}, headers=ann)).json()["thread_id"]
    run = {"assistant_id": "weiwo", "input": {"question": SUM}}
    assert (await public.post("/threads/anns/runs/wait", json=run, headers=ann)).status_code == 200
    before = (await public.get("/threads/anns/state", headers=ann)).json()
    with pytest.raises(MisuseError, match=rf"^thread {made} belongs to a user of weiwo serve; use another id$"):
        await ask_by_command(made)
    assert (await public.get(f"/threads/{made}/state", headers=ann)).json() == before


async def test_nobody_learns_which_threads_others_have(public: httpx.AsyncClient, tokens: dict[str, str]):
    ann, bob, operator = bearer(tokens["ann"]), bearer(tokens["bob"]), bearer(tokens["operator"])
    run = {"assistant_id": "weiwo", "input": {"question": SUM}, "if_not_exists": "create"}
    for name, owner in (("hers", ann), ("theirs", operator)):
        assert (await public.post("/threads", json={"thread_id": name}, headers=owner)).status_code == 200
    await asyncio.to_thread(require_own_thread, os.environ["WEIWO_HOME"], "commands")
    for name in ("hers", "theirs", "commands", "nobodys"):
        made = [
            await public.post("/threads", json={"thread_id": name, "if_exists": exists}, headers=bob)
            for exists in ("raise", "do_nothing")
        ]
        begun = await public.post(f"/threads/{name}/runs", json=run, headers=bob)
        assert [one.status_code for one in (*made, begun)] == [200] * 3
        assert made[0].json()["thread_id"] == made[1].json()["thread_id"] == begun.json()["thread_id"] != name
    made = (await public.post("/threads", json={"thread_id": str(uuid4())}, headers=ann)).json()["thread_id"]
    told = [await public.get(f"/threads/{one}", headers=bob) for one in (made, str(uuid4()))]
    told += [await public.post("/threads", json={"thread_id": made}, headers=bob)]
    assert [one.status_code for one in told] == [404] * 3


async def test_no_user_takes_the_name_of_a_thread_that_the_command_begins(
    public: httpx.AsyncClient, tokens: dict[str, str]
):
    ann, operator = bearer(tokens["ann"]), bearer(tokens["operator"])
    await asyncio.to_thread(require_own_thread, os.environ["WEIWO_HOME"], "begun")  # nothing is asked on it yet
    assert (await public.post("/threads", json={"thread_id": "begun"}, headers=ann)).status_code == 200
    await public.delete("/threads/begun", headers=ann)
    await ask_by_command("begun")
    for method, path in (("GET", ""), ("GET", "/state"), ("POST", "/history"), ("DELETE", "")):
        assert (await public.request(method, f"/threads/begun{path}", headers=ann)).status_code == 404
    assert "42" in (await public.get("/threads/begun/state", headers=operator)).text
    listed = (await public.post("/threads/search", json={}, headers=operator)).json()
    assert [one["thread_id"] for one in listed] == ["begun"]


def test_where_no_server_has_worked_no_records_are_made(tmp_path: Path):
    require_own_thread(str(tmp_path), "mine")
    assert list(tmp_path.iterdir()) == []
