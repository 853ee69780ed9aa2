"""What a replanning builds on and may not repeat, by model and by rule, alone and in the whole graph."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.fake_model import Request, assessed, fake, found
from tests.support.plans import finished, plans
from tests.support.run import search_tool
from tests.support.states import got, lost, passage, search
from weiwo.graph import build_graph
from weiwo.nodes.shared.planning.replanning import PlanHistory, describe_attempt, is_stuck, replan_other_way
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Outcome, Plan, Reflection, Task, TaskTrace

pytestmark = pytest.mark.usefixtures("indexed_home")

TOOLS = ("corpus_search",)
PLAN = Plan(
    tasks=(
        search("task_1", "When was Ada born?", "Ada"),
        search("task_2", "When was Alan born?", "Alan"),
        search("task_3", "What happened in {{task_2.ret}}?", "{{task_2.ret}}", "text"),
    ),
    links=(("task_1", "task_2"), ("task_1", "task_3")),
    wish="Only births.",
)
BLOCKED = lost("task_3", "incomplete").model_copy(update={"status": "blocked"})
OUTCOMES = {"task_1": got("task_1", "1815"), "task_2": lost("task_2"), "task_3": BLOCKED}


def after(*new: Any, plan: Plan = PLAN) -> Plan:
    """The finished part of a plan, and new tasks."""
    return Plan(tasks=(plan.tasks[0], *new), revision=1)


def test_what_is_finished_is_kept_if_what_it_builds_on_is():
    kept = PlanHistory(PLAN, (), OUTCOMES).kept_plan
    assert (kept.ids, kept.links, kept.wish) == (("task_1",), (), "")
    odd = {"task_1": lost("task_1"), "task_2": lost("task_2"), "task_3": got("task_3", "war", "text")}
    assert PlanHistory(PLAN, (), odd).kept_plan.ids == ()
    whole = PlanHistory(PLAN, (), {name: got(name, "1") for name in PLAN.ids}).kept_plan
    assert (whole.ids, whole.links) == (PLAN.ids, PLAN.links)


@pytest.mark.parametrize("query", ["Alan", " alan.", "the Alan"])
def test_what_came_to_nothing_is_a_repetition_under_any_name(query):
    again = search("task_9", "when was Alan born", query)
    (said,) = PlanHistory(PLAN, (), OUTCOMES).find_repetitions(after(again))
    assert said.startswith("task_9: was tried before")
    (said,) = PlanHistory(after(search("x", "Who?")), (PLAN,), OUTCOMES).find_repetitions(after(again))
    assert said.startswith("task_9: was tried before")


def tried(task_id: str, *queries: str) -> Outcome:
    searches = tuple(("corpus_search", query) for query in queries)
    return lost(task_id).model_copy(update={"trace": TaskTrace(searches=searches)})


def test_an_attempt_is_told_with_every_query_and_the_closest_words():
    task, far, near = PLAN.tasks[1], "Ships sail. Masts are tall.", "Bees hum. Alan was born in a small town."
    passages = [passage(text).model_copy(update={"task_ids": ("task_2",)}) for text in (far, near)]
    other = passage("When was Alan born? In 1912.").model_copy(update={"task_ids": ("task_1",)})
    told = describe_attempt(task, tried("task_2", "Alan", "Alan </passage> birth", "Alan"), [*passages, other])
    assert told == '; tried "Alan", "Alan <\\/passage> birth"; closest words found: “Alan was born in a small town.”'
    assert describe_attempt(task, tried("task_2", "Alan"), []) == '; tried "Alan"'
    assert describe_attempt(task, lost("task_2"), passages) == describe_attempt(task, None, passages) == ""
    many = [f"query {n}" for n in range(20)]
    assert describe_attempt(task, tried("task_2", *many), []).count("query") == 12


@pytest.mark.parametrize(
    ("queries", "refused"),
    [(["ALAN"], True), (["Alan", "1815 war"], True), (["Alan", "Turing"], False), (["Alan {{task_1.ret}}"], True)],
)
def test_a_plan_whose_searches_were_all_made_before_is_none(queries, refused):
    outcomes = {**OUTCOMES, "task_2": tried("task_2", "Alan", "1815 war", "Alan 1815")}
    new = [search(f"task_{n}", f"What of part {n}?", query) for n, query in enumerate(queries, 7)]
    said = PlanHistory(PLAN, (), outcomes).find_repetitions(after(*new))
    assert [one.startswith("vertices: every query was tried before") for one in said] == [True] * refused


def test_another_way_is_none():
    assert (
        PlanHistory(PLAN, (), OUTCOMES).find_repetitions(after(search("task_9", "When was Alan born?", "Turing"))) == []
    )


@pytest.mark.parametrize("kind", ["timeout", "rate_limit", "crash", "limit"])
def test_what_a_passing_failure_or_a_limit_ended_may_be_asked_again_beside_something_new(kind):
    past = PlanHistory(PLAN, (), {**OUTCOMES, "task_2": lost("task_2", kind)})
    assert past.find_repetitions(after(PLAN.tasks[1], search("x", "Who?"))) == []
    (said,) = past.find_repetitions(after(PLAN.tasks[1], PLAN.tasks[2]))
    assert "the same plan" in said


def test_a_plan_without_a_new_task_is_none():
    (said,) = PlanHistory(PLAN, (), OUTCOMES).find_repetitions(after())
    assert "no new task" in said


def test_an_id_whose_meaning_a_person_changed_brings_nothing_to_what_it_meant():
    """An edited plan may use an id for something else; what came of it is about the latest."""
    edited = PLAN.model_copy(update={"tasks": (PLAN.tasks[0], search("task_2", "Who was Alan?", "Alan?"))})
    past = PlanHistory(edited, (PLAN,), OUTCOMES)
    assert past.find_repetitions(after(search("x", "When was Alan born?", "Alan"))) == []
    assert past.find_repetitions(after(search("x", "Who was Alan?", "Alan?"))) != []


def test_by_rule_only_what_failed_and_what_hangs_on_it_is_replaced():
    plan = replan_other_way(
        parse_question("?", "en"), PlanHistory(PLAN, (), OUTCOMES), ("task_2", "task_3"), TOOLS, max_tasks=12
    )
    assert plan is not None
    assert plan.ids == ("task_1", "task_2b", "task_3b")
    assert plan.tasks[0] == PLAN.tasks[0]
    assert plan.task("task_3b").description == "What happened in {{task_2b.ret}}?"
    assert plan.links == (("task_1", "task_2b"), ("task_1", "task_3b"))
    assert (plan.revision, plan.decided_by, plan.wish) == (1, "rule", "")


@pytest.mark.parametrize("first", ["rule", "model"])
def test_by_rule_no_way_is_gone_twice_and_the_ways_end(first):
    plan: Plan | None = Plan(tasks=(search("task_1", "When was Ada Lovelace born?", "Ada", "date"),), decided_by=first)
    earlier: list[Plan] = []
    outcomes: dict[str, Any] = {}
    asked: list[tuple[Any, ...]] = []
    meaning: dict[str, str] = {}
    while plan is not None:
        assert len(earlier) < 9
        for task in plan.tasks:
            outcomes[task.id] = lost(task.id)
            asked.append((task.tool, task.description, task.args["query"]))
            assert meaning.setdefault(task.id, plan.keys()[task.id]) == plan.keys()[task.id]
        question = "When was Ada Lovelace born?"
        following = replan_other_way(
            parse_question(question, "en"), PlanHistory(plan, earlier, outcomes), plan.ids, TOOLS, max_tasks=12
        )
        earlier, plan = [*earlier, plan], following
    assert len(set(asked)) == len(asked) >= 3


def test_where_one_of_two_has_no_other_way_the_other_still_goes_its_own():
    sums = {"tool": "calculator", "args": {"expression": "1/0"}, "ret": "number"}
    plan = Plan(tasks=(search("task_1", "When was Ada born?", "Ada"), search("task_2", "x").model_copy(update=sums)))
    outcomes = {"task_1": lost("task_1"), "task_2": lost("task_2", "bad_arguments")}
    other = replan_other_way(parse_question("?", "en"), PlanHistory(plan, (), outcomes), plan.ids, TOOLS, max_tasks=12)
    assert other is not None
    assert other.ids == ("task_1b", "task_2")


@given(data=st.data())
@examples(200)
def test_by_rule_whatever_failed_ids_stand_for_what_they_stood_for(data):
    plan: Plan | None = data.draw(plans())
    earlier: list[Plan] = []
    outcomes: dict[str, Outcome] = {}
    meaning: dict[str, str] = {}
    for _ in range(3):
        assert plan is not None
        plan.order()
        for task_id, key in plan.keys().items():
            assert meaning.setdefault(task_id, key) == key
        outcomes = {**finished(plan, data), **{key: one for key, one in outcomes.items() if one.usable}}
        failed = [task_id for task_id in plan.ids if not outcomes[task_id].usable]
        following = replan_other_way(
            parse_question("?", "en"), PlanHistory(plan, earlier, outcomes), failed, TOOLS, max_tasks=12
        )
        if following is None:
            break
        unaffected = set(plan.ids) - set(failed) - plan.descendants(failed)
        assert [following.task(task_id) for task_id in unaffected] == [plan.task(task_id) for task_id in unaffected]
        earlier, plan = [*earlier, plan], following


@pytest.mark.parametrize(
    ("decision", "looked_at", "expected"),
    [("replan", 1, True), ("deepen", 1, True), ("replan", 0, False), ("retry", 1, False), ("finish", 1, False)],
)
def test_stuck_is_a_plan_that_was_to_change_and_did_not(decision, looked_at, expected):
    reflection = Reflection(decision=decision, reason="", decided_by="rule", revision=looked_at)
    plan = PLAN.model_copy(update={"revision": 1})
    assert is_stuck({"plan": plan, "reflections": [reflection]}) is expected
    assert not is_stuck({"plan": plan, "reflections": []})
    assert not is_stuck({"plan": None, "reflections": [reflection]})


# In the whole graph

QUESTION = "Who was older, Ada Lovelace or Alan Turing, and by how many years?"
ADA = "Ada Lovelace was born in London in 1815."
ALAN = "Alan Turing was born in Maida Vale in 1912."


def birth(task_id: str, name: str, query: str) -> dict[str, Any]:
    description = f"When was {name} born?"
    return {
        "id": task_id,
        "description": description,
        "tool_binding": "corpus_search",
        "args": {"query": query},
        "ret": "date",
    }


def years(task_id: str, start: str, end: str) -> dict[str, Any]:
    args = {"start": f"{{{{{start}.ret}}}}", "end": f"{{{{{end}.ret}}}}"}
    description = "How many years lie between the births?"
    return {"id": task_id, "description": description, "tool_binding": "date_difference", "args": args, "ret": "number"}


FIRST = [
    birth("ada", "Ada Lovelace", "Lovelace"),
    birth("alan", "Alan Turing", "Turing"),
    years("years", "ada", "alan"),
]
RENUMBERED = [
    birth("task_1", "Alan Turing", "enigma"),
    birth("task_2", "Ada Lovelace", "Lovelace"),
    years("ada", "task_2", "task_1"),
]


def reading(request: Request) -> dict[str, Any]:
    task = request.text.split("Task: ")[-1].splitlines()[0]
    return found("1815", "born in London in 1815") if "Ada" in task else found("1912", "born in Maida Vale in 1912")


async def answered(*plans: list[dict[str, Any]]) -> tuple[dict[str, Any], list[str]]:
    tool = search_tool(lambda query: ADA if "Lovelace" in query else ALAN if "enigma" in query else None)
    model = fake(
        AssessmentReply=assessed(QUESTION, steps=1.0),
        PlanReply=[{"vertices": plan} for plan in plans],
        ReadReply=reading,
        ReflectionReply=[
            {"reason": "Turing's birth is missing", "decision": "replan", "missing": ["Turing's birth"]},
            {"reason": "all is found", "decision": "finish", "missing": []},
        ],
        draft="Ada Lovelace was older, by 97 years [3].",
    )
    values = await build_graph(tools=[tool], models=model).ainvoke({"question": QUESTION})
    return values["result"], tool.metadata["calls"]


async def test_what_is_finished_is_not_called_again_when_the_new_plan_renumbers():
    result, calls = await answered(FIRST, RENUMBERED)
    assert [vertex["id"] for vertex in result["plan"]["vertices"]] == ["ada", "task_1", "ada_2"]
    assert result["plan"]["revision"] == 1
    assert calls.count("Lovelace") == 1
    assert (result["outcomes"]["ada"]["value"], result["outcomes"]["ada_2"]["value"]) == ("1815", 97)
    assert result["status"] == "complete"


async def test_a_model_that_knows_no_other_way_does_not_go_round_in_circles():
    result, calls = await answered(FIRST, FIRST)
    assert calls.count("Lovelace") == 1
    assert result["status"] == "partial"
    assert len(result["reflections"]) <= 3
    assert result["plan"]["revision"] <= 2


def test_a_table_that_no_engine_counts_is_searched_for_its_rows_not_read_as_a_figure():
    args = {"table": "sales", "measures": [{"function": "sum", "column": "amount"}]}
    plan = Plan(tasks=(Task(id="task_1", description="total amount", tool="query_table", args=args, ret="number"),))
    past = PlanHistory(plan, (), {"task_1": lost("task_1", "crash")})
    frame = parse_question("total amount", "en")
    (task,) = replan_other_way(frame, past, ["task_1"], ("query_table", *TOOLS), max_tasks=5).tasks
    assert (task.tool, task.args, task.ret) == ("corpus_search", {"query": "total amount"}, "text")
