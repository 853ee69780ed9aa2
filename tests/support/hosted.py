"""What the page does through the routes that are mounted on another server: checks a plan, approves it, cancels."""

from typing import Any

import httpx
from langgraph_sdk.client import LangGraphClient

from tests.support.personas import WU_OR_CAESAR


async def check_plan_approval(http: httpx.AsyncClient, client: LangGraphClient) -> None:
    """A plan that waits is shown and checked, runs once it is approved, and its answer is shown and handed on."""
    page = await http.get("/")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    thread = (await client.threads.create())["thread_id"]
    question = {"question": WU_OR_CAESAR}
    await client.runs.wait(thread, "weiwo", input=question, context={"approve_plan": True})
    state = await client.threads.get_state(thread)
    (asked,) = [one for task in state["tasks"] for one in task["interrupts"]]
    plan: Any = asked["value"]["plan"]
    assert (await http.get(f"/weiwo/threads/{thread}")).json()["status"] == "waiting"
    good = (await http.post(f"/weiwo/threads/{thread}/plan/check", json={"plan": plan})).json()
    assert good["complaints"] == []
    first, *others = plan["vertices"]
    bad = {**plan, "vertices": [{**first, "tool_binding": "crystal_ball"}, *others]}
    checked = (await http.post(f"/weiwo/threads/{thread}/plan/check", json={"plan": bad})).json()
    assert "unknown tool 'crystal_ball'" in checked["complaints"][0]
    values: Any = await client.runs.wait(thread, "weiwo", command={"resume": {asked["id"]: {"plan": good["plan"]}}})
    assert "56 years" in values["result"]["answer"]
    assert "56 years" in (await http.get(f"/weiwo/threads/{thread}")).json()["answer"]
    assert "56 years" in (await http.get(f"/weiwo/threads/{thread}/export?format=md")).text
    page = await http.get(f"/weiwo/threads/{thread}/export?format=html")
    assert "56 years" in page.text


async def check_cancel(http: httpx.AsyncClient, client: LangGraphClient, thread: str, run: str) -> None:
    """A run that is cancelled is shown where it stands."""
    await client.runs.cancel(thread, run, wait=True)
    assert (await client.runs.get(thread, run))["status"] == "interrupted"
    shown = (await http.get(f"/weiwo/threads/{thread}")).json()
    assert (shown["status"], shown["next"]) == ("interrupted", ["executor"])
