"""Replies are read leniently where that takes no guessing."""

from nodes.planner import PlanReply, without_closing_words
from nodes.reader import ReadReply
from nodes.reflection import ReflectionReply
from state import Plan, Task


def test_null_is_the_default_of_an_optional_field():
    reply = ReadReply.model_validate(
        {"next": "give_up", "value": None, "quotes": None, "missing": None, "query": None, "open": None}
    )
    assert (reply.quotes, reply.missing, reply.query, reply.open) == ([], "", "", 0)
    plan = PlanReply.model_validate(
        {
            "thought": None,
            "edges": None,
            "vertices": [{"id": "a", "description": "?", "tool_binding": "s", "args": None, "ret": None}],
        }
    )
    assert (plan.edges, plan.vertices[0].args, plan.vertices[0].ret) == ([], {}, "text")


def test_one_is_a_list_of_one():
    assert ReflectionReply.model_validate({"reason": "r", "decision": "finish", "missing": "x"}).missing == ["x"]


def search(task_id: str, tool: str, query: str) -> Task:
    return Task(id=task_id, description="?", tool=tool, args={"query": query})


def test_a_last_task_that_only_writes_is_left_out():
    plan = Plan(tasks=(search("a", "s", "q"), search("b", "summarize", "{{a.ret}}")), links=(("a", "b"),))
    assert without_closing_words(plan, {"s"}) == Plan(tasks=(search("a", "s", "q"),))


def test_an_unknown_tool_that_others_build_on_is_left_to_the_validator():
    plan = Plan(tasks=(search("a", "oracle", "q"), search("b", "s", "{{a.ret}}")))
    assert without_closing_words(plan, {"s"}) is plan
    only = Plan(tasks=(search("a", "oracle", "q"),))
    assert without_closing_words(only, {"s"}) is only
