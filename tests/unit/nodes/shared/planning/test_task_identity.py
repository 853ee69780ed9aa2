"""Which new task is an old one: ids follow what is asked, whatever a model calls it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.plans import finished, plans
from tests.support.states import search
from weiwo.nodes.planner.validator import check_plan
from weiwo.nodes.shared.planning.replanning import PlanHistory
from weiwo.nodes.shared.planning.task_identity import adopt_ids, wording_key
from weiwo.state import Limits, Outcome, Plan, Task


class Search:
    args_schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}  # noqa: RUF012 - a stub


TOOLS = {"corpus_search": Search()}
NONE = Plan(tasks=())


def plan_of(*tasks: Task, **more) -> Plan:
    return Plan(tasks=tasks, **more)


ADA, ALAN = search("task_1", "When was Ada born?", "Ada"), search("task_2", "When was Alan born?", "Alan")
NEWS = search("task_3", "What happened in {{task_1.ret}}?", "{{task_1.ret}} news", "text")
OLD = plan_of(ADA, ALAN, NEWS)


def test_what_is_the_same_keeps_its_id_and_references_follow():
    again = plan_of(
        ADA.model_copy(update={"id": "a"}),
        search("b", "When was Alan Turing born?", "Turing"),
        search("c", "What happened in {{a}}?", "{{a.ret}} news", "text"),
        search("d", "Who ruled in {{c.ret}} and {{b}}?", "{{ c.ret }}"),
    )
    plan = adopt_ids(again, plan_of(ADA), (OLD,))
    assert plan.ids == ("task_1", "b", "task_3", "d")
    assert plan.tasks[0] == ADA
    assert plan.task("d").description == "Who ruled in {{task_3.ret}} and {{b.ret}}?"


def test_another_task_under_a_used_id_gets_a_new_one():
    new = plan_of(search("task_1", "Who was Ada?", "Ada"), search("task_1b", "Where is {{task_1.ret}}?", "x"))
    plan = adopt_ids(new, plan_of(ADA), (OLD,))
    assert plan.ids == ("task_1", "task_1c", "task_1b")
    assert plan.task("task_1b").description == "Where is {{task_1c.ret}}?"


def test_an_id_of_any_earlier_revision_is_used():
    earlier = plan_of(search("task_9", "Who?", "who"))
    assert adopt_ids(plan_of(search("task_9", "Where?", "where")), NONE, (earlier, OLD)).ids == ("task_9b",)
    assert adopt_ids(plan_of(search("x", "Who?", "who")), NONE, (earlier, OLD)).ids == ("task_9",)


@pytest.mark.parametrize(
    ("wanted", "taken", "given_"),
    [
        ("task_2", ["task_2"], "task_2b"),
        ("task_2b", ["task_2", "task_2b"], "task_2c"),
        ("task_2", ["task_2", *(f"task_2{letter}" for letter in "bcdefghijklmnopqrstuvwxyz")], "task_2_2"),
        ("ada", ["ada"], "ada_2"),
        ("ada", ["ada", "ada_2"], "ada_3"),
        ("任务", ["任务"], "任务_2"),
    ],
)
def test_free_ids(wanted, taken, given_):
    past = plan_of(*(search(name, f"Old {name}?", name) for name in taken))
    assert adopt_ids(plan_of(search(wanted, "New?", "new")), NONE, (past,)).ids == (given_,)


def test_two_tasks_that_are_one_become_one():
    new = plan_of(
        search("a", "Who?", "who"),
        search("b", "Who?", "who"),
        search("c", "Is it {{a.ret}} or {{b.ret}}?"),
        links=(("b", "c"), ("a", "b")),
    )
    plan = adopt_ids(new, NONE, ())
    assert plan.ids == ("a", "c")
    assert plan.task("c").description == "Is it {{a.ret}} or {{a.ret}}?"
    plan.order()


def test_declared_edges_go_along():
    new = plan_of(search("task_1", "New?", "n"), search("y", "Y?", "y"), links=(("task_1", "y"), ("task_2", "task_1")))
    plan = adopt_ids(new, plan_of(ADA, ALAN), (OLD,))
    assert plan.links == (("task_1b", "y"), ("task_2", "task_1b"))


SAME = [
    ("When was Ada Lovelace born?", "when was ada lovelace born", "date"),
    ("When was Ada Lovelace born?", "In which year was Ada Lovelace born?", "date"),
    ("The capital of France", "the capital of France?", "text"),
    ("Find the author of Emma", "The author of 'Emma'", "text"),
    ("鲁迅是哪一年出生的？", "鲁迅哪年出生", "date"),
    ("《家》的作者是谁？", "请问《家》的作者是谁", "text"),
]
OTHER = [
    ("Where was Ada Lovelace born?", "When was Ada Lovelace born?", "text"),
    ("Who is the father of Ada?", "Who is the mother of Ada?", "text"),
    ("How many trains go from Paris to Rome?", "How many trains go from Rome to Paris?", "number"),
    ("Is Ada older than Alan?", "Is Alan older than Ada?", "boolean"),
    ("鲁迅比胡适大几岁？", "胡适比鲁迅大几岁？", "number"),
    ("鲁迅的父亲是谁？", "鲁迅的母亲是谁？", "text"),
    ("Height of K2 in 1954", "Height of K2 in 1955", "number"),
]


@pytest.mark.parametrize(("one", "other", "ret"), SAME)
def test_a_finished_task_in_slightly_other_words_is_finished(one, other, ret):
    old, new = search("task_1", one, "q words", ret), search("task_5", other, "Q  words.", ret)
    assert adopt_ids(plan_of(new), plan_of(old), (plan_of(old),)).tasks == (old,)


@pytest.mark.parametrize(("one", "other", "ret"), OTHER)
def test_another_question_is_another_task(one, other, ret):
    old, new = search("task_1", one, "q", ret), search("task_1", other, "q", ret)
    assert wording_key(old, {}) != wording_key(new, {})
    assert adopt_ids(plan_of(new), plan_of(old), (plan_of(old),)).ids == ("task_1", "task_1b")


def test_what_a_tool_is_given_counts():
    for change in (
        {"tool": "web_search"},
        {"args": {"query": "q", "k": 3}},
        {"ret": "text"},
        {"for_each": "{{x.ret}}"},
    ):
        assert wording_key(ADA, {}) != wording_key(ADA.model_copy(update=change), {})
    formula = ADA.model_copy(update={"tool": "calculator", "args": {"expression": "1 - 2"}})
    assert wording_key(formula, {}) != wording_key(formula.model_copy(update={"args": {"expression": "1 + 2"}}), {})


# Random plans, random finished parts, random renumberings


def renumbered(plan: Plan, data: st.DataObject) -> tuple[Plan, dict[str, str]]:
    fresh = data.draw(st.permutations([*plan.ids, *(f"n{n}" for n in range(3))]))
    names = dict(zip(plan.ids, fresh, strict=False))
    tasks = tuple(task.referring(names).model_copy(update={"id": names[task.id]}) for task in plan.tasks)
    return Plan(tasks=tasks, links=tuple((names[a], names[b]) for a, b in plan.links)), names


@given(data=st.data())
@examples(150)
def test_whatever_is_planned_anew_ids_stand_for_what_they_stood_for(data):
    """Over several revisions: finished tasks keep id and outcome, plans stay valid, no id changes its meaning."""
    plan = adopt_ids(data.draw(plans()), NONE, ())
    earlier: list[Plan] = []
    outcomes: dict[str, Outcome] = {}
    meaning: dict[str, str] = dict(plan.keys())
    for _ in range(data.draw(st.integers(1, 3))):
        outcomes = {**outcomes, **{key: one for key, one in finished(plan, data).items() if not _known(outcomes, key)}}
        past = PlanHistory(plan, earlier, outcomes)
        assert [task.id for task in past.kept_plan.tasks] == [name for name in plan.ids if outcomes[name].usable]
        again, _ = renumbered(plan, data)
        some = data.draw(st.sampled_from([again, data.draw(plans())]))
        earlier, old = [*earlier, plan], plan
        plan = adopt_ids(some, past.kept_plan, past.revisions)
        assert check_plan(plan, TOOLS, Limits(max_tasks=99)) == []
        for task in past.kept_plan.tasks:
            assert plan.task(task.id) == old.task(task.id)
        asked = set(plan.keys().values())
        assert set(some.keys().values()) <= asked
        for task_id, key in plan.keys().items():
            assert meaning.setdefault(task_id, key) == key


def _known(outcomes: dict[str, Outcome], task_id: str) -> bool:
    return task_id in outcomes and outcomes[task_id].usable


@given(data=st.data())
@examples(100)
def test_the_whole_plan_again_is_the_same_plan_whatever_it_is_called(data):
    plan = adopt_ids(data.draw(plans()), NONE, ())
    outcomes = finished(plan, data)
    past = PlanHistory(plan, (), outcomes)
    again, _ = renumbered(plan, data)
    same = adopt_ids(again, past.kept_plan, past.revisions)
    assert {task.id: task for task in same.tasks} == {task.id: task for task in plan.tasks}
