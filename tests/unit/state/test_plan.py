"""The plan's form: JSON in and out, references, edges, order, Mermaid."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from weiwo.state import Plan, PlanFormatError, Task
from weiwo.state.plan import parse_type
from weiwo.state.plan_form import _LONGEST_THOUGHT

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


# Identity


def chain(first: str = "a", second: str = "b", **more) -> Plan:
    tasks = (
        Task(id=first, description="Who wrote it?", tool="find", args={"query": "it"}),
        Task(
            id=second,
            description=f"When was {{{{{first}.ret}}}} born?",
            tool="find",
            args={"q": [{"x": f"{{{{{first}}}}}"}]},
        ),
    )
    return Plan(tasks=tasks, **more)


def test_a_key_is_what_a_task_asks_whatever_it_is_called():
    assert [*chain().keys().values()] == [*chain("x", "a").keys().values()]
    assert len(set(chain().keys().values())) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"description": "Who wrote it"},
        {"tool": "other"},
        {"args": {"query": "them"}},
        {"args": {"query": "it", "k": 1}},
        {"ret": "date"},
        {"for_each": "{{z.ret}}"},
    ],
)
def test_a_key_covers_all_that_is_upstream(change):
    plan = chain()
    first = plan.task("a").model_copy(update=change)
    changed = plan.model_copy(update={"tasks": (first, plan.task("b"))})
    assert set(changed.keys().values()).isdisjoint(plan.keys().values())


def test_a_key_is_the_same_in_every_process_and_for_every_spelling_of_a_reference():
    assert chain().keys()["a"] == "0f204ededb89db20"
    spelled = [Task(id="b", description=text, tool="t") for text in ("{{ a }} x", "{{a.ret}} x", "{{a}} x")]
    assert len({task.key({"a": "k"}) for task in spelled}) == 1
    assert len({task.key({}) for task in spelled}) == 1


def test_a_key_takes_no_notice_of_declared_edges_revision_and_item():
    assert chain(links=(("a", "b"),), revision=3, decided_by="model", wish="w").keys() == chain().keys()
    each = Task(id="e", description="{{item}}?", tool="t", for_each="{{a.ret}}")
    assert each.referring({"a": "z", "item": "no"}).description == "{{item}}?"
    assert each.referring({"a": "z"}).for_each == "{{z.ret}}"


def test_a_cycle_has_no_keys():
    loop = Plan(tasks=(Task(id="a", description="{{b}}", tool="t"), Task(id="b", description="{{a}}", tool="t")))
    with pytest.raises(PlanFormatError, match="wait for each other"):
        loop.keys()


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3), st.text(max_size=30))
def test_every_text_has_a_key(args, description):
    task = Task(id="a", description=description, tool="t", args=args)
    assert task.key({}) == task.model_copy(update={"id": "b"}).key({})


def test_what_is_worked_out_about_a_plan_is_no_part_of_it():
    known, plain = chain(), chain()
    assert known.edges == (("a", "b"),)
    assert known.keys()
    assert known == plain
    assert plain == known
    assert known.model_dump_json() == plain.model_dump_json()
    serde = JsonPlusSerializer(allowed_msgpack_modules=[(m.__module__, m.__name__) for m in (Plan, Task)])
    assert serde.dumps_typed(known) == serde.dumps_typed(plain)
    assert serde.loads_typed(serde.dumps_typed(known)) == plain
    assert repr(known) == repr(plain)


def test_a_changed_copy_knows_nothing_of_the_original():
    plan = chain()
    assert (plan.edges, len(plan.keys())) == ((("a", "b"),), 2)
    shorter = plan.model_copy(update={"tasks": plan.tasks[:1]})
    assert (shorter.edges, list(shorter.keys()), shorter.final_ids) == ((), ["a"], ("a",))
    assert plan.final_ids == ("b",)


def test_the_first_of_two_tasks_with_one_id_is_found():
    one, other = Task(id="a", description="1", tool="t"), Task(id="a", description="2", tool="t")
    assert Plan(tasks=(one, other)).task("a") is one
    with pytest.raises(KeyError):
        Plan(tasks=(one,)).task("b")


def test_thoughts_are_part_of_the_interchange_form_and_not_of_a_tasks_identity() -> None:
    task = Task(id="a", description="Who?", tool="t", thought="the first part")
    plan = Plan(tasks=(task,), thought="One look-up.")
    assert Plan.from_json(plan.to_json()) == plan
    assert plan.keys() == Plan(tasks=(task.model_copy(update={"thought": ""}),)).keys()
    assert "thought" not in Plan(tasks=(task,)).to_json()
    long = {**plan.to_json(), "thought": "so\n" * 1_000}
    assert len(Plan.from_json(long).thought) == _LONGEST_THOUGHT
