"""The monitor: every irregularity of an execution, and nothing else."""

import pytest

from tests.support.states import got, lost, search
from weiwo.nodes.reflection.monitor import monitor_plan
from weiwo.state import Limits, MonitorReport, Outcome, Plan
from weiwo.state.evidence import FailureKind

PLAN = Plan(
    tasks=(
        search("a", "When was Ada born?"),
        search("b", "When was Alan born?"),
        search("c", "Between {{a.ret}} and {{b.ret}}?", ret="text"),
    )
)


def seen(*outcomes: Outcome, plan: Plan = PLAN, limits: Limits | None = None) -> MonitorReport:
    return monitor_plan(plan, {outcome.task_id: outcome for outcome in outcomes}, limits or Limits())


def test_all_well():
    report = seen(got("a", "1815"), got("b", "1912"), got("c", "97 years", "text"))
    assert report == MonitorReport(failures=(), finished=("a", "b", "c"), answerable=True)


@pytest.mark.parametrize(
    "kind",
    ["timeout", "rate_limit", "auth", "not_found", "bad_arguments", "empty", "blocked", "oversized", "crash", "limit"],
)
def test_what_went_wrong_with_a_task_is_reported_as_it_is(kind: FailureKind):
    report = seen(got("a", "1815"), lost("b", kind, "why"), lost("c", "incomplete"))
    assert [(f.task_id, f.kind) for f in report.failures] == [("b", kind), ("c", "incomplete")]
    assert report.failures[0].message == "why"
    assert report.finished == ("a",)
    assert not report.answerable


def test_a_task_that_never_ran_is_incomplete():
    report = seen(got("a", "1815"))
    assert [(f.task_id, f.kind) for f in report.failures] == [("b", "incomplete"), ("c", "incomplete")]


def test_a_list_that_lacks_items_is_incomplete_and_names_them():
    report = seen(
        got("a", ["1815"], "list[date]", detail={"items": ["Ada"], "missing": ["Bob", "Eve"]}),
        got("b", "1912"),
        got("c", "x", "text"),
    )
    assert [(f.task_id, f.kind) for f in report.failures] == [("a", "incomplete")]
    assert "Bob, Eve" in report.failures[0].message
    assert report.finished == ("a", "b", "c")
    assert report.answerable


def test_more_than_half_of_the_time_is_slow():
    outcomes = [got("a", "1815", seconds=6.0), got("b", "1912", seconds=5.0), got("c", "x", "text")]
    report = seen(*outcomes, limits=Limits(max_seconds=10))
    assert [(f.task_id, f.kind) for f in report.failures] == [("a", "slow")]
    assert report.answerable


def test_the_same_question_with_two_answers_is_inconsistent():
    plan = Plan(tasks=(search("a", "When was Ada born?"), search("b", "when was Ada Born?", "other words")))
    report = seen(got("a", "1815"), got("b", "1816"), plan=plan)
    assert [(f.task_id, f.kind) for f in report.failures] == [("b", "inconsistent")]
    assert "1815" in report.failures[0].message
    assert "1816" in report.failures[0].message
    assert seen(got("a", "1815"), got("b", "1815"), plan=plan).failures == ()


def test_different_questions_may_have_different_answers():
    plan = Plan(tasks=(search("a", "When was Ada born?"), search("b", "When was Ada born?", ret="text")))
    assert seen(got("a", "1815"), got("b", "early", "text"), plan=plan).failures == ()


def test_answerable_depends_on_the_final_tasks_alone():
    assert seen(lost("a"), got("b", "1912"), got("c", "x", "text")).answerable
    assert not seen(got("a", "1815"), got("b", "1912"), lost("c")).answerable


def test_outcomes_of_earlier_revisions_do_not_count():
    report = seen(got("a", "1815"), got("b", "1912"), got("c", "x", "text"), lost("old", "timeout"), got("older", "1"))
    assert report == MonitorReport(failures=(), finished=("a", "b", "c"), answerable=True)


WEAK = {"decided_by": "model", "confidence": 0.4}


def test_values_that_are_no_firm_ground_are_named_with_whether_others_build_on_them():
    report = seen(got("a", "1815", **WEAK), got("b", "1912", basis="implied"), got("c", "97 years", "text", **WEAK))
    assert [(w.task_id, w.weakness, w.carries) for w in report.weak] == [
        ("a", "doubted", True),
        ("b", "implied", True),
        ("c", "doubted", False),
    ]


def test_what_hangs_on_a_denied_premise_is_no_failure():
    denied = got("a", "Ada was never crowned.", "text", premise="Ada was crowned in 1815")
    blocked = Outcome(task_id="c", status="blocked", failure=lost("c", "incomplete").failure)
    report = seen(denied, got("b", "1912"), blocked)
    assert report.failures == ()
    assert report.finished == ("a", "b")
    assert report.answerable
    assert [failure.task_id for failure in seen(lost("a"), got("b", "1912"), blocked).failures] == ["a", "c"]


def test_a_value_is_doubted_by_what_its_confidence_was_found_to_be_worth():
    plan = Plan(tasks=(search("a", "When was Ada born?"),))
    sure = {"a": got("a", "1815").model_copy(update={"decided_by": "model", "confidence": 0.9})}
    assert monitor_plan(plan, sure, Limits()).weak == ()
    overconfident = (-3.0, 1.0, 1.0, 0.0, 0.0)
    (weak,) = monitor_plan(plan, sure, Limits(), overconfident).weak
    assert weak.weakness == "doubted"
    agreed = {"a": sure["a"].model_copy(update={"support": 8})}
    assert monitor_plan(plan, agreed, Limits(), overconfident).weak == ()
