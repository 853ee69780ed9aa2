"""The plan validator: a message for each fault, none for a plan that fits."""

import re
from dataclasses import dataclass, field
from typing import Any

import pytest

from weiwo.nodes.planner.validator import check_plan
from weiwo.state import Complaint, Limits, Plan, Task, ValueType


@dataclass
class Interface:
    args_schema: dict[str, Any] = field(default_factory=dict)


def schema(required: list[str], **properties: dict[str, Any]) -> Interface:
    return Interface({"type": "object", "properties": properties, "required": required})


TOOLS = {
    "corpus_search": schema(
        ["query"],
        query={"type": "string"},
        limit={"anyOf": [{"type": "integer"}, {"type": "null"}]},
        exact={"type": "boolean"},
    ),
    "calculator": schema(["expression"], expression={"type": "string"}),
    "date_difference": schema(
        ["start", "end"],
        start={"type": "string"},
        end={"type": "string"},
        unit={"enum": ["years", "age", "months", "days"], "type": "string"},
    ),
    "plot": schema(["points"], points={"type": "array", "items": {"type": "number"}}, scale={"type": "number"}),
}


def search(task_id: str, ret: ValueType = "text", query: str = "x", **more: Any) -> Task:
    return Task(id=task_id, description="find it", tool="corpus_search", args={"query": query, **more}, ret=ret)


def calculate(expression: str, task_id: str = "calc") -> Task:
    return Task(id=task_id, description="compute", tool="calculator", args={"expression": expression}, ret="number")


def faults(
    *tasks: Task, links: tuple[tuple[str, str], ...] = (), limits: Limits | None = None, given: tuple[str, ...] = ()
) -> list[Complaint]:
    return check_plan(Plan(tasks=tasks, links=links), TOOLS, limits or Limits(), given=given)


def test_a_plan_of_one_task_is_a_plan() -> None:
    assert faults(search("task_1")) == []


@pytest.mark.parametrize(
    ("task", "complaint"),
    [
        (Task(id="x", description="compare {{a.ret}}", tool="analyse", ret="list[text]"), ""),
        (Task(id="x", description="compare all", tool="analyse"), "x.description: analyse has nothing to work on"),
        (Task(id="x", description="of {{a.ret}}", tool="analyse", args={"query": "q"}), "x.args: analyse takes none"),
        (Task(id="x", description="of {{a.ret}}", tool="analyse", ret="number"), "x.ret: analyse gives text or"),
    ],
)
def test_an_analysis_works_over_other_tasks(task: Task, complaint: str) -> None:
    found = check_plan(Plan(tasks=(search("a"), task)), {**TOOLS, "analyse": schema([])}, Limits())
    assert any(one.startswith(complaint) for one in found) if complaint else found == []
    unknown = check_plan(Plan(tasks=(search("a"), task)), TOOLS, Limits())  # no model: nobody could do it
    assert any("unknown tool 'analyse'" in one for one in unknown)


def test_a_plan_that_fits() -> None:
    each = Task(
        id="c",
        description="population of {{item}}",
        tool="corpus_search",
        args={"query": "{{item}} population"},
        ret="number",
        for_each="{{l.ret}}",
    )
    assert (
        faults(
            search("a", "date"),
            search("b", "date", "{{n.ret}} born"),
            search("n"),
            search("l", "list[text]"),
            each,
            calculate("sum({{c.ret}}) / 2 + {{a.ret}} - {{b.ret}}"),
            Task(
                id="d",
                description="gap",
                tool="date_difference",
                args={"start": "{{a.ret}}", "end": "1969-07-20", "unit": "age"},
                ret="number",
            ),
            Task(id="p", description="plot", tool="plot", args={"points": "{{c.ret}}", "scale": 2}, ret="text"),
            links=(("a", "b"),),
        )
        == []
    )


@pytest.mark.parametrize(
    ("tasks", "links", "said"),
    [
        ((), (), ["plan has no task"]),
        ((Task(id="t", description="d", tool="nosuch", args={}),), (), ["t.tool_binding", "'nosuch'", "calculator"]),
        ((search("t", query="{{ghost.ret}}"),), (), ["t.args.query", "'ghost'"]),
        ((search("a", query="{{b.ret}}"), search("b", query="{{a.ret}}")), (), ["wait for each other"]),
        ((search("t", query="{{t.ret}}"),), (), ["t.args.query", "refers to itself"]),
        ((search("t"), search("t", query="y")), (), ["t.id", "used by 2 tasks"]),
        ((search("item"),), (), ["item.id", "reserved"]),
        ((search("task 1"),), (), ["task 1.id", "cannot be referred to"]),
        ((Task(id="t", description=" ", tool="corpus_search", args={"query": "x"}),), (), ["t.description", "empty"]),
        ((Task(id="t", description="d", tool="corpus_search", args={}),), (), ["t.args.query", "missing"]),
        ((search("t", query=" "),), (), ["t.args.query", "empty"]),
        ((search("t", depth=3),), (), ["t.args.depth", "no such argument", "query"]),
        ((search("t", limit="many"),), (), ["t.args.limit", "'many'", "integer"]),
        ((search("t", limit=True),), (), ["t.args.limit", "integer"]),
        ((search("t", exact="yes"),), (), ["t.args.exact", "boolean"]),
        ((Task(id="t", description="d", tool="corpus_search", args={"query": ["a"]}),), (), ["t.args.query", "string"]),
        (
            (Task(id="t", description="d", tool="date_difference", args={"start": "1", "end": "2", "unit": "weeks"}),),
            (),
            ["t.args.unit", "'weeks'", "months"],
        ),
        ((search("a"), search("t", limit="{{a.ret}}")), (), ["t.args.limit", "a returns text", "integer"]),
        (
            (search("a", "number"), Task(id="t", description="d", tool="plot", args={"points": "{{a.ret}}"})),
            (),
            ["t.args.points", "array"],
        ),
        ((search("a"), calculate("{{a.ret}} + 1")), (), ["calc.args.expression", "a returns text"]),
        ((search("a", "passages"), calculate("{{a.ret}} + 1")), (), ["calc.args.expression", "passages"]),
        ((search("a", "boolean"), calculate("{{a.ret}} + 1")), (), ["calc.args.expression", "boolean"]),
        ((search("a", "list[number]"), calculate("{{a.ret}} + 1")), (), ["calc.args.expression", "list", "sum()"]),
        ((search("a", "list[text]"), calculate("sum({{a.ret}})")), (), ["calc.args.expression", "list[text]"]),
        (
            (
                search("a"),
                Task(id="t", description="d", tool="date_difference", args={"start": "{{a.ret}}", "end": "2000"}),
            ),
            (),
            ["t.args.start", "a returns text", "date"],
        ),
        (
            (search("a", "date"), search("t").model_copy(update={"for_each": "{{a.ret}}"})),
            (),
            ["t.for_each", "returns date, not a list"],
        ),
        ((search("t").model_copy(update={"for_each": "{{ghost.ret}}"}),), (), ["t.for_each", "'ghost'"]),
        ((search("t").model_copy(update={"for_each": "all of them"}),), (), ["t.for_each", "one reference"]),
        ((search("t").model_copy(update={"for_each": "{{t.ret}}"}),), (), ["t.for_each", "itself"]),
        ((search("t", query="{{item}}"),), (), ["t.args.query", "only in a task with for_each"]),
        ((search("t", query="{{broken born"),), (), ["t.args.query", "malformed"]),
        ((search("a"), search("b")), (("a", "ghost"),), ["edges", "'ghost'"]),
        ((search("a"), search("b")), (("a", "a"),), ["edges", "itself"]),
        ((search("a"), search("b")), (("a", "b"), ("b", "a")), ["wait for each other"]),
    ],
)
def test_each_fault_is_named(tasks: tuple[Task, ...], links: tuple[tuple[str, str], ...], said: list[str]) -> None:
    complaints = faults(*tasks, links=links)
    assert any(all(part in complaint for part in said) for complaint in complaints), complaints
    assert len(complaints) == 1, complaints
    (complaint,) = complaints
    place, colon, why = complaint.render_text("zh").partition("：")
    assert (complaint.render_text("en").startswith(f"{place}: "), colon) == (True, "：")
    assert re.search("[\u4e00-\u9fff]", why), why


def test_too_many_tasks() -> None:
    complaints = faults(*(search(f"t{n}") for n in range(4)), limits=Limits(max_tasks=3))
    assert len(complaints) == 1
    assert "4 tasks" in complaints[0]
    assert "at most 3" in complaints[0]


def test_every_fault_is_reported_at_once() -> None:
    assert len(faults(search("a", query="{{x.ret}}"), search("b", depth=1), calculate("{{a.ret}}"))) == 3


def test_the_item_has_the_type_of_an_item() -> None:
    def each(expression: str) -> Task:
        return calculate(expression).model_copy(update={"for_each": "{{l.ret}}"})

    for name in ("item", "l.ret"):  # inside, the list's own reference means the item too
        assert faults(search("l", "list[number]"), each(f"{{{{{name}}}}} * 2")) == []
        assert len(faults(search("l", "list[text]"), each(f"{{{{{name}}}}} * 2"))) == 1


def test_finished_tasks_may_be_referred_to() -> None:
    assert faults(search("b", query="{{old.ret}}"), given=("old",)) == []
    assert len(faults(search("b", query="{{old.ret}}"))) == 1


def test_passages_can_be_iterated_and_text_takes_everything() -> None:
    each = search("t", query="{{item}}").model_copy(update={"for_each": "{{p.ret}}"})
    assert faults(search("p", "passages"), each, search("q", query="{{p.ret}}")) == []
