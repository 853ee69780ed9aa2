"""Deep search: perspectives first, then rounds of tasks until reflection says that the question is covered."""

from typing import Any

import pytest
from langchain_core.tools import BaseTool

from tests.support.fake_model import FakeModel, ScriptedError, fake
from tests.support.run import search_tool
from weiwo.graph import build_graph
from weiwo.state import Plan
from weiwo.state.settings import Context

pytestmark = pytest.mark.usefixtures("indexed_home")

QUESTION = "What is known about the bridge of Ansel?"
FACTS = {
    "opened": "The bridge of Ansel was opened in 1931.",
    "cost": "The bridge of Ansel cost 4 million crowns, said its builders.",
    "dispute": "An audit of 1950 found that the bridge of Ansel had cost 6 million crowns.",
}
VIEWS = [
    {"who": "An engineer", "wants": "when it was opened"},
    {"who": "A sceptic", "wants": "what it really cost"},
    {"who": "", "wants": ""},
]


def plan(*names: str) -> dict[str, Any]:
    vertices = [
        {"id": name, "description": f"What of the {name}?", "tool_binding": "corpus_search", "args": {"query": name}}
        for name in names
    ]
    return {"thought": "", "vertices": vertices}


def reads(request: Any) -> dict[str, Any]:
    """The fact that was found, whole."""
    fact = next(text for text in FACTS.values() if text in request.text)
    return {"next": "answer", "value": fact, "quotes": [{"passage": 1, "text": fact}], "confidence": 0.9}


def model(plans: list[Any], decisions: list[Any], perspectives: Any = None) -> FakeModel:
    return fake(
        AssessmentReply={
            "standalone_question": QUESTION,
            "external_information": 0.9,
            "tool_use": 0.9,
            "multi_step": 0.0,
            "comparison_or_calculation": 0.0,
            "reason": "one look-up",
        },
        PerspectivesReply=perspectives or {"perspectives": VIEWS},
        PlanReply=plans,
        ReadReply=reads,
        ReflectionReply=decisions,
        draft=writes,
    )


def writes(request: Any) -> str:
    """Every fact that the prompt shows, with its number."""
    there = [text for text in FACTS.values() if text in request.text]
    return " ".join(f"{text} [{n}]" for n, text in enumerate(there, 1))


async def asked(chat: FakeModel, depth: str = "deep", **more: Any) -> tuple[dict[str, Any], BaseTool]:
    tool = search_tool(lambda query: FACTS.get(query, FACTS["opened"] if "bridge" in query else None))
    context = Context(depth=depth, **more)
    state = await build_graph(models=chat, tools=[tool]).ainvoke({"question": QUESTION}, context=context)
    return state["result"], tool


def decision(name: str, *missing: str) -> dict[str, Any]:
    return {"decision": name, "reason": f"{name} as scripted", "missing": list(missing)}


async def test_perspectives_lead_the_plan_and_rounds_add_tasks_until_all_is_covered() -> None:
    chat = model(
        [plan("opened"), plan("cost"), plan("dispute")],
        [decision("deepen", "what it cost"), decision("deepen", "whether that is right"), decision("finish")],
    )
    result, tool = await asked(chat)
    assert result["level"] == "complex"
    assert result["plan"]["perspectives"] == ["An engineer: when it was opened", "A sceptic: what it really cost"]
    first, second, third = chat.asked("PlanReply")
    assert "- A sceptic: what it really cost" in first.text
    assert "Missing: what it cost" in second.text
    assert "part of it failed" not in second.text
    assert FACTS["cost"] in third.text
    assert all("- An engineer: when it was opened" in request.text for request in chat.asked("ReflectionReply"))
    assert (tool.metadata or {})["calls"] == ["opened", "cost", "dispute"]  # nothing asked twice
    assert [one["decision"] for one in result["reflections"]] == ["deepen", "deepen", "finish"]
    assert result["plan"]["revision"] == 2
    assert (result["status"], len(result["citations"])) == ("complete", 3)


async def test_a_search_that_is_not_deep_ends_when_every_task_has_an_outcome() -> None:
    chat = model([plan("opened")], [decision("deepen", "more")])
    result, _ = await asked(chat, "normal")
    assert [one["decision"] for one in result["reflections"]] == ["finish"]
    assert "perspectives" not in result["plan"]
    assert chat.asked("PerspectivesReply") == chat.asked("ReflectionReply") == []


async def test_rounds_end_at_the_limit() -> None:
    chat = model([plan("opened"), plan("cost"), plan("dispute")], [decision("deepen", "more")])
    result, _ = await asked(chat, max_replans=2)
    assert [one["decision"] for one in result["reflections"]] == ["deepen", "deepen", "finish"]
    assert len(chat.asked("ReflectionReply")) == 2


async def test_a_round_for_which_no_new_task_is_known_ends_the_search() -> None:
    chat = model([plan("opened")], [decision("deepen", "more")])  # the same plan again and again
    result, tool = await asked(chat)
    assert [one["decision"] for one in result["reflections"]] == ["deepen", "finish"]
    assert (tool.metadata or {})["calls"] == ["opened"]
    assert (result["status"], result["stop_reason"]) == ("partial", "not_found")
    assert [(gap["kind"], gap["text"]) for gap in result["gaps"]] == [("uncovered", "Not found: more")]
    assert "Not found: more" in result["answer"]


async def test_without_perspectives_the_plan_is_made_all_the_same() -> None:
    chat = model([plan("opened")], [decision("finish")], perspectives=ScriptedError("down"))
    result, _ = await asked(chat)
    assert "perspectives" not in result["plan"]
    assert result["status"] == "complete"
    assert any(call["purpose"] == "perspectives" and call["error"] for call in result["usage"]["calls"])


async def test_when_the_judge_fails_the_search_ends_with_what_it_has() -> None:
    chat = model([plan("opened")], [ScriptedError("down")])
    result, _ = await asked(chat)
    assert [(one["decision"], one["decided_by"]) for one in result["reflections"]] == [("finish", "rule")]


async def test_rules_alone_have_no_perspectives_but_look_further() -> None:
    tool = search_tool(lambda _: "The bridge of Ansel was opened in 1931.")
    state = await build_graph(tools=[tool]).ainvoke(
        {"question": "When was the bridge of Ansel opened?"}, context=Context(depth="deep")
    )
    assert "1931" in state["result"]["answer"]
    assert "perspectives" not in (state["result"]["plan"] or {})


def test_perspectives_are_part_of_the_interchange_form() -> None:
    made = Plan(tasks=(), perspectives=("An engineer: when",))
    assert made.to_json()["perspectives"] == ["An engineer: when"]
    assert "perspectives" not in Plan(tasks=()).to_json()
