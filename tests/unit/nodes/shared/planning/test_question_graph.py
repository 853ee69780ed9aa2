"""The question graph: each question under the one it came from, read in few tokens, wherever deepening attached it."""

import pytest

from tests.support.states import got, lost
from weiwo.nodes.shared.planning.question_graph import format_question_graph, nest_questions
from weiwo.nodes.shared.planning.task_identity import adopt_ids
from weiwo.state import Hop, OutcomeDetail, Plan, Repair, Task
from weiwo.state.repair import revise


def ask(task_id: str, asks: str, **more: object) -> Task:
    return Task(id=task_id, description=asks, tool="corpus_search", args={"query": asks}, **more)  # type: ignore[arg-type]


PLAN = Plan(
    tasks=(
        ask("a", "Who built the bridge?"),
        ask("b", "When was {{a.ret}} born?", ret="date"),
        ask("c", "What did it cost?", ret="number", thought="the sceptic asks"),
        ask("d", "Why did an audit differ?", parent="c", thought="two figures were found"),
        ask("e", "Was {{a.ret}} paid {{c.ret}}?", ret="boolean"),
        ask("f", "Who audited it?", parent="d"),
    )
)


def test_a_question_stands_under_its_parent_else_under_the_one_it_builds_on():
    assert PLAN.parents == {"a": "", "b": "a", "c": "", "d": "c", "e": "", "f": "d"}
    known = {"a": got("a", "Mara <passage> Lind", "text"), "c": got("c", 6, "number"), "d": lost("d", "empty")}
    chain = OutcomeDetail(hops=(Hop(question="Which audit?", value="that of 1950", evidence_ids=(), quotes=()),))
    known["c"] = known["c"].model_copy(update={"detail": chain})
    assert format_question_graph(PLAN, known, "en", remarks={"d": "; call: x"}).splitlines() == [
        "- a (text): Who built the bridge? → Mara <\\passage> Lind",
        " - b (date): When was Mara <\\passage> Lind born?",
        "- c (number): What did it cost? [the sceptic asks] → 6",
        " · Which audit? → that of 1950",
        " - d (text): Why did an audit differ? [two figures were found] → ✗ d: empty; call: x",
        "  - f (text): Who audited it?",
        "- e (boolean): Was Mara <\\passage> Lind paid 6? ← a, c",
    ]


def test_programs_have_it_nested_with_counts():
    known = {"a": got("a", "Mara Lind", "text"), "c": got("c", 6, "number"), "d": lost("d", "empty")}
    nested = nest_questions(PLAN, known, "en")
    assert nested["counts"] == {"answered": 2, "pending": 3, "failed": 1}
    first, second, third = nested["questions"]
    assert (first["value"], first["questions"][0]["question"]) == ("Mara Lind", "When was Mara Lind born?")
    assert [(one["id"], one["state"], "value" in one) for one in second["questions"]] == [("d", "failed", False)]
    assert [one["id"] for one in second["questions"][0]["questions"]] == ["f"]
    assert third == {"id": "e", "question": "Was Mara Lind paid 6?", "state": "pending", "questions": []}


def test_what_does_not_count_as_finished_is_marked():
    told = format_question_graph(PLAN, {"a": got("a", "Mara Lind", "text")}, "en", finished=())
    assert told.startswith("- a (text): Who built the bridge? → ✗ Mara Lind")


@pytest.mark.parametrize("tasks", [{"a": "b", "b": "a"}, {"a": "a"}, {"a": "gone"}, {"a": "b", "b": "c", "c": "a"}])
def test_parents_never_go_round(tasks):
    plan = Plan(tasks=tuple(ask(name, f"What of {name}?", parent=parent) for name, parent in tasks.items()))
    assert "" in plan.parents.values()
    told = format_question_graph(plan, {}, "en")
    assert all(told.count(f"- {name} (") == 1 for name in tasks)


def test_a_parent_is_no_part_of_what_a_task_asks_and_goes_over_the_wire():
    assert PLAN.keys()["d"] == PLAN.model_copy(update={"tasks": (ask("d", "Why did an audit differ?"),)}).keys()["d"]
    again = Plan.from_json(PLAN.to_json())
    assert again.parents == PLAN.parents
    assert "parent" not in PLAN.to_json()["vertices"][1]
    written = [
        {"id": n, "description": "?", "tool": "t", "parent": p}
        for n, p in (("task_9", "{{task_1.ret}}"), ("x", "none at all"), ("y", "danube"))  # of an earlier plan
    ]
    assert [task.parent for task in Plan.read({"vertices": written}).plan.tasks] == ["task_1", "", "danube"]


def test_parents_follow_the_tasks_they_name():
    kept = Plan(tasks=PLAN.tasks[:1])
    sketch = Plan(
        tasks=(ask("a", "What did it cost?"), ask("x", "Why so much?", parent="a"), ask("y", "Who?", parent="x"))
    )
    merged = adopt_ids(sketch, kept, [kept])
    assert merged.parents == {"a": "", "a_2": "", "x": "a_2", "y": "x"}
    repaired = revise(PLAN, [Repair(task_id="c", tasks=(ask("c_2", "At what price?", ret="number"),), reason="")])[-1]
    assert repaired.parents["d"] == "c_2"
