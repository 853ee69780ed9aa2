"""The shapes in which models were seen to give the right content, one test a shape."""

import pytest

from weiwo.models.coercion import SchemaMismatchError, coerce_reply
from weiwo.nodes.executor.replies import ReadReply
from weiwo.nodes.master.prompt import AssessmentReply
from weiwo.nodes.reflection.prompt import ReflectionReply
from weiwo.nodes.shared.planning.plan_reply import PlanReply
from weiwo.state import Plan

VERTEX = {"id": "a", "description": "When?", "tool_binding": "s", "args": {"query": "q"}, "ret": "date"}


def read(**more: object) -> ReadReply:
    return coerce_reply({"next": "answer", "value": "1815", **more}, ReadReply)


def vertex(**more: object) -> dict[str, object]:
    return coerce_reply({"vertices": [{**VERTEX, **more}]}, PlanReply).vertices[0].model_dump()


def test_null_is_the_default_of_an_optional_field():
    reply = read(value=None, quotes=None, missing=None, query=None, open=None, confidence=None)
    assert (reply.quotes, reply.missing, reply.queries, reply.passage, reply.confidence) == ([], "", [], 0, 0.5)
    plan = coerce_reply(
        {"thought": None, "edges": None, "vertices": [{**VERTEX, "args": None, "ret": None}]}, PlanReply
    )
    assert (plan.edges, plan.vertices[0].args, plan.vertices[0].ret) == ([], {}, "text")
    assert coerce_reply({"decision": "finish", "missing": None}, ReflectionReply).missing == []


def test_one_is_a_list_of_one_and_the_other_way_round():
    assert coerce_reply({"reason": "r", "decision": "finish", "missing": "x"}, ReflectionReply).missing == ["x"]
    assert coerce_reply({"reason": ["r"], "decision": ["finish"]}, ReflectionReply).reason == "r"
    assert read(missing=["the day", "the month"]).missing == "the day; the month"
    assert read(query=["Ada Lovelace"]).queries == ["Ada Lovelace"]
    assert vertex(for_each=["{{b.ret}}"])["for_each"] == "{{b.ret}}"


@pytest.mark.parametrize(("said", "meant"), [("Answer", "answer"), ("give up", "give_up"), ("Give_Up.", "give_up")])
def test_a_choice_is_known_by_its_letters(said, meant):
    assert read(next=said).next == meant


def test_another_word_is_no_choice():
    with pytest.raises(SchemaMismatchError, match="next"):
        read(next="dance")


@pytest.mark.parametrize(
    ("quotes", "meant"),
    [
        ([{"passage": "[2]", "text": "w"}], [(2, "w")]),
        ([{"passage": "1", "text": "w"}], [(1, "w")]),
        ([{"passage": "passage 3", "quote": "w"}], [(3, "w")]),
        ([{"passage": [4], "text": "w"}], [(4, "w")]),
        ([{"passage": None, "text": "w"}], [(0, "w")]),
        ([{"text": "w"}], [(0, "w")]),
        (["w", "v"], [(0, "w"), (0, "v")]),
        ("w", [(0, "w")]),
        ({"passage": 1, "text": "w"}, [(1, "w")]),
        ('[{"passage": 1, "text": "w"}]', [(1, "w")]),
        ("", []),
    ],
)
def test_quotes(quotes, meant):
    assert [(quote.passage, quote.text) for quote in read(quotes=quotes).quotes] == meant


@pytest.mark.parametrize(("said", "meant"), [("[2]", 2), ("2", 2), (2.0, 2), (False, 0), ("none", 0)])
def test_the_document_to_open(said, meant):
    assert read(open=said).passage == meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [("high", 0.9), ("Medium", 0.5), ("低", 0.2), ("90%", 0.9), (90, 0.9), ("0.7", 0.7), ("8/10", 0.8), (True, 1.0)],
)
def test_a_share_of_one(said, meant):
    assert read(confidence=said).confidence == meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        *((said, True) for said in (True, "true", "Yes", 1, 0.8, "high", "是")),
        *((said, False) for said in (False, "no", 0, 0.2, "0.3", "low")),
    ],
)
def test_a_judgement_that_is_true_or_false(said: object, *, meant: bool) -> None:
    flags = dict.fromkeys(("multi_step", "external_information", "tool_use", "comparison_or_calculation"), said)
    reply = coerce_reply({"standalone_question": "Who?", "scores": flags}, AssessmentReply)
    assert (reply.multi_step, reply.comparison_or_calculation, reply.reason) == (meant, meant, "")


@pytest.mark.parametrize(
    ("edges", "meant"),
    [
        ([{"from": "a", "to": "b"}], [["a", "b"]]),
        ([{"source": "a", "target": "b"}], [["a", "b"]]),
        (["a->b", "b → c"], [["a", "b"], ["b", "c"]]),
        ("a -> b -> c", [["a", "b"], ["b", "c"]]),
        ({"a": ["b", "c"]}, [["a", "b"], ["a", "c"]]),
        ([[1, 2]], [["1", "2"]]),
        ([["a"], [], 3, "and so on", None, ["a", "b", "c"], {"from": "a"}], []),
        ('[["a", "b"]]', [["a", "b"]]),
    ],
)
def test_edges(edges, meant):
    assert coerce_reply({"vertices": [VERTEX], "edges": edges}, PlanReply).edges == meant


def test_names_of_fields():
    plain = vertex()
    task = {key: value for key, value in VERTEX.items() if key not in {"tool_binding", "args"}}
    task |= {"tool": "s", "arguments": {"query": "q"}}
    for reply in (
        {"vertices": [task]},
        {"tasks": [task]},
        {"thought": "t", "plan": {"vertices": [task], "edges": []}},
        {"thought": "t", "plan": {"tasks": [task]}},
        {"thought": "t", "plan": [task]},
        {"plan": {"thought": "t", "vertices": [task]}},
        [task],
    ):
        assert coerce_reply(reply, PlanReply).vertices[0].model_dump() == plain


def test_an_id_may_be_a_number_and_a_tool_an_object():
    assert vertex(id=1)["id"] == "1"
    assert vertex(tool_binding={"name": "s"})["tool_binding"] == "s"
    assert vertex(tool_binding=None)["tool_binding"] == "none"
    assert vertex(ret={"type": "date"})["ret"] == "date"
    assert vertex(for_each="null")["for_each"] is None
    assert vertex(for_each=False)["for_each"] is None


@pytest.mark.parametrize(
    "written", ["{{a.ret}}", "a.ret", "a", "{a.ret}", "{a}", "{{a.result}}", "{{ a.output }}", "{{a}}"]
)
def test_what_a_task_iterates_over(written):
    tasks = [VERTEX | {"ret": "list[text]"}, VERTEX | {"id": "b", "for_each": written}]
    assert Plan.from_json({"vertices": tasks}).upstream("b") == ("a",)
