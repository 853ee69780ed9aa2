"""Reuse of plans: wordings with slots, plans filled for the same wording, and what is never kept."""

from dataclasses import replace
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from tests.support.fake_model import fake
from tests.support.run import search_tool, services
from tests.support.states import got, state_of
from weiwo.nodes.memory.memory_store import MOST, MemoryStore
from weiwo.nodes.memory.reuse import (
    _fill_template,
    _make_template,
    _take_out_slots,
    learn_plan,
    list_templates,
    mark_bad,
    set_pinned,
)
from weiwo.nodes.planner.node import planner
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Plan

ADA = "Who was older, Ada Lovelace or Alan Turing, and by how many years?"
MARIE = "Who was older, Marie Curie or Lise Meitner, and by how many years?"


def ages(one: str, other: str, **more: Any) -> dict[str, Any]:
    looked = [
        {
            "id": f"task_{n}",
            "description": f"When was {name} born?",
            "tool_binding": "corpus_search",
            "args": {"query": f"{name} born"},
            "ret": "date",
        }
        for n, name in enumerate((one, other), 1)
    ]
    args = {"start": "{{task_1.ret}}", "end": "{{task_2.ret}}", "unit": "years"}
    years = {
        "id": "task_3",
        "description": "How many years lie between?",
        "tool_binding": "date_difference",
        "args": args,
        "ret": "number",
    }
    return {"vertices": [*looked, years], "edges": [], **more}


def plan_of(form: dict[str, Any], **more: Any) -> Plan:
    return Plan.from_json(form).model_copy(update={"decided_by": "model", **more})


@pytest.mark.parametrize(
    ("question", "wording", "slots"),
    [
        (ADA, "who was older, ⟨n1⟩ or ⟨n2⟩, and by how many years", ["Ada Lovelace", "Alan Turing"]),
        ("苏轼和李白谁活得更久？", "⟨n1⟩和⟨n2⟩谁活得更久", ["苏轼", "李白"]),
        ("In 1999, who led the maker of the Walkman?", "in ⟨d1⟩, who led the maker of the ⟨n1⟩", ["1999", "Walkman"]),
        (
            "2021年和2022年《流浪地球》的票房差多少？",
            "⟨d1⟩年和⟨d2⟩年《⟨n1⟩》的票房差多少",
            ["2021", "2022", "流浪地球"],
        ),
    ],
)
def test_names_and_numbers_are_taken_out_of_a_question(question, wording, slots):
    found, taken = _take_out_slots(question)
    assert found == wording
    assert list(taken.values()) == slots


def test_a_template_is_filled_for_another_question_of_the_same_wording():
    template = _make_template(parse_question(ADA, "en"), plan_of(ages("Ada Lovelace", "Alan Turing")))
    assert template is not None
    assert "Ada" not in template.model_dump_json()
    filled = _fill_template(template, _take_out_slots(MARIE)[1])
    assert filled.keys() == plan_of(ages("Marie Curie", "Lise Meitner")).keys()
    assert filled.decided_by == "memory"


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        (ADA, ages("Ada Lovelace", "George Gordon Byron")),  # a name that the question does not say
        (ADA, ages("Ada Lovelace of 1815", "Alan Turing")),  # a number that it does not
        (ADA, ages("Lovelace", "Turing")),  # names in part
        ("Who was the older one of them?", ages("she", "he")),  # nothing to take out
        ("Ada Lovelace?", ages("Ada Lovelace", "Ada Lovelace")),  # no words besides
    ],
)
def test_a_plan_that_holds_for_one_question_makes_no_template(question, plan):
    assert _make_template(parse_question(question, "en"), plan_of(plan)) is None


# In runs.


class Desk:
    """One memory, and runs upon it."""

    def __init__(self, user: str = "local", store: InMemoryStore | None = None) -> None:
        self.store = store or InMemoryStore()
        self.told: list[str] = []
        self.memory = MemoryStore(self.store, user, self.told.append)

    def run(self, model: Any = None, **settings: Any) -> Any:
        run = services(search_tool(lambda _: None), model=model or fake(PlanReply=ages("A B", "C D")))
        changed = replace(run.settings, **settings)
        return type(run)(**{**run.__dict__, "memory": self.memory, "settings": changed})

    async def answer(self, asked: str, plan: Plan, status: Any = "complete", **more: Any) -> str:
        run = self.run()
        outcomes = {task_id: got(task_id, "1815") for task_id in plan.ids}
        state = state_of(asked, run, plan=plan, outcomes=outcomes)
        await learn_plan({**state, **more}, status, run)
        return str(run.run)

    async def plan(self, question: str, model: Any = None, **settings: Any) -> tuple[Plan, Any]:
        model = model or fake(PlanReply=ages("Marie Curie", "Lise Meitner"))
        run = self.run(model, **settings)
        return (await planner(state_of(question, run), run))["plan"], model


@pytest.fixture
async def desk():
    desk = Desk()
    await desk.answer(ADA, plan_of(ages("Ada Lovelace", "Alan Turing")))
    return desk


async def test_the_plan_comes_without_a_planner_call(desk):
    plan, model = await desk.plan(MARIE)
    assert (plan.decided_by, model.requests) == ("memory", [])
    assert [task.description for task in plan.tasks][:2] == [
        "When was Marie Curie born?",
        "When was Lise Meitner born?",
    ]
    assert all(task.frame for task in plan.tasks)
    assert "same wording" in plan.thought


@pytest.mark.parametrize("settings", [{"plan_memory": False}, {"depth": "deep"}])
async def test_where_it_is_off_the_planner_is_asked(desk, settings):
    plan, _ = await desk.plan(MARIE, **settings)
    assert plan.decided_by == "model"


async def test_other_users_have_a_memory_of_their_own(desk):
    other = Desk("client:zoe", desk.store)
    plan, _ = await other.plan(MARIE)
    assert plan.decided_by == "model"
    assert not await list_templates(other.memory)


async def test_a_tool_that_is_gone_sends_it_back_to_the_planner(desk):
    entry = (await desk.memory.list("plans"))[0]
    entry.value["plan"]["vertices"][0]["tool_binding"] = "crystal_ball"
    await desk.memory.store_entry("plans", entry.key, entry.value)
    plan, _ = await desk.plan(MARIE)
    assert plan.decided_by == "model"


async def test_an_answer_that_was_bad_ends_its_use(desk):
    assert not await mark_bad(desk.memory, "another run")
    assert await mark_bad(desk.memory, (await list_templates(desk.memory))[0].runs[-1])
    plan, _ = await desk.plan(MARIE)
    assert plan.decided_by == "model"
    await set_pinned(desk.memory, (await list_templates(desk.memory))[0], pinned=True)  # a person vouches for it
    plan, _ = await desk.plan(MARIE)
    assert plan.decided_by == "memory"


async def test_a_plan_that_does_not_do_is_trusted_no_more(desk):
    filled, _ = await desk.plan(MARIE)
    await desk.answer(MARIE, filled, "partial")
    one = (await list_templates(desk.memory))[0]
    assert (one.wins, one.losses, one.is_trusted) == (1, 1, False)
    plan, _ = await desk.plan(MARIE)
    assert plan.decided_by == "model"


async def test_a_plan_that_does_again_counts(desk):
    filled, _ = await desk.plan(MARIE)
    await desk.answer(MARIE, filled)
    one = (await list_templates(desk.memory))[0]
    assert (one.wins, one.losses, len(one.runs)) == (2, 0, 2)


@pytest.mark.parametrize("status", ["partial", "failed", "extracts"])
async def test_only_complete_answers_are_learned_from(status):
    desk = Desk()
    await desk.answer(ADA, plan_of(ages("Ada Lovelace", "Alan Turing")), status)
    assert not await list_templates(desk.memory)


@pytest.mark.parametrize(
    "update",
    [{"revision": 1}, {"decided_by": "rule"}, {"wish": "otherwise"}, {"perspectives": ("a sceptic",)}],
)
async def test_only_a_models_first_plan_is_kept(update):
    desk = Desk()
    await desk.answer(ADA, plan_of(ages("Ada Lovelace", "Alan Turing"), **update))
    assert not await list_templates(desk.memory)


async def test_a_plan_after_which_another_was_made_is_not_kept():
    desk, plan = Desk(), plan_of(ages("Ada Lovelace", "Alan Turing"))
    await desk.answer(ADA, plan, revisions=[plan])
    assert not await list_templates(desk.memory)


async def test_words_that_are_not_the_users_own_leave_no_trace():
    """A follow-up is rewritten from answers, which quote pages: none of it is kept."""
    desk = Desk()
    await desk.answer(ADA, plan_of(ages("Ada Lovelace", "Alan Turing")), question="and by how many years?")
    assert not await list_templates(desk.memory)


async def test_there_are_only_so_many_and_the_pinned_stay():
    memory = Desk().memory
    for n in range(MOST["wishes"] + 2):
        await memory.store_entry("wishes", str(n), {"pinned": n == 0})
    keys = {entry.key for entry in await memory.list("wishes")}
    assert len(keys) == MOST["wishes"]
    assert keys.isdisjoint({"1", "2"})
    assert "0" in keys


async def test_a_store_that_fails_costs_its_plans_and_is_told():
    class Broken(InMemoryStore):
        async def abatch(self, ops):  # noqa: ARG002 - as the library calls it
            raise OSError("disk")

    desk = Desk(store=Broken())
    await desk.answer(ADA, plan_of(ages("Ada Lovelace", "Alan Turing")))
    plan, _ = await desk.plan(MARIE)
    assert plan.decided_by == "model"
    assert any("memory cannot be read" in line for line in desk.told)
