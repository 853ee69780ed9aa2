"""`weiwo show`: earlier plans, what each handed on, what was replaced and why."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.support.states import got, lost, search
from weiwo.app.cli.threads.show import _print_revisions
from weiwo.app.session.revisions import revisions_of
from weiwo.app.session.thread import Thread, thread_as_json
from weiwo.app.session.waiting import Waiting
from weiwo.state import Plan, Reflection

FIRST = Plan(
    tasks=(
        search("task_1", "When was Ada born?", "Ada"),
        search("task_2", "When was Alan born?", "Alan"),
        search("task_3", "What happened in {{task_2.ret}}?", "{{task_2.ret}}", "text"),
    ),
    decided_by="model",
)
OUTCOMES = {
    "task_1": got("task_1", "1815"),
    "task_2": lost("task_2", message="nothing tells when \x1b[31mAlan was born"),
    "task_3": lost("task_3", "incomplete").model_copy(update={"status": "blocked"}),
}
LOOKED_BACK = Reflection(decision="replan", reason="Alan is missing", decided_by="rule", revision=0)


SECOND = Plan(
    tasks=(
        FIRST.task("task_1"),
        search("task_2b", "When was Alan born?", "Alan birth date"),
        search("task_3b", "What happened in {{task_2b.ret}}?", "{{task_2b.ret}}", "text"),
    ),
    revision=1,
    decided_by="model",
)


def values(**more):
    return {"plan": SECOND, "revisions": [FIRST], "outcomes": OUTCOMES, "reflections": [LOOKED_BACK], **more}


def printed(state, language="en", width=200, **more):
    console = Console(file=io.StringIO(), width=width, color_system=None, markup=False, emoji=False, **more)
    _print_revisions(console, revisions_of(state), language)
    return console.file.getvalue()


def test_a_revision_tells_what_was_kept_and_what_was_replaced_and_why():
    (one,) = [revision.to_json() for revision in revisions_of(values())]
    assert one["plan"]["revision"] == 0
    assert (one["kept"], one["replaced"], one["added"]) == (
        ["task_1"],
        ["task_2", "task_3"],
        ["task_2b", "task_3b"],
    )
    assert one["because"] == {"decision": "replan", "reason": "Alan is missing", "decided_by": "rule"}
    assert {key: came["status"] for key, came in one["outcomes"].items()} == {"task_2": "empty", "task_3": "blocked"}


def test_in_a_terminal():
    lines = printed(values()).splitlines()
    assert lines[0] == "Earlier plans"
    assert lines[1] == "  revision 0 · model · kept task_1"
    assert lines[2].startswith(
        "    − task_2: When was Alan born? · corpus_search “Alan” — not found: nothing tells when"
    )
    assert lines[4] == "    ↻ replanned (by rule): Alan is missing"
    assert lines[5].startswith("    + task_2b: When was Alan born? · corpus_search “")
    assert "+ task_3b: What happened in ‹task_2b›? · corpus_search “‹task_2b›”" in lines[6]
    assert "\x1b" not in "".join(lines)


def test_in_chinese_and_on_a_narrow_screen():
    text = printed(values(), "zh", width=30)
    for words in ("先前的计划", "保留task_1", "重新计划（rule）"):
        assert words in "".join(text.split())
    assert max(map(cell_len, text.splitlines())) <= 30


@pytest.mark.parametrize(
    ("change", "because"),
    [
        (
            {"wish": "No years.\nOnly days."},
            {"decision": "rejected", "reason": "No years.\nOnly days.", "decided_by": "person"},
        ),
        ({}, {"decision": "edited", "reason": "", "decided_by": "person"}),
    ],
)
def test_what_a_person_changed_is_said(change, because):
    state = values(reflections=[], outcomes={})
    state["plan"] = state["plan"].model_copy(update=change)
    (one,) = [revision.to_json() for revision in revisions_of(state)]
    assert one["because"] == because
    assert one["outcomes"] == {}
    assert ("rejected: No years. Only days." if change else "edited by hand") in printed(state)


def test_a_first_plan_has_no_earlier_one():
    assert revisions_of({"plan": FIRST}) == []
    assert revisions_of({}) == []


def test_a_thread_as_json_has_them_and_only_outcomes_of_the_plan_in_force():
    state = values()
    shown = thread_as_json(Thread("t", {"question": "?", **state}, Waiting((), "", ("executor",)), {}))
    assert [one["because"]["decision"] for one in shown["revisions"]] == ["replan"]
    assert list(shown["outcomes"]) == ["task_1"]
    done = thread_as_json(Thread("t", {"question": "?", **state, "result": {"answer": "A."}}, Waiting((), "", ()), {}))
    assert (done["answer"], len(done["revisions"])) == ("A.", 1)
