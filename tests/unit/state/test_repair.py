"""Repairs as revisions: what builds on a replaced task builds on what stands for it, and nothing else changes."""

from tests.support.states import search
from weiwo.state import Plan, Repair, Task
from weiwo.state.repair import revise

PLAN = Plan(
    tasks=(
        search("a", "Who built it?", "builder", "text"),
        search("b", "When was {{a.ret}} born?", "{{a.ret}} born"),
        search("c", "What else?", "else", "text"),
    ),
    links=(("a", "c"),),
)


def instead(task: Task, level: int, *more: Task) -> Repair:
    return Repair(task_id=task.id.rpartition("_")[0], tasks=(*more, task), reason="", level=level)


def test_without_repairs_there_is_no_revision():
    assert revise(PLAN, []) == ()


def test_what_follows_builds_on_the_last_of_what_was_added():
    first = search("a_2", "Which works?", "works", "text")
    last = search("a_3", "Who led {{a_2.ret}}?", "{{a_2.ret}}", "text")
    (revised,) = revise(PLAN, [instead(last, 0, first).model_copy(update={"task_id": "a"})])
    assert revised.ids == ("a_2", "a_3", "b", "c")
    assert revised.task("b").args == {"query": "{{a_3.ret}} born"}
    assert revised.edges == (("a_2", "a_3"), ("a_3", "b"), ("a_3", "c"))
    assert revised.revision == PLAN.revision + 1


def test_a_level_is_a_revision_and_keeps_what_the_ones_before_it_changed():
    a_2, a_2_2 = (search(name, "Who built it?", name, "text") for name in ("a_2", "a_2_2"))
    b_2 = search("b_2", "In which year was {{a_2_2.ret}} born?", "{{a_2_2.ret}}")
    first, second = revise(PLAN, [instead(b_2, 1), instead(a_2_2, 1), instead(a_2, 0)])
    assert first.ids == ("a_2", "b", "c")
    assert first.upstream("b") == ("a_2",)
    assert second.ids == ("a_2_2", "b_2", "c")
    assert second.upstream("b_2") == ("a_2_2",)
    assert second.links == (("a_2_2", "c"),)
    assert (first.revision, second.revision) == (1, 2)
