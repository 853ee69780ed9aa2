"""The Python SDK of LangGraph, unchanged, against the server."""

from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError

from weiwo.app.server.langgraph_api import thread_routes
from weiwo.app.server.wire import ASSISTANT_ID

QUESTION = "How long is the Yangtze?"
MODES = ["custom", "values", "updates", "messages-tuple"]


async def test_a_run_is_streamed_as_the_contract_says(sdk: LangGraphClient):
    thread = await sdk.threads.create()
    created = []
    parts = [
        part
        async for part in sdk.runs.stream(
            thread["thread_id"],
            "weiwo",
            input={"question": QUESTION},
            stream_mode=MODES,
            stream_resumable=True,
            on_run_created=created.append,
        )
    ]
    assert parts[0].event == "metadata"
    run_id = parts[0].data["run_id"]
    assert parts[0].data["attempt"] == 1
    assert created == [{"run_id": run_id, "thread_id": thread["thread_id"]}]
    assert parts[-1].event == "end"
    assert parts[-1].data == {"run_id": run_id, "status": "success"}
    assert [part.id for part in parts] == [f"1-{n}" for n in range(1, len(parts) + 1)]
    kinds = [part.data["type"] for part in parts if part.event == "custom"]
    assert kinds[0] == "assessed"
    assert kinds[-1] == "finished"
    result = [part for part in parts if part.event == "values"][-1].data["result"]
    assert result["question"] == QUESTION
    said = "".join(
        part.data[0]["content"]
        for part in parts
        if part.event == "messages" and part.data[0]["type"] == "AIMessageChunk"
    )
    assert said.startswith(result["answer"][:20])


async def test_what_came_is_replayed_after_any_event(sdk: LangGraphClient):
    thread_id = (await sdk.threads.create())["thread_id"]
    parts = [
        part async for part in sdk.runs.stream(thread_id, "weiwo", input={"question": QUESTION}, stream_mode=MODES)
    ]
    run_id = parts[0].data["run_id"]
    for after in (None, "-1", parts[3].id, parts[-1].id):
        again = [part async for part in sdk.runs.join_stream(thread_id, run_id, last_event_id=after)]
        start = {part.id: n + 1 for n, part in enumerate(parts)}.get(after, 0)
        assert [part.id for part in again] == [part.id for part in parts[start:]]
        assert (again == parts[start:]) is True
    few = [part async for part in sdk.runs.join_stream(thread_id, run_id, stream_mode=["custom"])]
    assert {part.event for part in few} == {"metadata", "custom", "end"}


async def test_a_page_of_history_is_bounded_in_bytes(sdk: LangGraphClient, monkeypatch: pytest.MonkeyPatch):
    thread_id = (await sdk.threads.create())["thread_id"]
    await sdk.runs.wait(thread_id, "weiwo", input={"question": "What is 6 times 7?"})
    whole = await sdk.threads.get_history(thread_id, limit=100)
    monkeypatch.setattr(thread_routes, "_MOST_HISTORY_BYTES", 1)
    read, before = [], None
    while page := await sdk.threads.get_history(thread_id, limit=100, before=before):
        assert len(page) == 1
        read, before = [*read, *page], page[0]["checkpoint"]
    assert read == whole


async def test_state_history_runs_and_join_tell_of_a_run(sdk: LangGraphClient):
    thread_id = (await sdk.threads.create(metadata={"colour": "red"}))["thread_id"]
    run = await sdk.runs.create(thread_id, "weiwo", input={"question": QUESTION}, metadata={"n": 1})
    values = await sdk.runs.join(thread_id, run["run_id"])
    state = await sdk.threads.get_state(thread_id)
    assert state["values"]["result"] == values["result"]
    assert state["next"] == []
    assert (await sdk.runs.get(thread_id, run["run_id"]))["status"] == "success"
    assert [one["run_id"] for one in await sdk.runs.list(thread_id)] == [run["run_id"]]
    history = await sdk.threads.get_history(thread_id, limit=100)
    assert history[0]["checkpoint"]["checkpoint_id"] == state["checkpoint"]["checkpoint_id"]
    earlier = await sdk.threads.get_history(thread_id, limit=1, before=history[1]["checkpoint"])
    assert earlier[0]["checkpoint"]["checkpoint_id"] == history[2]["checkpoint"]["checkpoint_id"]
    at = await sdk.threads.get_state(thread_id, checkpoint_id=history[1]["checkpoint"]["checkpoint_id"])
    assert at["next"] == history[1]["next"]
    thread = await sdk.threads.get(thread_id)
    assert thread["status"] == "idle"
    assert thread["metadata"]["colour"] == "red"
    assert thread["values"]["result"]["question"] == QUESTION


async def test_a_plan_waits_for_a_person_and_goes_on(sdk: LangGraphClient):
    thread_id = (await sdk.threads.create())["thread_id"]
    context = {"approve_plan": True}
    values = await sdk.runs.wait(thread_id, "weiwo", input={"question": QUESTION}, context=context)
    (asked,) = values["__interrupt__"]
    assert asked["value"]["type"] == "approve_plan"
    state = await sdk.threads.get_state(thread_id)
    assert state["next"] == ["approval"]
    assert [one["id"] for one in state["tasks"][0]["interrupts"]] == [asked["id"]]
    assert (await sdk.threads.get(thread_id))["status"] == "interrupted"
    assert [one["thread_id"] for one in await sdk.threads.search(status="interrupted")] == [thread_id]
    assert await sdk.threads.search(status="idle") == []
    values = await sdk.runs.wait(thread_id, "weiwo", command={"resume": "approve"})
    assert "__interrupt__" not in values
    assert values["result"]["status"] in {"complete", "extracts", "partial"}
    with pytest.raises(httpx.HTTPStatusError, match="409"):
        await sdk.runs.wait(thread_id, "weiwo", command={"resume": "approve"})


async def test_threads_are_made_found_changed_copied_and_deleted(sdk: LangGraphClient, http: httpx.AsyncClient):
    first = await sdk.threads.create(thread_id="one", metadata={"a": 1})
    assert (await sdk.threads.create(thread_id="one", if_exists="do_nothing"))["created_at"] == first["created_at"]
    with pytest.raises(ConflictError):
        await sdk.threads.create(thread_id="one")
    await sdk.runs.wait("one", "weiwo", input={"question": QUESTION})
    await sdk.runs.wait("two", "weiwo", input={"question": "Who wrote Faust?"}, if_not_exists="create")
    assert [one["thread_id"] for one in await sdk.threads.search()] == ["two", "one"]
    assert [one["thread_id"] for one in await sdk.threads.search(metadata={"a": 1})] == ["one"]
    for known in ({"graph_id": "weiwo"}, {"assistant_id": ASSISTANT_ID}):  # as Agent Chat UI lists them
        assert len(await sdk.threads.search(metadata=known, limit=100)) == 2
    assert [one["thread_id"] for one in await sdk.threads.search(limit=1, offset=1)] == ["one"]
    found = await http.post("/threads/search", json={"query": "faust", "select": ["thread_id", "metadata"]})
    assert [(one["thread_id"], one["metadata"]["question"]) for one in found.json()] == [("two", "Who wrote Faust?")]
    assert (await sdk.threads.update("one", metadata={"b": 2}))["metadata"].items() >= {"a": 1, "b": 2}.items()
    await http.post("/threads/one/copy")
    copied = (await sdk.threads.search())[0]
    assert copied["values"]["result"]["question"] == QUESTION
    assert len(await sdk.threads.get_history(copied["thread_id"])) == len(await sdk.threads.get_history("one"))
    await sdk.threads.delete("one")
    with pytest.raises(NotFoundError):
        await sdk.threads.get("one")
    with pytest.raises(NotFoundError):
        await sdk.threads.get_state("one")


async def test_the_state_is_changed_and_forked(sdk: LangGraphClient):
    values = await sdk.runs.wait("one", "weiwo", input={"question": QUESTION}, if_not_exists="create")
    history = await sdk.threads.get_history("one", limit=100)
    before = next(one for one in history if one["next"] == ["executor"])
    plan = values["plan"]
    changed = await sdk.threads.update_state("one", {"plan": plan}, checkpoint=before["checkpoint"], as_node="planner")
    state = await sdk.threads.get_state("one")
    assert state["checkpoint"]["checkpoint_id"] == changed["checkpoint"]["checkpoint_id"]
    assert state["parent_checkpoint"]["checkpoint_id"] == before["checkpoint"]["checkpoint_id"]
    again = await sdk.runs.wait("one", "weiwo", input=None)
    assert again["result"]["answer"] == values["result"]["answer"]
    with pytest.raises(UnprocessableEntityError, match="plan"):
        await sdk.threads.update_state("one", {"plan": {"vertices": 7}}, as_node="planner")
    forked = await sdk.runs.wait("one", "weiwo", input=None, checkpoint=before["checkpoint"])
    assert forked["result"]["answer"] == values["result"]["answer"]


async def test_runs_without_a_thread_leave_none(sdk: LangGraphClient):
    values = await sdk.runs.wait(None, "weiwo", input={"question": QUESTION})
    assert values["result"]["question"] == QUESTION
    parts = [
        part
        async for part in sdk.runs.stream(None, "weiwo", input={"messages": [{"role": "user", "content": QUESTION}]})
    ]
    assert parts[-2].data["result"]["question"] == QUESTION
    assert await sdk.threads.search() == []


async def test_the_assistant_is_described(sdk: LangGraphClient):
    (one,) = await sdk.assistants.search(graph_id="weiwo")
    assert (await sdk.assistants.get("weiwo"))["assistant_id"] == one["assistant_id"]
    graph = await sdk.assistants.get_graph(one["assistant_id"], xray=True)
    assert {"master", "planner", "approval", "reflection", "writer"} <= {
        node["id"].partition(":")[0] for node in graph["nodes"]
    }
    schemas = await sdk.assistants.get_schemas("weiwo")
    assert "question" in schemas["input_schema"]["properties"]
    assert "depth" in schemas["context_schema"]["properties"]
    assert "executor" in await sdk.assistants.get_subgraphs("weiwo")
    with pytest.raises(NotFoundError):
        await sdk.assistants.get("other")


BAD: list[tuple[dict[str, object], str]] = [
    ({"input": {"question": " "}}, "the question is empty"),
    ({"input": {}}, "must have a question or messages"),
    ({"input": {"question": "x"}, "command": {"resume": 1}}, "cannot be combined"),
    ({"input": {"question": "x"}, "context": {"tools": ["os:system"]}}, "context.tools"),
    ({"input": {"question": "x"}, "context": {"model": "openai:gpt-5"}}, "context.model"),
    ({"input": {"question": "x"}, "config": {"configurable": {"allow_acting": True}}}, "context.allow_acting"),
    ({"input": {"question": "x"}, "context": {"depth": "deeper"}}, "context.depth"),
    ({"input": {"question": "x"}, "stream_mode": ["events"]}, "modes.0"),
    ({"input": {"question": "x"}, "webhook": "http://x"}, "webhook"),
    ({"input": None}, "has no question yet"),
    ({"command": {"resume": "approve"}}, "has no question yet"),
]


async def test_bad_runs_are_refused_in_one_line(http: httpx.AsyncClient):
    await http.post("/threads", json={"thread_id": "t"})
    for body, said in BAD:
        answer = await http.post("/threads/t/runs", json={"assistant_id": "weiwo", **body})
        assert (body, answer.status_code) == (body, 422)
        assert said in answer.json()["detail"]
        assert "\n" not in answer.json()["detail"]


async def test_what_is_not_there_is_404(http: httpx.AsyncClient):
    for path in ("/threads/none", "/threads/none/state", "/threads/none/runs", "/assistants/none", "/nowhere"):
        answer = await http.get(path)
        assert (path, answer.status_code) == (path, 404)
        assert answer.json()["detail"]
    answer = await http.post("/threads/none/runs", json={"assistant_id": "weiwo", "input": {"question": "x"}})
    assert answer.status_code == 404


async def test_other_stream_modes_and_subgraphs_are_sent_to_who_asks(sdk: LangGraphClient):
    modes = ["messages", "debug", "tasks", "checkpoints"]
    parts = [
        part
        async for part in sdk.runs.stream(
            "t", "weiwo", input={"question": QUESTION}, if_not_exists="create", stream_mode=modes, stream_subgraphs=True
        )
    ]
    names = {part.event for part in parts}
    assert {"messages/metadata", "messages/partial", "debug", "tasks", "checkpoints"} <= names
    assert not {"values", "custom", "updates", "messages"} & names
    assert any(name.startswith("tasks|executor:") for name in names)
    whole = [part.data[0]["content"] for part in parts if part.event == "messages/partial"][-1]
    assert "6,300 kilometres" in whole
    run_id = parts[0].data["run_id"]
    other = [part.event async for part in sdk.runs.join_stream("t", run_id, stream_mode=["custom"])]
    assert any(name.startswith("custom|executor:") for name in other)


OLDER = {"question": "Which is longer, the Yangtze or the Nile?"}
ASKS = {"approve_plan": True}


async def test_a_plan_edited_while_it_waits_is_approved_as_edited(sdk: LangGraphClient):
    await sdk.runs.wait("t", "weiwo", input=OLDER, context=ASKS, if_not_exists="create")
    plan = (await sdk.threads.get_state("t"))["values"]["plan"]
    plan["tasks"][0]["description"] = "How long is the Yangtze, in kilometres?"
    await sdk.threads.update_state("t", {"plan": plan}, as_node="planner")
    assert (await sdk.threads.get("t"))["status"] == "interrupted"
    values = await sdk.runs.wait("t", "weiwo", command={"resume": "approve"})
    assert "in kilometres?" in str(values["result"]["plan"])


async def test_a_null_answer_is_refused_and_the_thread_goes_on_waiting(sdk: LangGraphClient):
    await sdk.runs.wait("t", "weiwo", input=OLDER, context=ASKS, if_not_exists="create")
    answer = await sdk.http.client.post("/threads/t/runs/wait", json={"command": {"resume": None}})
    assert (answer.status_code, "null" in answer.text) == (422, True)
    assert (await sdk.threads.get("t"))["status"] == "interrupted"


async def test_an_answered_id_answers_nothing_else(sdk: LangGraphClient):
    values: Any = await sdk.runs.wait("t", "weiwo", input=OLDER, context=ASKS, if_not_exists="create")
    (asked,) = values["__interrupt__"]
    again: Any = await sdk.runs.wait("t", "weiwo", command={"resume": {asked["id"]: {"reject": "shorter"}}})
    assert again["__interrupt__"][0]["id"] != asked["id"]
    body = {"command": {"resume": {asked["id"]: "approve"}}}
    assert (await sdk.http.client.post("/threads/t/runs/wait", json=body)).status_code == 409
    assert (await sdk.threads.get("t"))["status"] == "interrupted"


async def test_a_reject_with_an_old_checkpoint_rejects(sdk: LangGraphClient):
    await sdk.runs.wait("t", "weiwo", input=OLDER, context=ASKS, if_not_exists="create")
    there = (await sdk.threads.get_state("t"))["checkpoint"]
    await sdk.runs.wait("t", "weiwo", command={"resume": "approve"})
    values: Any = await sdk.runs.wait(
        "t", "weiwo", command={"resume": {"reject": "another way"}}, checkpoint=there, context=ASKS
    )
    assert values["__interrupt__"][0]["value"]["type"] == "approve_plan"
