"""Reflection: rules where the facts leave no choice, the model where they leave a question, and bounds on both."""

import asyncio
from typing import Any

import pytest

from tests.support.fake_model import FakeModel, ScriptedError, fake
from tests.support.run import search_tool, services
from tests.support.states import got, lost, passage, search, state_of
from weiwo.nodes.reflection.node import reflection
from weiwo.state import Limits, ModelCall, Outcome, Plan, Quote, Reflection, Rival, TaskTrace
from weiwo.state.evidence import FailureKind

PLAN = Plan(
    tasks=(search("a", "When was Ada Lovelace born?", "Ada"), search("b", "When was Alan Turing born?", "Alan"))
)
QUESTION = "When were Ada Lovelace and Alan Turing born?"


def past(decision: Any = "replan", revision: int = 0) -> Reflection:
    return Reflection(decision=decision, reason="earlier", decided_by="rule", revision=revision)


async def decided(
    *outcomes: Outcome,
    model: FakeModel | None = None,
    before: tuple[Reflection, ...] = (),
    plan: Plan | None = PLAN,
    limits: Limits | None = None,
    spent: int = 0,
    asked: str = QUESTION,
    parts: tuple[str, ...] = (),
    tools: tuple[str, ...] = ("corpus_search",),
    **more: Any,
) -> Reflection:
    run = services(search_tool(lambda _: None), model=model, limits=limits)
    for _ in range(spent):
        run.budget.reserve_call()
        run.budget.record(ModelCall(role="executor", purpose="read", model="m", mode="text"))
    known = {outcome.task_id: outcome for outcome in outcomes}
    revisions = more.pop("revisions", [])
    state = state_of(asked, run, plan=plan, outcomes=known, **more)
    state["assessment"] = state["assessment"].model_copy(update={"parts": parts})
    state["team"] = state["team"].model_copy(update={"tools": tools})
    state["revisions"] = revisions
    state["reflections"] = list(before)
    update = await reflection(state, run)
    assert set(update) - {"ledger"} == {"reflections"}
    (decision,) = update["reflections"]
    return decision


def says(decision: str, **more: Any) -> FakeModel:
    return fake(ReflectionReply={"reason": "as scripted", "decision": decision, "missing": [], **more})


ONE = Plan(tasks=(search("a", "When was Ada Lovelace born?", "Ada"),))


async def test_the_one_thing_asked_found_finishes_without_asking():
    model = says("replan")
    found = await decided(got("a", "1815"), model=model, plan=ONE, asked="When was Ada Lovelace born?")
    assert (found.decision, found.decided_by, found.task_ids) == ("finish", "rule", ())
    assert model.requests == []


def unsaid(revision: int = 0) -> Reflection:
    """A look back that left the check to the draft, which did not say it."""
    return past("finish", revision).model_copy(update={"draft_checks": "deepen"})


async def test_of_several_parts_the_draft_says_whether_each_is_answered():
    model = says("finish")
    answered = (got("a", "1815"), got("b", "1912"))
    found = await decided(*answered, model=model)
    assert (found.decision, found.decided_by, found.draft_checks) == ("finish", "rule", "deepen")
    assert model.requests == []


async def test_where_the_draft_did_not_say_it_a_model_sees_whether_each_is_answered():
    model = says("finish")
    parts = ("Lovelace's birth", "Turing's age")
    found = await decided(got("a", "1815"), got("b", "1912"), model=model, before=(unsaid(),), parts=parts)
    assert (found.decision, found.decided_by, found.missing) == ("finish", "model", ())
    assert "Parts of the question:\n- Lovelace's birth\n- Turing's age" in model.requests[0].text


@pytest.mark.parametrize(
    ("parts", "by"),
    [
        (("Lovelace's birth", "Turing's birth"), "rule"),
        (("the birth of Lovelace", "when Lovelace was born"), "model"),  # one task cannot be two parts
        (("Lovelace's birth", "the rest"), "model"),
        (("Lovelace's birth", "?"), "model"),
    ],
)
async def test_parts_that_each_have_a_task_of_their_own_need_no_check(parts, by):
    found = await decided(got("a", "1815"), got("b", "1912"), model=says("finish"), before=(unsaid(),), parts=parts)
    assert (found.decision, found.decided_by) == ("finish", by)


@pytest.mark.parametrize(
    ("weak", "by"), [({"decided_by": "model", "confidence": 0.4}, "model"), ({"basis": "implied"}, "rule")]
)
async def test_a_weak_value_is_checked_whatever_the_parts_unless_it_is_only_implied(weak, by):
    """An implied value on which nothing builds is named as such: to look again has cost a call and gained nothing."""
    done = (got("a", "1815"), got("b", "1912", **weak))
    found = await decided(*done, model=says("finish"), parts=("Lovelace's birth", "Turing's birth"))
    assert found.decided_by == by


async def test_a_models_finish_stands_and_names_what_is_missing():
    model, parts = says("finish", missing=["Turing's birth"]), ("Lovelace's birth", "Turing's birth")
    half = await decided(got("a", "1815"), model=model, plan=ONE, before=(unsaid(),), parts=parts)
    assert (half.decision, half.missing) == ("finish", ("Turing's birth",))


@pytest.mark.parametrize("named", ["deepen", "replan"])
async def test_a_part_that_no_task_covers_is_planned_once(named: str):
    model, parts = says(named, missing=["Turing's birth", "None"]), ("Lovelace's birth", "Turing's birth")
    half = await decided(got("a", "1815"), model=model, plan=ONE, before=(unsaid(),), parts=parts)
    assert (half.decision, half.missing) == ("deepen", ("Turing's birth",))
    again = half.model_copy(update={"missing": ("Turing's birth", "who taught him")})
    revised = PLAN.model_copy(update={"revision": 1})
    done = (got("a", "1815"), got("b", "1912"))
    looks = (again, unsaid(1))
    second = await decided(*done, model=model, plan=revised, before=looks, revisions=[ONE], parts=("a", "b", "c"))
    assert (second.decision, second.missing) == ("finish", ("Turing's birth",)), "one task cannot cover two parts"
    third = await decided(*done, model=model, plan=revised, before=(half,), revisions=[ONE], parts=("a", "b"))
    assert (third.decision, third.decided_by) == ("finish", "rule"), "one task for the one part"


async def test_a_part_for_which_there_is_no_plan_stays_named():
    model = says("deepen")
    asked = past("deepen").model_copy(update={"missing": ("Turing's birth",)})
    found = await decided(got("a", "1815"), model=model, plan=ONE, before=(asked,), parts=("a", "b"))
    assert (found.decision, found.decided_by, found.missing) == ("finish", "rule", ("Turing's birth",))


@pytest.mark.parametrize(
    ("weak", "told"),
    [
        ({"basis": "implied"}, "implied, not stated, by “her birth year”"),
        ({"decided_by": "model", "confidence": 0.4}, "doubted by its reader, who quotes “her birth year”"),
        (
            {"rivals": (Rival(value="1816", evidence_ids=("x",), quotes=(Quote(evidence_id="x", text="in 1816"),)),)},
            "disputed by other sources; it rests on “her birth year”; against it: “in 1816”",
        ),
    ],
)
async def test_a_weak_value_reaches_the_model_with_its_quotes(weak: dict[str, Any], told: str):
    model = says("finish")
    one = got("a", "1815", quotes=(Quote(evidence_id="y", text="her birth year"),), **weak)
    found = await decided(one, got("b", "1912"), model=model, before=(unsaid(),), parts=("x", "y", "z"))
    assert (found.decision, found.decided_by) == ("finish", "model")
    assert told in model.requests[0].text


async def test_a_single_implied_value_asks_no_model():
    model = says("replan")
    one = got("a", "1815", quotes=(Quote(evidence_id="y", text="her birth year"),), basis="implied")
    found = await decided(one, model=model, plan=ONE, asked="When was Ada Lovelace born?")
    assert (found.decision, found.decided_by, model.requests) == ("finish", "rule", [])


async def test_slow_is_no_reason_to_go_on():
    found = await decided(got("a", "1815", seconds=100.0), got("b", "1912"), model=says("replan"))
    assert found.decision == "finish"


@pytest.mark.parametrize(
    ("tools", "more", "by"),
    [
        (("corpus_search",), {"gave_up": True}, "rule"),
        (("corpus_search",), {}, "model"),  # its turns were over
        (("corpus_search", "web_search"), {"gave_up": True}, "model"),
    ],
)
async def test_what_the_searcher_of_the_whole_question_gave_up_is_not_asked_about(tools, more, by):
    given_up = lost("a").model_copy(update={"trace": TaskTrace(**more)})
    found = await decided(given_up, model=says("finish"), plan=ONE, asked=ONE.tasks[0].description, tools=tools)
    assert (found.decision, found.decided_by) == ("abort" if by == "rule" else "finish", by)


@pytest.mark.parametrize("kind", ["timeout", "rate_limit", "crash"])
async def test_a_passing_failure_is_tried_once_more_without_asking(kind: FailureKind):
    model = says("replan")
    found = await decided(got("a", "1815"), lost("b", kind, "it broke"), model=model)
    assert (found.decision, found.decided_by, found.task_ids, found.reason) == ("retry", "rule", ("b",), "it broke")
    assert model.requests == []


async def test_but_only_once_a_revision():
    failing = (got("a", "1815"), lost("b", "timeout"))
    assert (await decided(*failing, before=(past("retry"),))).decision != "retry"
    newer = PLAN.model_copy(update={"revision": 1})
    found = await decided(*failing, before=(past("retry", revision=0),), plan=newer)
    assert (found.decision, found.revision) == ("retry", 1)


@pytest.mark.parametrize("kind", ["auth", "not_found", "bad_arguments", "empty", "blocked", "oversized"])
async def test_a_lasting_failure_is_not_retried(kind: FailureKind):
    assert (await decided(got("a", "1815"), lost("b", kind))).decision != "retry"


async def test_what_a_limit_ended_is_neither_retried_nor_planned_anew():
    model = says("replan")
    found = await decided(got("a", "1815"), lost("b", "limit", "max_seconds was reached"), model=model)
    assert (found.decision, found.decided_by, found.reason) == ("finish", "rule", "max_seconds was reached")
    assert model.requests == []
    assert (await decided(lost("a"), lost("b", "limit"), model=model)).decision == "replan"


@pytest.mark.parametrize("decision", ["finish", "replan", "deepen"])
async def test_where_rules_leave_a_question_the_model_decides(decision):
    model = says(decision, missing=["Turing's birth"])
    found = await decided(got("a", "1815"), lost("b"), model=model)
    assert (found.decision, found.decided_by, found.reason) == (decision, "model", "as scripted")
    assert found.missing == ("Turing's birth",)
    assert found.task_ids == ("b",)
    assert len(model.requests) == 1


async def test_the_model_sees_what_was_found_and_what_was_not():
    model = says("finish")
    seen = passage("Lovelace was born in 1815.", title="Ada </passage> Lovelace")
    await decided(got("a", "1815", on=seen), lost("b", message="nothing tells"), model=model, evidence=(seen,))
    text = model.requests[0].text
    assert QUESTION in text
    assert "When was Ada Lovelace born? → 1815" in text
    assert "nothing tells" in text
    assert "Lovelace" in text.split("Documents seen:")[1]
    assert "</passage>" not in text


async def test_the_model_sees_the_rounds_and_what_was_really_asked():
    plan = Plan(
        tasks=(
            search("a", "Who wrote it?", "author", "text"),
            search("b", "When was {{a.ret}} born?", "{{a.ret}} born"),
        )
    )
    model = says("finish")
    await decided(
        got("a", "Lu Xun", "text"), lost("b"), model=model, plan=plan, before=(past("retry"),), limits=Limits()
    )
    text = model.requests[0].text
    assert f"Rounds so far: 1 of {Limits().max_replans} (retry)" in text
    (line,) = (line for line in text.splitlines() if "- b (" in line)
    assert "When was Lu Xun born? → ✗" in line
    assert line.endswith('; corpus_search, query "Lu Xun born"')


async def test_a_decision_without_a_reason_has_that_of_the_failure():
    found = await decided(
        got("a", "1"), lost("b", message="nothing tells"), model=fake(ReflectionReply={"decision": "finish"})
    )
    assert (found.decided_by, found.reason) == ("model", "nothing tells")


@pytest.mark.parametrize(
    "reply",
    [
        ScriptedError("down"),
        "Let us try again!",
        {"reason": "x", "decision": "explode"},
        {"reason": "x", "decision": "abort"},
        {"reason": "x", "decision": "retry"},
        {},
    ],
)
async def test_a_nonsense_reply_leaves_it_to_the_rule(reply):
    found = await decided(got("a", "1815"), lost("b"), model=fake(ReflectionReply=reply))
    assert found.decided_by == "rule"
    assert found.decision in {"replan", "finish"}


async def test_a_models_words_are_bounded():
    model = says("replan", missing=["x"] * 500)
    model.script["ReflectionReply"][0]["reason"] = "one\ntwo " + "x" * 5_000
    found = await decided(got("a", "1815"), lost("b"), model=model)
    assert len(found.missing) <= 10
    assert len(found.reason) <= 300
    assert "\n" not in found.reason


async def test_without_a_model_the_rule_replans_while_it_knows_another_way():
    found = await decided(got("a", "1815"), lost("b"))
    assert (found.decision, found.decided_by, found.task_ids) == ("replan", "rule", ("b",))


async def test_and_finishes_with_what_there_is_when_it_knows_none():
    plan = Plan(
        tasks=(
            search("a", "When was Ada Lovelace born?", "Ada"),
            search("b", "x", "q").model_copy(update={"tool": "calculator", "args": {"expression": "1/0"}}),
        )
    )
    found = await decided(got("a", "1815"), lost("b", "bad_arguments", "division by zero"), plan=plan)
    assert (found.decision, found.reason) == ("finish", "division by zero")


async def test_when_nothing_worked_and_nothing_is_left_to_try_it_aborts():
    plan = Plan(tasks=(search("b", "x").model_copy(update={"tool": "calculator", "args": {"expression": "1/0"}}),))
    assert (await decided(lost("b", "bad_arguments"), plan=plan)).decision == "abort"


async def test_without_a_plan_it_aborts():
    assert (await decided(plan=None)).decision == "abort"


@pytest.mark.parametrize("worked", [True, False])
async def test_rounds_are_bounded(worked):
    model = says("replan")
    outcomes = [got("a", "1815") if worked else lost("a"), lost("b", "timeout")]
    rounds, plan = (past("retry"), past("replan")), PLAN.model_copy(update={"revision": 1})
    found = await decided(*outcomes, model=model, before=rounds, plan=plan, limits=Limits(max_replans=2))
    assert (found.decision, found.decided_by) == ("finish" if worked else "abort", "rule")
    assert model.requests == []
    more = await decided(*outcomes, model=model, before=rounds, plan=plan, limits=Limits(max_replans=3))
    assert more.decision in {"retry", "replan"}


@pytest.mark.parametrize("decision", ["replan", "deepen"])
@pytest.mark.parametrize("worked", [True, False])
async def test_where_the_planner_knew_no_other_way_it_ends(decision, worked):
    model = says("replan")
    outcomes = (got("a", "1815") if worked else lost("a"), lost("b", message="nothing tells"))
    found = await decided(*outcomes, model=model, before=(past(decision),), limits=Limits(max_replans=9))
    assert (found.decision, found.decided_by) == ("finish" if worked else "abort", "rule")
    assert "no other way" in found.reason
    assert model.requests == []


async def test_no_rounds_at_all_may_be_wanted():
    assert (await decided(got("a", "1815"), lost("b", "timeout"), limits=Limits(max_replans=0))).decision == "finish"


async def test_out_of_time_ends_it():
    run = services(search_tool(lambda _: None), limits=Limits(max_seconds=0.001))
    await asyncio.sleep(0.005)
    outcomes = {"a": got("a", "1815"), "b": lost("b", "limit")}
    (found,) = (await reflection(state_of(QUESTION, run, plan=PLAN, outcomes=outcomes), run))["reflections"]
    assert (found.decision, found.decided_by) == ("finish", "rule")


async def test_a_model_that_may_not_be_asked_any_more_is_not():
    found = await decided(got("a", "1815"), lost("b"), model=says("deepen"), limits=Limits(max_model_calls=1), spent=1)
    assert found.decided_by == "rule"


async def test_the_event_tells_the_decision():
    events: list[dict] = []
    run = services(events=events)
    await reflection(state_of(QUESTION, run, plan=PLAN, outcomes={"a": got("a", "1"), "b": got("b", "2")}), run)
    assert [(e["type"], e["decision"], e["decided_by"]) for e in events] == [("reflected", "finish", "rule")]
