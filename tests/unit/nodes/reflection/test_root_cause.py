"""Root causes: what is told to whoever plans another way comes from what was found."""

import pytest

from tests.support.run import services
from tests.support.states import got, lost, passage, search
from weiwo.nodes.planner.prompt import build_revision_prompt
from weiwo.nodes.reflection.monitor import find_cause, monitor_plan
from weiwo.nodes.shared.planning.replanning import PlanHistory
from weiwo.state import Limits, Plan, Reflection

ADA = search("a", "When was Ada Lovelace born?", "Ada Lovelace born")
ABOUT_HER = passage("Ada Lovelace wrote the first programme.", task_ids=("a",))
ABOUT_ANOTHER = passage("Byron wrote poems.", task_ids=("a",))
OF_ANOTHER_TASK = passage("Ada Lovelace lived in London.", task_ids=("b",))


@pytest.mark.parametrize(
    ("kind", "found", "cause"),
    [
        ("timeout", (), "tool"),
        ("crash", (ABOUT_HER,), "tool"),
        ("auth", (), "tool"),
        ("bad_arguments", (), "plan"),
        ("not_found", (), "source"),
        ("empty", (), "query"),
        ("empty", (ABOUT_ANOTHER, OF_ANOTHER_TASK), "query"),
        ("empty", (ABOUT_ANOTHER, ABOUT_HER), "source"),
        ("limit", (), None),
    ],
)
def test_the_cause_follows_from_the_kind_and_from_what_was_found(kind, found, cause):
    assert find_cause(ADA, lost("a", kind), {}, found, "en") == cause


def test_a_subject_that_another_task_found_is_looked_for_by_its_value():
    task = search("b", "When was {{a.ret}} born?", "{{a.ret}} born")
    found = [passage("Mara Lind cast tanks.", task_ids=("b",))]
    inputs = {"a": got("a", "Mara Lind", "text")}
    assert find_cause(task, lost("b"), inputs, found, "en") == "source"
    assert find_cause(task, lost("b"), {"a": got("a", "Otto Berg", "text")}, found, "en") == "query"


def test_a_chinese_subject_is_looked_for_as_well():
    task = search("a", "张衡出生于哪一年？", "张衡 出生")
    found = [passage("张衡发明了地动仪。", task_ids=("a",))]
    assert find_cause(task, lost("a"), {}, found, "zh") == "source"


def test_what_only_waited_has_no_cause_and_the_planner_is_told_the_others():
    plan = Plan(tasks=(ADA, search("b", "How old was she, born {{a.ret}}?", "q {{a.ret}}")))
    outcomes = {"a": lost("a"), "b": lost("b", "incomplete").model_copy(update={"status": "blocked"})}
    report = monitor_plan(plan, outcomes, Limits(), passages=[ABOUT_HER])
    assert [(one.task_id, one.cause) for one in report.failures] == [("a", "source"), ("b", None)]
    look = Reflection(decision="replan", reason="", decided_by="rule", report=report)
    run = services()
    told = build_revision_prompt(PlanHistory(plan, (), outcomes), look, "", run)
    lines = [line for line in told.splitlines() if "cause:" in line]
    assert len(lines) == 1
    assert lines[0].startswith("- a (")
    assert lines[0].endswith("(cause: the sources found do not tell)")
