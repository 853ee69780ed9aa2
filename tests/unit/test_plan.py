"""The plan's form: JSON in and out, references, edges, order, Mermaid."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state import Plan, PlanFormatError, Task
from state.plan import parse_type

VERTICES = [
    {
        "id": "task_1",
        "description": "When was A born?",
        "tool_binding": "s",
        "args": {"query": "A born"},
        "ret": "date",
    },
    {
        "id": "task_2",
        "description": "When was B born?",
        "tool_binding": "s",
        "args": {"query": "B born"},
        "ret": "date",
    },
    {
        "id": "task_3",
        "description": "Years between",
        "tool_binding": "date_difference",
        "args": {"start": "{{task_1.ret}}", "end": "{{ task_2.ret }}", "unit": "years"},
        "ret": "number",
    },
]


def test_edges_follow_from_references():
    plan = Plan.from_json({"vertices": VERTICES})
    assert plan.edges == (("task_1", "task_3"), ("task_2", "task_3"))
    assert plan.upstream("task_3") == ("task_1", "task_2")
    assert plan.final_ids == ("task_3",)
    assert plan.order()[-1] == "task_3"
    assert plan.descendants({"task_1"}) == {"task_3"}


def test_declared_edges_add_to_them():
    plan = Plan.from_json({"vertices": VERTICES, "edges": [["task_1", "task_2"], ["task_1", "task_3"]]})
    assert ("task_1", "task_2") in plan.edges
    assert plan.links == (("task_1", "task_2"),)
    assert plan.order() == ("task_1", "task_2", "task_3")


def test_json_goes_in_and_out_unchanged():
    plan = Plan.from_json(json.dumps({"vertices": VERTICES, "edges": [["task_1", "task_2"]], "revision": 2}))
    assert Plan.from_json(plan.to_json()) == plan
    assert [v["tool_binding"] for v in plan.to_json()["vertices"]] == ["s", "s", "date_difference"]


def test_for_each_returns_a_list_of_what_its_instances_return():
    task = Task(
        id="b", description="x {{item}}", tool="s", args={"query": "{{item}}"}, ret="date", for_each="{{a.ret}}"
    )
    assert task.value_type == "list[date]"
    assert task.references == ("a",)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("string", "text"),
        ("Integer", "number"),
        ("list of numbers", "list[number]"),
        ("list[string]", "list[text]"),
        ("array<date>", "list[date]"),
        ("text[]", "list[text]"),
        ("bool", "boolean"),
        ("string (name)", "text"),
        ("text | null", "text"),
        ("number or None", "number"),
        ("Optional[str]", "text"),
        ("year", "date"),
        ("date (YYYY)", "date"),
        ("list[string (name)]", "list[text]"),
        ("list[str] | null", "list[text]"),
        ("float, in km", "number"),
        ("a poem", None),
    ],
)
def test_types_are_read_as_models_write_them(written, meant):
    assert parse_type(written) == meant


@pytest.mark.parametrize(
    ("plan", "complaint"),
    [
        ("{", "not JSON"),
        ([], "expected an object"),
        ({"vertices": []}, "at least one task"),
        ({"vertices": [{"description": "x"}]}, "vertices[1].id"),
        ({"vertices": [{"id": "a"}]}, "a.tool_binding"),
        ({"vertices": [{"id": "a", "tool_binding": "s", "args": "q"}]}, "a.args"),
        ({"vertices": [{"id": "a", "tool_binding": "s", "ret": "poem"}]}, "a.ret"),
        ({"vertices": [{"id": "a", "tool_binding": "s", "for_each": "all"}]}, "a.for_each"),
        ({"vertices": VERTICES, "edges": [["task_1"]]}, "edges[1]"),
        ({"vertices": VERTICES, "revision": -1}, "revision"),
    ],
)
def test_a_malformed_plan_is_refused_by_task_and_field(plan, complaint):
    with pytest.raises(PlanFormatError, match=complaint.replace("[", r"\[").replace("]", r"\]")):
        Plan.from_json(plan)


def test_every_reference_is_written_the_same_way():
    args = {"query": "{{task_1.result}} {task_2.ret} {{ task_2.ret }} {x}", "more": ["{{task_1.output}}"]}
    later = {"id": "task_3", "description": "When was {{task_1.output}} born?", "tool_binding": "s", "args": args}
    task = Plan.from_json({"vertices": [*VERTICES[:2], later]}).task("task_3")
    assert task.description == "When was {{task_1.ret}} born?"
    assert task.args == {"query": "{{task_1.ret}} {{task_2.ret}} {{ task_2.ret }} {x}", "more": ["{{task_1.ret}}"]}
    assert task.references == ("task_1", "task_2")


def test_all_that_is_malformed_is_said_and_the_rest_is_read():
    bad = [{"id": "b", "tool_binding": "s", "ret": "poem", "for_each": "all"}, {"id": "c", "description": "x"}, 3]
    sketch = Plan.read({"vertices": [*VERTICES, *bad], "edges": [["task_1", "c"], ["x"]]})
    assert [complaint.partition(":")[0] for complaint in sketch.complaints] == [
        "b.ret",
        "b.for_each",
        "c.tool_binding",
        "vertices[6]",
        "edges[2]",
    ]
    assert sketch.plan.ids == ("task_1", "task_2", "task_3")
    assert sketch.plan.links == (("task_1", "c"),)
    assert sketch.broken == {"b", "c"}


def test_a_cycle_is_named():
    tasks = (
        Task(id="a", description="", tool="s", args={"q": "{{b.ret}}"}),
        Task(id="b", description="", tool="s", args={"q": "{{a.ret}}"}),
    )
    with pytest.raises(PlanFormatError, match="wait for each other"):
        Plan(tasks=tasks).order()


def test_mermaid_draws_every_task_and_edge():
    drawing = Plan.from_json({"vertices": VERTICES}).to_mermaid()
    assert drawing.startswith("flowchart TD")
    assert drawing.count("-->") == 2
    assert drawing.count('["task_') == 3


@given(st.text(max_size=60))
def test_no_text_breaks_the_drawing(text):
    plan = Plan(tasks=(Task(id=text or "x", description=text, tool="s"), Task(id="end", description="", tool="s")))
    lines = plan.to_mermaid().splitlines()
    assert len(lines) == 3
    assert all(line.endswith('"]') and line.count('"') == 2 for line in lines[1:])
